package identity

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orgd/domain/decimal"
	"orgd/domain/domaintest"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
	"orgd/domain/name"
)

// parse reads a JSON text that a test writes itself.
func parse(t *testing.T, text string) jsondoc.Value {
	t.Helper()
	v, err := jsondoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("jsondoc.Parse(%.80s) = %v", text, err)
	}
	return v
}

// merge merges the patch into c as a JSON Merge Patch.
func merge(t *testing.T, c Content, patch string) (Content, error) {
	t.Helper()
	err := jsondoc.Read(parse(t, patch), c.Read)
	return c, err
}

// at returns {"a":{"b":value}} for the path "a.b".
func at(path, value string) string {
	steps := strings.Split(path, ".")
	for i := len(steps) - 1; i >= 0; i-- {
		value = `{"` + steps[i] + `":` + value + `}`
	}
	return value
}

// get returns the member of v at the path "a.b".
func get(v jsondoc.Value, path string) jsondoc.Value {
	for step := range strings.SplitSeq(path, ".") {
		v, _ = v.Get(step)
	}
	return v
}

// example is a content with something in every field.
func example() Content {
	return Content{
		ID:          "0190a1b2-0000-7000-8000-000000000001",
		Name:        domaintest.Name("Ada"),
		Role:        "Engineer",
		Department:  domaintest.Name("Platform"),
		Description: "Builds <things> & more.",
		Level:       Senior,
		Status:      OnLeave,
		Personality: Personality{
			Traits: []string{"curious", "calm"}, CommunicationStyle: "plain", Description: "d",
			RiskTolerance: "low", Creativity: "high",
			Openness: "0.25", Conscientiousness: "1", Extraversion: "0", Agreeableness: "0.5", StressResponse: "0.125",
			DecisionMaking: "directive", Collaboration: "pair", Verbosity: "terse", ConflictApproach: "avoid",
		},
		Skills: Skills{
			Primary: []Skill{{
				ID: "go", Name: "Go", Description: "writes Go", Tags: []string{"code"},
				InputModes: []string{"text/plain"}, OutputModes: []string{"text/x-go"}, Proficiency: "0.9",
			}},
			Secondary: []Skill{{ID: "sql", Name: "SQL", Proficiency: "0"}},
		},
		Model: &Model{
			Provider: "acme", ModelID: "m-1", Temperature: "0.7", MaxTokens: 4096,
			FallbackModel: new("m-0"), Tier: new(Tier("large")),
		},
		Memory: Memory{
			Type: "project", RetentionDays: new(int64(30)),
			Overrides: []RetentionOverride{{Category: "semantic", RetentionDays: 90}},
		},
		Tools: Tools{
			AccessLevel: "custom", Allowed: []string{"git"}, Denied: []string{"rm"}, MCPCapabilities: []string{"files"},
			Constraints: &SubConstraints{
				FileSystem: "project_directory", Network: "allowlist_only", Git: "full", CodeExecution: "process",
				Terminal: "full", RequiresApproval: []string{"push"}, NetworkAllowlist: []string{"example.org"},
			},
		},
		Authority: Authority{
			CanApprove: []string{"spend"}, ReportsTo: new("0190a1b2-0000-7000-8000-000000000002"),
			CanDelegateTo: []string{"0190a1b2-0000-7000-8000-000000000003"}, BudgetLimit: 12_500_000_000,
		},
		Autonomy:     new(Semi),
		OutputMode:   new(Advisor),
		Instructions: "Be kind.\nBe brief.",
		HiringDate:   "2026-01-31",
		Metadata:     `{"":{"a.b":9007199254740993},"$ne":[1,null]}`,
	}
}

