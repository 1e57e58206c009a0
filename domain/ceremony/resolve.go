package ceremony

import (
	"maps"
	"slices"

	"orgd/domain/jsondoc"
)

// Origin says which level a resolved key comes from.
type Origin string

// The levels of resolution, narrowest first.
const (
	FromDepartment Origin = "department"
	FromCompany    Origin = "company"
	FromDefault    Origin = "default"
)

// Resolved is one key of the policy in force.
type Resolved struct {
	Key    string
	Value  jsondoc.Value
	Origin Origin
}

// Resolve returns every key of the policy in force, sorted by key: for each the
// first value that is not null, of the department, the company and the
// defaults. A nil policy is one without keys.
func Resolve(department, company *Policy) []Resolved {
	found := map[string]Resolved{}
	add := func(p *Policy, from Origin) {
		if p == nil {
			return
		}
		for _, m := range p.Value().Members() {
			if _, taken := found[m.Name]; !taken && m.Value.Kind() != jsondoc.KindNull {
				found[m.Name] = Resolved{m.Name, m.Value, from}
			}
		}
	}
	add(department, FromDepartment)
	add(company, FromCompany)
	strategy := strategies[0]
	if s, ok := found[keyStrategy]; ok {
		strategy = s.Value.Text()
	}
	base := defaults(strategy)
	add(&base, FromDefault)
	all := make([]Resolved, 0, len(found))
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[key])
	}
	return all
}

// defaults are the values of a policy that nobody wrote. How velocity is
// measured follows from the strategy.
func defaults(strategy string) Policy {
	w := jsondoc.NewWriter(nil)
	w.Open()
	w.Field(keyTransition).Bool(true)
	w.Field(keyStrategy).Text(strategy)
	w.Field(keyConfig).Raw("{}")
	w.Field(keyThreshold).Int(1)
	w.Field(keyVelocity).Text(calculatorFor(strategy))
	w.Close()
	return Policy(w.Bytes())
}

func calculatorFor(strategy string) string {
	switch strategy {
	case "calendar":
		return "calendar"
	case "hybrid":
		return "multi_dimensional"
	case "budget_driven":
		return "budget"
	case "event_driven", "external_trigger", "milestone_driven":
		return "points_per_sprint"
	default:
		return "task_driven"
	}
}
