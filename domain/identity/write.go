package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// Canonical returns the one JSON form of c (RFC 8785: members sorted, numbers
// exact), all defaults included.
func (c Content) Canonical() string { return jsondoc.ObjectText(c.Write) }

// Hash returns the SHA-256 of the canonical form in lower-case hex.
func (c Content) Hash() string { return c.Stored().Hash }

// Stored returns the canonical form of c and its hash.
func (c Content) Stored() (s Stored) {
	jsondoc.EncodeObject(c.Write, func(canonical []byte) {
		s = Stored{Text: string(canonical), Hash: hash(canonical)}
	})
	return s
}

func hash(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	var digits [2 * sha256.Size]byte
	hex.Encode(digits[:], sum[:])
	return string(digits[:])
}

// Parse reads a canonical form back, and shares the memory of a string. A field that it
// lacks, because it was stored before the field came, has its default.
func Parse[T []byte | string](canonical T) (Content, error) {
	c := Default()
	err := jsondoc.ReadStored(canonical, func(r *jsondoc.Reader) {
		var id string
		r.Text("id", &id, 1, 64)
		c.ID = ID(id)
		c.ReadHiringDate(r)
		c.Read(r)
	})
	if err != nil {
		return Content{}, fmt.Errorf("identity: parse: %w", err)
	}
	return c, nil
}

// Write writes the members of c, sorted, into the object that w has open.
func (c Content) Write(w *jsondoc.Writer) {
	c.Authority.write(w.Field("authority"), AsIs)
	w.Field("autonomy_level").TextOrNull((*string)(c.Autonomy))
	w.Field("department").Text(c.Department.Text)
	w.Field("description").Text(c.Description)
	w.Field("hiring_date").Text(string(c.HiringDate))
	w.Field("id").Text(string(c.ID))
	w.Field("instructions").Text(c.Instructions)
	w.Field("level").Text(string(c.Level))
	c.Memory.write(w.Field("memory"))
	w.Field("metadata").Free(c.Metadata)
	c.Model.write(w.Field("model"))
	w.Field("name").Text(c.Name.Text)
	c.Personality.write(w.Field("personality"))
	w.Field("role").Text(c.Role)
	c.Skills.write(w.Field("skills"))
	w.Field("status").Text(string(c.Status))
	w.Field("strategic_output_mode").TextOrNull((*string)(c.OutputMode))
	c.Tools.write(w.Field("tools"))
}

// WithoutInstructions returns the members of a canonical form without the
// instructions, which are by far the longest: those before and those behind.
func WithoutInstructions(canonical string) (head, tail string) {
	head, _, tail = cutText(canonical[:len(canonical)-1], "instructions")
	return head[1:], strings.TrimPrefix(tail, ",")
}

// DepartmentIn returns the name of the department in a canonical form.
func DepartmentIn(canonical string) (n name.Name, err error) {
	text, err := DepartmentText(canonical)
	if err == nil {
		n, err = name.Parse(text)
	}
	if err != nil {
		return n, fmt.Errorf("identity: parse: department: %w", jsondoc.ErrStored.Because(err))
	}
	return n, nil
}

// DepartmentText returns the department in a canonical form as it is written, for whoever
// only shows it.
func DepartmentText(canonical string) (string, error) {
	_, escaped, _ := cutText(canonical, "department")
	return unescape(escaped)
}

// TextsIn returns the role, the description and the instructions in a canonical form, and
// reads nothing else. Only those are read that wanted holds for, as they are written there; the
// others are "".
func TextsIn(canonical string, wanted func(escaped string) bool) (role, description, instructions string, err error) {
	read := func(canonical, field string) (text string) {
		if _, escaped, _ := cutText(canonical, field); err == nil && wanted(escaped) {
			if text, err = unescape(escaped); err != nil {
				err = fmt.Errorf("identity: parse: %s: %v", field, err)
			}
		}
		return text
	}
	description, instructions = read(canonical, "description"), read(canonical, "instructions")
	// No object that stands behind the role may hold free-form members.
	role = read(canonical[max(0, strings.LastIndex(canonical, `,"role":"`)):], "role")
	return role, description, instructions, err
}

// unescape returns what a text means that [cutText] has found.
func unescape(escaped string) (string, error) {
	if strings.IndexByte(escaped, '\\') < 0 {
		return escaped, nil
	}
	v, err := jsondoc.ParseStored(`"` + escaped + `"`)
	return v.Text(), err
}

// cutText returns the text of a member as it is written in a canonical form, and what
// stands before its comma and behind its quotes. No object that stands before the
// department, the description or the instructions may hold free-form members, so the first
// name that reads like theirs is theirs.
func cutText(canonical, field string) (head, text, tail string) {
	head, rest, _ := strings.Cut(canonical, `,"`+field+`":"`)
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			return head, rest[:i], rest[i+1:]
		}
	}
	return head, "", ""
}