// contents generates contents that satisfy every bound and every rule.
func contents() *rapid.Generator[Content] {
	return rapid.Custom(func(t *rapid.T) Content {
		return Content{
			ID:           ID(uuids().Draw(t, "id")),
			Name:         names().Draw(t, "name"),
			Role:         texts(1, 128).Draw(t, "role"),
			Department:   names().Draw(t, "department"),
			Description:  texts(0, 200).Draw(t, "description"),
			Level:        rapid.SampledFrom(levels[1:]).Draw(t, "level"),
			Status:       rapid.SampledFrom(statuses).Draw(t, "status"),
			Personality:  personalities().Draw(t, "personality"),
			Skills:       skills().Draw(t, "skills"),
			Model:        rapid.Ptr(models(), true).Draw(t, "model"),
			Memory:       memories().Draw(t, "memory"),
			Tools:        tools().Draw(t, "tools"),
			Authority:    authorities().Draw(t, "authority"),
			Autonomy:     rapid.Ptr(rapid.SampledFrom(Autonomies()), true).Draw(t, "autonomy"),
			OutputMode:   rapid.Ptr(rapid.SampledFrom([]OutputMode{OptionExpander, Advisor}), true).Draw(t, "mode"),
			Instructions: texts(0, 500).Draw(t, "instructions"),
			HiringDate:   rapid.SampledFrom([]Date{"2026-01-31", "1999-12-31", "2024-02-29"}).Draw(t, "hired"),
			Metadata:     objects().Draw(t, "metadata"),
		}
	})
}

func texts(min, max int) *rapid.Generator[string] { return rapid.StringN(min, max, -1) }

func names() *rapid.Generator[name.Name] {
	return rapid.Custom(func(t *rapid.T) name.Name {
		n, err := name.Parse(texts(1, 40).Draw(t, "name"))
		if err != nil {
			return domaintest.Name("plain")
		}
		return n
	})
}

func uuids() *rapid.Generator[string] {
	return rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
}

