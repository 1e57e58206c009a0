package organization

import (
	"slices"
	"sync"
	"time"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// Sparse returns an exported document without the fields that have their defaults: those
// that a new entry gets without them, or the company of an empty service. Items of lists
// stay whole.
func Sparse(text []byte) ([]byte, error) {
	doc, err := jsondoc.ParseStored(text)
	if err != nil {
		return nil, err
	}
	standard := defaults()
	w := jsondoc.NewWriter(nil)
	w.Open()
	w.Field(FieldFormat).Int(Format)
	if c, _ := doc.Get(FieldCompany); !c.Equal(standard.company) {
		w.Field(FieldCompany)
		writeSparse(w, c, standard.company)
	}
	departments, _ := doc.Get(FieldDepartments)
	w.Field(FieldDepartments).OpenList()
	for _, d := range departments.Items() {
		writeSparse(w, d, standard.department)
	}
	w.CloseList()
	agents, _ := doc.Get(FieldAgents)
	w.Field(FieldAgents).OpenList()
	for _, a := range agents.Items() {
		model, _ := a.Get("model")
		writeSparse(w, a, standard.agent[!model.IsNull()])
	}
	w.CloseList()
	w.Close()
	return w.Bytes(), nil
}

// required are the fields without which there is no entry, or no model. They have no
// defaults.
var required = []string{"name", "role", "department", "hiring_date", "provider", "model_id"}

// writeSparse writes the members of an object that differ from those of its default.
func writeSparse(w *jsondoc.Writer, v, standard jsondoc.Value) {
	w.Open()
	for _, m := range v.Members() {
		same, known := standard.Get(m.Name)
		switch {
		case known && m.Value.Equal(same) && !slices.Contains(required, m.Name):
		case known && m.Value.Kind() == jsondoc.KindObject && same.Kind() == jsondoc.KindObject:
			w.Field(m.Name)
			writeSparse(w, m.Value, same)
		default:
			w.Field(m.Name).Raw(m.Value.String())
		}
	}
	w.Close()
}

// standards are entries about which nothing is said but what is required.
type standards struct {
	company, department jsondoc.Value
	agent               map[bool]jsondoc.Value // without and with a model
}

var defaults = sync.OnceValue(func() standards {
	return standards{
		company:    parsed(AppendCompany(nil, company.Default(time.Time{}))),
		department: parsed(newDepartment()),
		agent: map[bool]jsondoc.Value{
			false: parsed(newAgent(`{"name":"a","role":"a","department":"a"}`)),
			true:  parsed(newAgent(`{"name":"a","role":"a","department":"a","model":{"provider":"a","model_id":"a"}}`)),
		},
	}
})

func newDepartment() []byte {
	p, err := department.ParseEntry("", parsed([]byte(`{"name":"a"}`)))
	if err == nil {
		p, err = p.New()
	}
	d, errMake := p.Make(func(*department.Department) {})
	if err != nil || errMake != nil {
		panic("organization: a department needs more than a name")
	}
	return AppendDepartment(nil, d, identity.AsIs)
}

func newAgent(text string) []byte {
	p, err := agent.ParseEntry("", parsed([]byte(text)))
	if err == nil {
		p, err = p.New()
	}
	a, errMake := p.Make(func(*agent.Agent) {})
	if err != nil || errMake != nil {
		panic("organization: an agent needs more than " + text)
	}
	return AppendAgent(nil, a, identity.AsIs)
}

// parsed reads a text of our own.
func parsed(text []byte) jsondoc.Value {
	v, err := jsondoc.ParseStored(text)
	if err != nil {
		panic("organization: " + err.Error())
	}
	return v
}
