package portstest

import (
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/ports"
)

func departmentUnknown(w *world) {
	w.createDepartment("Sales")
	for _, k := range []name.Key{"Sales", "sale", "sales2", "%", "$ne"} {
		_, err := w.Departments.Department(w.Context(), k)
		w.wantErr("Department", err, department.ErrNotFound)
		_, err = w.Departments.Name(w.Context(), k)
		w.wantErr("Name", err, department.ErrNotFound)
		_, err = w.Departments.Update(w.Context(), k, w.amending(`{"description":"d"}`, nil))
		w.wantErr("Update", err, department.ErrNotFound)
		_, err = w.Departments.Reorder(w.Context(), k, w.reordering(reversed, nil))
		w.wantErr("Reorder", err, department.ErrNotFound)
		err = w.Departments.Delete(w.Context(), k, w.deleting(nil))
		w.wantErr("Delete", err, department.ErrNotFound)
	}
}

func departmentTaken(w *world) {
	w.createDepartment("Sales")
	w.wantNothingStored("Create", department.ErrExists, func(r *idempotency.Record) error {
		_, err := w.Departments.Create(w.Context(), "sales", w.creating("SALES", r))
		return err
	})
	_, err := w.Departments.Create(w.Context(), "sales", w.creating("SALES", nil))
	w.wantSame("Create(SALES)", err, department.Taken("Sales"))
}

// failing is f with an error beside its step.
func failing[A, B any](f func(A, B) (ports.DepartmentChange, error)) func(A, B) (ports.DepartmentChange, error) {
	return func(a A, b B) (ports.DepartmentChange, error) { return must(f(a, b)), errRefused }
}

func departmentFailed(w *world) {
	w.createDepartment("Sales", `"budget_percent":60`)
	w.createDepartment("Empty")
	w.hire("Bob", "Sales")
	ctx := w.Context()
	for call, do := range map[string]func(*idempotency.Record) error{
		"Create": func(r *idempotency.Record) error {
			_, err := w.Departments.Create(ctx, "ops", failing(w.creating("Ops", r)))
			return err
		},
		"Update": func(r *idempotency.Record) error {
			_, err := w.Departments.Update(ctx, "sales", failing(w.amending(`{"description":"d"}`, r)))
			return err
		},
		"Delete": func(r *idempotency.Record) error {
			remove := w.deleting(r)
			return w.Departments.Delete(ctx, "empty", func(d department.Department, n int64, c company.Company) (ports.DepartmentChange, error) {
				return must(remove(d, n, c)), errRefused
			})
		},
	} {
		w.wantNothingStored(call, errRefused, do)
	}
	w.wantNothingStored("Create beyond the budget", department.ErrBudget, func(r *idempotency.Record) error {
		_, err := w.Departments.Create(ctx, "ops", w.creating("Ops", r, `"budget_percent":40.0001`))
		return err
	})
}

func departmentNoEffect(w *world) {
	w.createDepartment("Sales", full)
	w.hire("a", "Sales")
	w.hire("b", "Sales")
	for _, patch := range []string{`{}`, `{"autonomy_level":"locked"}`} {
		w.wantOnlyRecord("Update", func(r *idempotency.Record) error {
			_, err := w.Departments.Update(w.Context(), "sales", w.amending(patch, r))
			return err
		})
	}
	w.wantOnlyRecord("Reorder", func(r *idempotency.Record) error {
		_, err := w.Departments.Reorder(w.Context(), "sales", w.reordering(asTheyAre, r))
		return err
	})
}

func departmentUsedKey(w *world) {
	w.createDepartment("Sales")
	w.hire("a", "Sales")
	w.hire("b", "Sales")
	w.createDepartment("Empty")
	w.createDepartment("Another")
	empty := []string{"Empty", "Another"}
	ctx := w.Context()
	for call, do := range map[string]func(*idempotency.Record) error{
		"Create": func(r *idempotency.Record) error {
			title := "Ops " + w.id()
			_, err := w.Departments.Create(ctx, key(title), w.creating(title, r))
			return err
		},
		"Update": func(r *idempotency.Record) error {
			_, err := w.Departments.Update(ctx, "sales", w.amending(`{"description":"`+w.id()+`"}`, r))
			return err
		},
		"Reorder": func(r *idempotency.Record) error {
			_, err := w.Departments.Reorder(ctx, "sales", w.reordering(reversed, r))
			return err
		},
		"Delete": func(r *idempotency.Record) error {
			title := empty[0]
			empty = empty[1:]
			return w.Departments.Delete(ctx, key(title), w.deleting(r))
		},
	} {
		w.wantRecordOnce(call, do)
	}
}

func departmentDeleteRefused(w *world) {
	w.createDepartment("Sales")
	a := w.hire("a", "Sales")
	w.wantNothingStored("Delete", department.ErrNotEmpty, func(r *idempotency.Record) error {
		return w.Departments.Delete(w.Context(), "sales", w.deleting(r))
	})
	b := w.hire("b", "Sales") // it is open again
	w.createDepartment("Ops")
	c := w.hire("c", "Ops")
	w.change(c.ID(), `{"department":"Sales"}`)
	w.want("the agents", w.members("Sales"), []agent.ID{a.ID(), b.ID(), c.ID()})
}
