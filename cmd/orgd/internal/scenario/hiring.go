package scenario

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// hiringStage hires heads before leads and leads before members, because each
// reports to one who is there.
func (o *Organization) hiringStage() Stage {
	var heads, leads, members []Request
	for _, w := range o.workers {
		r := request("POST", "/agents", o.identity(w))
		switch w.level {
		case "director":
			heads = append(heads, r)
		case "lead":
			leads = append(leads, r)
		default:
			members = append(members, r)
		}
	}
	return Stage{Name: "agents", Waves: [][]Request{heads, leads, members}}
}

// identity is an agent as it is hired.
func (o *Organization) identity(w *worker) object {
	r := o.random("identity", w.number)
	status := "active"
	if w.fate == newcomer || w.fate == onboarded {
		status = "onboarding"
	}
	return object{
		"name": w.name, "role": w.role.title, "department": w.department.name,
		"description": "Works in " + w.department.name + " to " + w.role.duty + ".",
		"level":       w.level, "status": status,
		"hiring_date":  w.hired.String(),
		"personality":  personality(r),
		"skills":       skills(r, w),
		"model":        modelOf(r, w),
		"memory":       memory(w),
		"tools":        tools(w),
		"authority":    authority(w),
		"instructions": o.prompt(w),
		"metadata":     object{"cost_center": w.department.prefix, "cohort": w.hired.String()[:7]},
	}
}

var levels = []string{"junior", "mid", "senior", "lead"}

// nextLevel is the level above or, for step -1, below that of a member.
func (w *worker) nextLevel(step int) string {
	return levels[slices.Index(levels, w.level)+step]
}

func personality(r *rand.Rand) object {
	traits := []string{"careful", "curious", "direct", "friendly", "patient", "persistent", "playful", "thorough"}
	return object{
		"traits":              some(r, traits, 3),
		"communication_style": pick(r, []string{"neutral", "warm", "formal", "plain"}),
		"description":         pick(r, []string{"Thinks before it acts.", "Asks until it understands.", "Would rather be right than first."}),
		"risk_tolerance":      pick(r, []string{"low", "medium", "high"}),
		"creativity":          pick(r, []string{"low", "medium", "high"}),
		"openness":            hundredths(r.Float64()), "conscientiousness": hundredths(0.4 + 0.6*r.Float64()),
		"extraversion": hundredths(r.Float64()), "agreeableness": hundredths(0.3 + 0.7*r.Float64()),
		"decision_making": pick(r, []string{"analytical", "intuitive", "consultative"}),
		"collaboration":   pick(r, []string{"independent", "pair", "team"}),
		"verbosity":       pick(r, []string{"terse", "balanced", "verbose"}),
	}
}

func skills(r *rand.Rand, w *worker) object {
	var primary []object
	for _, s := range w.role.skills {
		primary = append(primary, object{
			"id": s, "name": strings.ToUpper(s[:1]) + s[1:], "tags": []string{strings.ToLower(w.department.name)},
			"proficiency": hundredths(0.6 + 0.4*r.Float64()),
		})
	}
	return object{
		"primary":   primary,
		"secondary": []object{{"id": "planning-own-work", "name": "Planning its own work", "proficiency": hundredths(0.3 + 0.5*r.Float64())}},
	}
}

func modelOf(r *rand.Rand, w *worker) object {
	return object{
		"provider": w.model.provider, "model_id": w.model.id, "model_tier": w.model.tier,
		"temperature": pick(r, []float64{0, 0.2, 0.5, 0.7}), "max_tokens": pick(r, []int{4096, 8192, 16384}),
		"fallback_model": models[len(models)-1].id,
	}
}

func memory(w *worker) object {
	if w.chief() {
		return object{
			"type": "persistent", "retention_days": 365,
			"retention_overrides": []object{{"category": "working", "retention_days": 7}, {"category": "social", "retention_days": 90}},
		}
	}
	return object{"type": "project", "retention_days": 90}
}

func tools(w *worker) object {
	access := map[string]string{"junior": "restricted", "lead": "elevated", "director": "elevated"}
	return object{
		"access_level": cmp.Or(access[w.level], "standard"), "allowed": w.role.tools, "denied": []string{"payments"},
		"sub_constraints": object{
			"file_system": "project_directory", "network": "allowlist_only", "git": "read_and_branch",
			"code_execution": "containerized", "terminal": "restricted_commands",
			"requires_approval": []string{"deploy", "delete"}, "network_allowlist": []string{"docs.example.com"},
		},
	}
}

func authority(w *worker) object {
	a := object{"budget_limit": 50}
	if w.boss != nil {
		a["reports_to"] = w.boss.name
		a["can_delegate_to"] = []string{w.boss.name}
	}
	if w.chief() {
		a["can_approve"], a["budget_limit"] = []string{"spend_money", "hire"}, 5000
	}
	return a
}

// hundredths rounds to two decimals.
func hundredths(x float64) float64 { return float64(int(x*100+0.5)) / 100 }

// rule is a line of a prompt and the reason for which somebody put it there.
type rule struct{ text, reason string }

// rules are what prompts begin with and what is added to them.
var rules = []rule{
	{"Say what you do not know before you say what you do.", "guesses were told as facts"},
	{"Before you finish, check your result against the request, line by line.", "results missed a part of the request"},
	{"Prefer the smallest change that solves the problem.", "changes were larger than asked for"},
	{"Name your sources, so that others can check them.", "an answer could not be checked"},
	{"Ask one question at a time.", "long lists of questions stayed unanswered"},
	{"Stop and ask when an action would cost more than your budget.", "one run cost too much"},
	{"Write for a reader who is in a hurry.", "answers were too long"},
	{"Never act twice on the same request: look for what was done before.", "an order was placed twice"},
	{"Hand over with what you tried, what you found and what is left.", "hand-overs lost what was found"},
	{"Keep names, addresses and account numbers out of summaries.", "a summary showed personal data"},
}

// haste is the rule that turns out to be a mistake.
var haste = rule{"Answer at once. Details can follow later.", "answers took too long"}

const regret = "quality fell since answers have to come at once"

// prompt is the instructions of an agent with its own rules and some more.
func (o *Organization) prompt(w *worker, more ...rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You are %s, %s in %s at %s. You %s.\n\n", w.name, w.role.title, w.department.name, companyName, w.role.duty)
	fmt.Fprintf(&b, "%s %s\n\n## How you work\n\n", w.department.name, w.department.purpose)
	for _, r := range append(o.ownRules(w), more...) {
		fmt.Fprintf(&b, "- %s\n", r.text)
	}
	fmt.Fprintf(&b, "\n## What you use\n\nYour tools are %s. ", strings.Join(w.role.tools, ", "))
	if w.boss == nil {
		b.WriteString("You decide for your department within its budget.\n")
	} else {
		fmt.Fprintf(&b, "What goes beyond them you bring to %s.\n", w.boss.name)
	}
	return b.String()
}

// ownRules are those of the agent's first prompt.
func (o *Organization) ownRules(w *worker) []rule { return some(o.random("rules", w.number), rules, 3) }

// another returns a rule that the agent's first prompt does not have.
func (o *Organization) another(w *worker) rule {
	own := o.ownRules(w)
	others := slices.DeleteFunc(slices.Clone(rules), func(r rule) bool { return slices.Contains(own, r) })
	return pick(o.random("another rule", w.number), others)
}
