package portstest

import (
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/ports"
)

func departmentUnknown(w *world) {
	w.found("Sales")
	for _, k := range []name.Key{"Sales", "sale", "sales2", "%", "$ne"} {
		_, err := w.Departments.Department(w.Context(), k)
		w.wantErr("Department", err, department.ErrNotFound)
		_, err = w.Departments.Name(w.Context(), k)
		w.wantErr("Name", err, department.ErrNotFound)
		_, err = w.Departments.Update(w.Context(), k, w.amending(`{"description":"d"}`, nil))
		w.wantErr("Update", err, department.ErrNotFound)
		_, err = w.Departments.Reorder(w.Context(), k, w.reordering(reversed, nil))
		w.wantErr("Reorder", err, department.ErrNotFound)
		err = w.Departments.Delete(w.Context(), k, w.dissolving(nil))
		w.wantErr("Delete", err, department.ErrNotFound)
	}
}

func departmentTaken(w *world) {
	w.found("Sales")
	w.wantNothingStored("Create", department.ErrExists, func(r *receipt.Receipt) error {
		_, err := w.Departments.Create(w.Context(), "sales", w.founding("SALES", r))
		return err
	})
}

// failing is f with an error beside its step.
func failing[A, B any](f func(A, B) (ports.DepartmentStep, error)) func(A, B) (ports.DepartmentStep, error) {
	return func(a A, b B) (ports.DepartmentStep, error) { return must(f(a, b)), errRefused }
}

func departmentFailed(w *world) {
	w.found("Sales", `"budget_percent":60`)
	w.found("Empty")
	w.hire("Bob", "Sales")
	ctx := w.Context()
	for call, do := range map[string]func(*receipt.Receipt) error{
		"Create": func(r *receipt.Receipt) error {
			_, err := w.Departments.Create(ctx, "ops", failing(w.founding("Ops", r)))
			return err
		},
		"Update": func(r *receipt.Receipt) error {
			_, err := w.Departments.Update(ctx, "sales", failing(w.amending(`{"description":"d"}`, r)))
			return err
		},
		"Delete": func(r *receipt.Receipt) error {
			remove := w.dissolving(r)
			return w.Departments.Delete(ctx, "empty", func(d department.Department, n int64, c company.Company) (ports.DepartmentStep, error) {
				return must(remove(d, n, c)), errRefused
			})
		},
	} {
		w.wantNothingStored(call, errRefused, do)
	}
	w.wantNothingStored("Create beyond the budget", department.ErrBudget, func(r *receipt.Receipt) error {
		_, err := w.Departments.Create(ctx, "ops", w.founding("Ops", r, `"budget_percent":40.0001`))
		return err
	})
}

func departmentNoEffect(w *world) {
	w.found("Sales", full)
	w.hire("a", "Sales")
	w.hire("b", "Sales")
	for _, patch := range []string{`{}`, `{"autonomy_level":"locked"}`} {
		w.wantOnlyReceipt("Update", func(r *receipt.Receipt) error {
			_, err := w.Departments.Update(w.Context(), "sales", w.amending(patch, r))
			return err
		})
	}
	w.wantOnlyReceipt("Reorder", func(r *receipt.Receipt) error {
		_, err := w.Departments.Reorder(w.Context(), "sales", w.reordering(asTheyAre, r))
		return err
	})
}

func departmentUsedReceipt(w *world) {
	w.found("Sales")
	w.hire("a", "Sales")
	w.hire("b", "Sales")
	w.found("Empty")
	w.found("Another")
	empty := []string{"Empty", "Another"}
	ctx := w.Context()
	for call, do := range map[string]func(*receipt.Receipt) error{
		"Create": func(r *receipt.Receipt) error {
			title := "Ops " + w.id()
			_, err := w.Departments.Create(ctx, key(title), w.founding(title, r))
			return err
		},
		"Update": func(r *receipt.Receipt) error {
			_, err := w.Departments.Update(ctx, "sales", w.amending(`{"description":"`+w.id()+`"}`, r))
			return err
		},
		"Reorder": func(r *receipt.Receipt) error {
			_, err := w.Departments.Reorder(ctx, "sales", w.reordering(reversed, r))
			return err
		},
		"Delete": func(r *receipt.Receipt) error {
			title := empty[0]
			empty = empty[1:]
			return w.Departments.Delete(ctx, key(title), w.dissolving(r))
		},
	} {
		w.wantReceiptOnce(call, do)
	}
}

func departmentDeleteRefused(w *world) {
	w.found("Sales")
	a := w.hire("a", "Sales")
	w.wantNothingStored("Delete", department.ErrNotEmpty, func(r *receipt.Receipt) error {
		return w.Departments.Delete(w.Context(), "sales", w.dissolving(r))
	})
	b := w.hire("b", "Sales") // it is open again
	w.found("Ops")
	c := w.hire("c", "Ops")
	w.change(c.ID(), `{"department":"Sales"}`)
	w.want("the agents", w.members("Sales"), []agent.ID{a.ID(), b.ID(), c.ID()})
}
