package portstest

import (
	"errors"
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/ports"
)

// rounds is how often a race of a few is run.
const rounds = 12

func departmentParallelUpdates(w *world) {
	const each = 5
	w.createDepartment("Sales", `"ceremony_policy":{}`)
	errs := atOnce(crowd, func(i int) error {
		for j := range each {
			patch := fmt.Sprintf(`{"ceremony_policy":{"%d.%d":%d}}`, i, j, j)
			if _, err := w.Departments.Update(w.Context(), "sales", w.amending(patch, nil)); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("Update", errs)
	d := w.department("Sales")
	w.want("the revision", d.Revision, int64(1+crowd*each))
	w.want("the members of the policy", len(d.CeremonyPolicy.Value().Members()), crowd*each)
	w.wantTrail(audit.Department("Sales"), 1+crowd*each, false)
}

func departmentParallelCreates(w *world) {
	for i := range 4 {
		title := fmt.Sprint("Sales ", i)
		errs := atOnce(crowd, func(int) error {
			_, err := w.Departments.Create(w.Context(), key(title), w.creating(title, nil))
			return err
		})
		if n := w.wantEach("Create", errs, department.ErrExists); n != 1 {
			w.Errorf("%d departments were created under one name, want 1", n)
		}
		w.want("the slots", len(w.company().Slots), i+1)
		w.want("the revision of the company", w.company().Revision, int64(i+2))
		w.wantTrail(audit.Department(title), 1, false)
	}
}

// departmentParallelSlots creates departments while the company changes: both
// are changes of the company.
func departmentParallelSlots(w *world) {
	errs := atOnce(crowd, func(i int) error {
		title := fmt.Sprint("d", i)
		if _, err := w.Departments.Create(w.Context(), key(title), w.creating(title, nil)); err != nil {
			return err
		}
		_, err := w.Company.Update(w.Context(), w.directing(fmt.Sprintf(`{"settings":{"%d":1}}`, i), nil))
		if err != nil || i%2 == 0 {
			return err
		}
		return w.deleteDepartment(title)
	})
	w.wantEach("creating beside changes of the company", errs)
	c := w.company()
	w.want("the revision of the company", c.Revision, int64(1+2*crowd+crowd/2))
	w.want("the slots", len(c.Slots), crowd/2)
	w.want("the departments", len(w.departments(3)), crowd/2)
	w.want("the members of the settings", len(c.Settings.Value().Members()), crowd)
}

func departmentParallelBudget(w *world) {
	for i := range rounds {
		errs := atOnce(2, func(j int) error {
			title := fmt.Sprintf("d%d.%d", i, j)
			_, err := w.Departments.Create(w.Context(), key(title), w.creating(title, nil, `"budget_percent":60`))
			return err
		})
		if n := w.wantEach("Create", errs, department.ErrBudget); n != 1 {
			w.Errorf("%d departments of 60 %% each were created, want 1", n)
		}
		for _, k := range w.departments(10) {
			w.wantNil("Delete", w.deleteDepartment(string(k)))
		}
	}
}

func departmentParallelShares(w *world) {
	for i := range crowd {
		w.createDepartment(fmt.Sprint("d", i))
	}
	for range rounds / 2 {
		errs := atOnce(crowd, func(i int) error {
			_, err := w.Departments.Update(w.Context(), key(fmt.Sprint("d", i)), w.amending(`{"budget_percent":40}`, nil))
			return err
		})
		if n := w.wantEach("Update", errs, department.ErrBudget); n != 2 {
			w.Errorf("%d of %d departments got 40 %%, want 2", n, crowd)
		}
		for i := range crowd {
			_, err := w.Departments.Update(w.Context(), key(fmt.Sprint("d", i)), w.amending(`{"budget_percent":0}`, nil))
			w.wantNil("Update", err)
		}
	}
}

// wantNoOrphans checks that a department that was deleted has no agents, and one
// that was not all that came.
func (w *world) wantNoOrphans(title string, deleted error, came []agent.ID) {
	w.Helper()
	w.wantEach("Delete", []error{deleted}, department.ErrNotEmpty)
	members := w.members(title)
	w.want("the agents of "+title, members, came)
	_, err := w.Departments.Department(w.Context(), key(title))
	if deleted == nil {
		w.wantErr("Department", err, department.ErrNotFound)
		w.want("the agents of a deleted department", members, nil)
	} else if err != nil || len(members) == 0 {
		w.Errorf("Department = %v with %d agents after a refused deletion, want some", err, len(members))
	}
}

func departmentDeleteHire(w *world) {
	for i := range rounds {
		title := fmt.Sprint("d", i)
		w.createDepartment(title)
		steps := make([]ports.AgentChange, 3)
		for j := range steps {
			steps[j] = w.hiring(fmt.Sprintf("a%d.%d", i, j), title)
		}
		errs := atOnce(1+len(steps), func(j int) error {
			if j == 0 {
				return w.deleteDepartment(title)
			}
			return Hire(w.Context(), w.Agents, steps[j-1])
		})
		w.wantEach("Create", errs[1:], agent.ErrDepartment)
		var came []agent.ID
		for j, s := range steps {
			if errs[1+j] == nil {
				came = append(came, s.Agent.ID())
			} else {
				w.wantNever(s.Agent.ID())
			}
		}
		w.wantNoOrphans(title, errs[0], came)
	}
}

func departmentDeleteMove(w *world) {
	w.createDepartment("Home")
	a := w.hire("a", "Home")
	for i := range rounds {
		title := fmt.Sprint("d", i)
		w.createDepartment(title)
		errs := atOnce(2, func(j int) error {
			if j == i%2 {
				return w.deleteDepartment(title)
			}
			_, err := w.Agents.Update(w.Context(), byID(a.ID()), w.changing(`{"department":"`+title+`"}`, nil))
			return err
		})
		moved := errs[1-i%2]
		w.wantEach("Update", []error{moved}, agent.ErrDepartment)
		var came []agent.ID
		if moved == nil {
			came = append(came, a.ID())
		}
		w.wantNoOrphans(title, errs[i%2], came)
		w.change(a.ID(), `{"department":"Home"}`)
	}
	w.want("the agents at home", w.members("Home"), []agent.ID{a.ID()})
}

func departmentParallelDeletes(w *world) {
	for i := range 4 {
		title := fmt.Sprint("d", i)
		w.createDepartment(title)
		errs := atOnce(crowd, func(int) error { return w.deleteDepartment(title) })
		if n := w.wantEach("Delete", errs, department.ErrNotFound); n != 1 {
			w.Errorf("a department was deleted %d times, want once", n)
		}
		w.want("the slots", len(w.company().Slots), 0)
		w.wantTrail(audit.Department(title), 2, true)
	}
}

func departmentParallelKey(w *world) {
	r := w.newRecord("once")
	errs := atOnce(crowd, func(i int) error {
		title := fmt.Sprint("d", i)
		_, err := w.Departments.Create(w.Context(), key(title), w.creating(title, r))
		return err
	})
	if n := w.wantEach("Create", errs, idempotency.ErrRunning); n != 1 {
		w.Errorf("%d departments were created with one idempotency key, want 1", n)
	}
	w.want("the number of departments", len(w.departments(100)), 1)
	w.want("the slots", len(w.company().Slots), 1)
	w.want("the record", w.kept(r), r)
}

// departmentParallelLives deletes a department and makes it again while others
// change it: every life has its own revisions.
func departmentParallelLives(w *world) {
	w.createDepartment("Sales")
	ctx := w.Context()
	errs := atOnce(8, func(i int) error {
		for range 6 {
			var err error
			switch i {
			case 0:
				err = w.deleteDepartment("Sales")
			case 1:
				_, err = w.Departments.Create(ctx, "sales", w.creating("Sales", nil))
			default:
				_, err = w.Departments.Update(ctx, "sales", w.amending(`{"description":"`+w.id()+`"}`, nil))
			}
			if err != nil && !errors.Is(err, department.ErrNotFound) && !errors.Is(err, department.ErrExists) {
				return err
			}
		}
		return nil
	})
	w.wantEach("creating, changing and deleting", errs)
	c := w.company()
	w.want("the departments", w.departments(10), slotted(c))
	balance := map[int64]int{} // how often each revision was reached more than left
	for _, e := range w.entries(audit.Department("Sales")) {
		balance[e.To]++
		balance[e.From]--
	}
	delete(balance, 0)
	if len(c.Slots) == 1 {
		balance[w.department("Sales").Revision]--
	}
	for revision, n := range balance {
		if n != 0 {
			w.Errorf("revision %d was reached %d times more than it was left", revision, n)
		}
	}
}

func slotted(c company.Company) []name.Key {
	var keys []name.Key
	for _, s := range c.Slots {
		keys = append(keys, s.Department)
	}
	return keys
}