// lists generates lists of different texts; an empty one is nil.
func lists(item *rapid.Generator[string]) *rapid.Generator[[]string] {
	return rapid.Map(rapid.SliceOfNDistinct(item, 0, 4, rapid.ID[string]), orNil[string])
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

func shares() *rapid.Generator[decimal.Decimal] {
	return rapid.Map(rapid.Int64Range(0, 1e6), func(v int64) decimal.Decimal { return decimal.FromFixed(v, 6) })
}

func personalities() *rapid.Generator[Personality] {
	return rapid.Custom(func(t *rapid.T) Personality {
		return Personality{
			Traits:             lists(texts(1, 9)).Draw(t, "traits"),
			CommunicationStyle: texts(1, 100).Draw(t, "style"),
			Description:        texts(0, 100).Draw(t, "description"),
			RiskTolerance:      rapid.SampledFrom(degrees).Draw(t, "risk"),
			Creativity:         rapid.SampledFrom(degrees).Draw(t, "creativity"),
			Openness:           shares().Draw(t, "o"),
			Conscientiousness:  shares().Draw(t, "c"),
			Extraversion:       shares().Draw(t, "e"),
			Agreeableness:      shares().Draw(t, "a"),
			StressResponse:     shares().Draw(t, "s"),
			DecisionMaking:     rapid.SampledFrom(decisionStyles).Draw(t, "decision"),
			Collaboration:      rapid.SampledFrom(collaborationStyles).Draw(t, "collaboration"),
			Verbosity:          rapid.SampledFrom(verbosities).Draw(t, "verbosity"),
			ConflictApproach:   rapid.SampledFrom(conflictApproaches).Draw(t, "conflict"),
		}
	})
}

func skills() *rapid.Generator[Skills] {
	skill := rapid.Custom(func(t *rapid.T) Skill {
		return Skill{
			ID:          texts(1, 5).Draw(t, "id"),
			Name:        texts(1, 9).Draw(t, "name"),
			Description: texts(0, 9).Draw(t, "description"),
			Tags:        lists(texts(1, 9)).Draw(t, "tags"),
			InputModes:  lists(texts(1, 9)).Draw(t, "in"),
			OutputModes: lists(texts(1, 9)).Draw(t, "out"),
			Proficiency: shares().Draw(t, "proficiency"),
		}
	})
	return rapid.Custom(func(t *rapid.T) Skills {
		all := rapid.SliceOfNDistinct(skill, 0, 4, func(s Skill) string { return s.ID }).Draw(t, "skills")
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		return Skills{Primary: orNil(all[:cut]), Secondary: orNil(all[cut:])}
	})
}

func models() *rapid.Generator[Model] {
	return rapid.Custom(func(t *rapid.T) Model {
		return Model{
			Provider:      texts(1, 9).Draw(t, "provider"),
			ModelID:       texts(1, 9).Draw(t, "model"),
			Temperature:   shares().Draw(t, "temperature"),
			MaxTokens:     rapid.Int64Range(1, maxCount).Draw(t, "tokens"),
			FallbackModel: rapid.Ptr(texts(1, 9), true).Draw(t, "fallback"),
			Tier:          rapid.Ptr(rapid.SampledFrom(Tiers()), true).Draw(t, "tier"),
		}
	})
}

func memories() *rapid.Generator[Memory] {
	return rapid.Custom(func(t *rapid.T) Memory {
		m := Memory{Type: rapid.SampledFrom(memoryTypes).Draw(t, "type")}
		if m.Type == NoMemory {
			return m
		}
		m.RetentionDays = rapid.Ptr(rapid.Int64Range(1, maxCount), true).Draw(t, "days")
		categories := rapid.Permutation(memoryCategories).Draw(t, "categories")
		for _, c := range categories[:rapid.IntRange(0, len(categories)).Draw(t, "n")] {
			m.Overrides = append(m.Overrides, RetentionOverride{c, rapid.Int64Range(1, maxCount).Draw(t, "override")})
		}
		return m
	})
}

func tools() *rapid.Generator[Tools] {
	constraints := rapid.Custom(func(t *rapid.T) SubConstraints {
		return SubConstraints{
			FileSystem:       rapid.SampledFrom(fileSystems).Draw(t, "files"),
			Network:          rapid.SampledFrom(networks).Draw(t, "network"),
			Git:              rapid.SampledFrom(gits).Draw(t, "git"),
			CodeExecution:    rapid.SampledFrom(codeExecutions).Draw(t, "code"),
			Terminal:         rapid.SampledFrom(terminals).Draw(t, "terminal"),
			RequiresApproval: lists(texts(1, 9)).Draw(t, "approval"),
			NetworkAllowlist: lists(texts(1, 9)).Draw(t, "hosts"),
		}
	})
	return rapid.Custom(func(t *rapid.T) Tools {
		all := lists(texts(1, 9)).Draw(t, "tools")
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		return Tools{
			AccessLevel:     rapid.SampledFrom(accessLevels).Draw(t, "access"),
			Allowed:         orNil(all[:cut]),
			Denied:          orNil(all[cut:]),
			MCPCapabilities: lists(texts(1, 9)).Draw(t, "mcp"),
			Constraints:     rapid.Ptr(constraints, true).Draw(t, "constraints"),
		}
	})
}

func authorities() *rapid.Generator[Authority] {
	return rapid.Custom(func(t *rapid.T) Authority {
		return Authority{
			CanApprove:    lists(texts(1, 9)).Draw(t, "approve"),
			ReportsTo:     rapid.Ptr(uuids(), true).Draw(t, "boss"),
			CanDelegateTo: lists(uuids()).Draw(t, "delegate"),
			BudgetLimit:   money.Amount(rapid.Int64Range(0, int64(money.MaxAmount)).Draw(t, "budget")),
		}
	})
}

// objects generates free-form objects with nested ones and lists.
func objects() *rapid.Generator[jsondoc.Object] {
	return rapid.Custom(func(t *rapid.T) jsondoc.Object {
		w := jsondoc.NewWriter(nil)
		writeObject(t, w, 2)
		o, err := jsondoc.ParseObject(w.Bytes())
		if err != nil {
			t.Fatalf("ParseObject(%s) = %v", w.Bytes(), err)
		}
		return o
	})
}

func writeObject(t *rapid.T, w *jsondoc.Writer, depth int) {
	w.Open()
	for _, key := range lists(texts(0, 3)).Draw(t, "keys") {
		w.Field(key)
		switch rapid.IntRange(0, 3+min(depth, 1)).Draw(t, "kind") {
		case 0:
			w.Null()
		case 1:
			w.Int(rapid.Int64().Draw(t, "int"))
		case 2:
			w.Text(texts(0, 5).Draw(t, "text"))
		case 3:
			w.Texts(lists(texts(0, 5)).Draw(t, "list"))
		default:
			writeObject(t, w, depth-1)
		}
	}
	w.Close()
}