// WriteEntry writes the members of c as the document of an organization has
// them: every field that a client may write, those that tell agents apart
// first, and references as show turns them. References to agents that are gone
// are null or left out.
func (c Content) WriteEntry(w *jsondoc.Writer, show Show) {
	w.Field("name").Text(c.Name.Text)
	w.Field("role").Text(c.Role)
	w.Field("department").Text(c.Department.Text)
	w.Field("description").Text(c.Description)
	w.Field("level").Text(string(c.Level))
	w.Field("status").Text(string(c.Status))
	w.Field("hiring_date").Text(string(c.HiringDate))
	w.Field("autonomy_level").TextOrNull((*string)(c.Autonomy))
	w.Field("strategic_output_mode").TextOrNull((*string)(c.OutputMode))
	w.Field("instructions").Text(c.Instructions)
	c.Personality.write(w.Field("personality"))
	c.Skills.write(w.Field("skills"))
	c.Model.write(w.Field("model"))
	c.Memory.write(w.Field("memory"))
	c.Tools.write(w.Field("tools"))
	c.Authority.write(w.Field("authority"), show)
	w.Field("metadata").Free(c.Metadata)
}

func (a Authority) write(w *jsondoc.Writer, show Show) {
	w.Open()
	w.Field("budget_limit").Number(a.BudgetLimit.Decimal())
	w.Field("can_approve").Texts(a.CanApprove)
	WriteRefs(w.Field("can_delegate_to"), a.CanDelegateTo, show)
	WriteRef(w.Field("reports_to"), a.ReportsTo, show)
	w.Close()
}

func (m Memory) write(w *jsondoc.Writer) {
	w.Open()
	w.Field("retention_days").IntOrNull(m.RetentionDays)
	w.Field("retention_overrides").OpenList()
	for _, o := range m.Overrides {
		w.Open()
		w.Field("category").Text(o.Category)
		w.Field("retention_days").Int(o.RetentionDays)
		w.Close()
	}
	w.CloseList()
	w.Field("type").Text(string(m.Type))
	w.Close()
}

func (m *Model) write(w *jsondoc.Writer) {
	if m == nil {
		w.Null()
		return
	}
	w.Open()
	w.Field("fallback_model").TextOrNull(m.FallbackModel)
	w.Field("max_tokens").Int(m.MaxTokens)
	w.Field("model_id").Text(m.ModelID)
	w.Field("model_tier").TextOrNull((*string)(m.Tier))
	w.Field("provider").Text(m.Provider)
	w.Field("temperature").Number(m.Temperature)
	w.Close()
}

func (p Personality) write(w *jsondoc.Writer) {
	w.Open()
	w.Field("agreeableness").Number(p.Agreeableness)
	w.Field("collaboration").Text(p.Collaboration)
	w.Field("communication_style").Text(p.CommunicationStyle)
	w.Field("conflict_approach").Text(p.ConflictApproach)
	w.Field("conscientiousness").Number(p.Conscientiousness)
	w.Field("creativity").Text(string(p.Creativity))
	w.Field("decision_making").Text(p.DecisionMaking)
	w.Field("description").Text(p.Description)
	w.Field("extraversion").Number(p.Extraversion)
	w.Field("openness").Number(p.Openness)
	w.Field("risk_tolerance").Text(string(p.RiskTolerance))
	w.Field("stress_response").Number(p.StressResponse)
	w.Field("traits").Texts(p.Traits)
	w.Field("verbosity").Text(p.Verbosity)
	w.Close()
}

func (s Skills) write(w *jsondoc.Writer) {
	w.Open()
	writeSkills(w.Field("primary"), s.Primary)
	writeSkills(w.Field("secondary"), s.Secondary)
	w.Close()
}

func writeSkills(w *jsondoc.Writer, skills []Skill) {
	w.OpenList()
	for _, s := range skills {
		w.Open()
		w.Field("description").Text(s.Description)
		w.Field("id").Text(s.ID)
		w.Field("input_modes").Texts(s.InputModes)
		w.Field("name").Text(s.Name)
		w.Field("output_modes").Texts(s.OutputModes)
		w.Field("proficiency").Number(s.Proficiency)
		w.Field("tags").Texts(s.Tags)
		w.Close()
	}
	w.CloseList()
}

func (t Tools) write(w *jsondoc.Writer) {
	w.Open()
	w.Field("access_level").Text(string(t.AccessLevel))
	w.Field("allowed").Texts(t.Allowed)
	w.Field("denied").Texts(t.Denied)
	w.Field("mcp_capabilities").Texts(t.MCPCapabilities)
	if w.Field("sub_constraints"); t.Constraints == nil {
		w.Null()
	} else {
		t.Constraints.write(w)
	}
	w.Close()
}

func (c SubConstraints) write(w *jsondoc.Writer) {
	w.Open()
	w.Field("code_execution").Text(c.CodeExecution)
	w.Field("file_system").Text(c.FileSystem)
	w.Field("git").Text(c.Git)
	w.Field("network").Text(c.Network)
	w.Field("network_allowlist").Texts(c.NetworkAllowlist)
	w.Field("requires_approval").Texts(c.RequiresApproval)
	w.Field("terminal").Text(c.Terminal)
	w.Close()
}
