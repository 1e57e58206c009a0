package portstest

import (
	"fmt"
	"slices"
	"testing"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/ports"
)

// DepartmentStore checks the promises of ports.DepartmentStore.
func DepartmentStore(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"CreateKeepsEverything":        departmentCreate,
		"NamesAreAsWritten":            departmentNames,
		"UpdateKeepsEverything":        departmentUpdate,
		"UnknownIsNotFound":            departmentUnknown,
		"TakenNameIsRefused":           departmentTaken,
		"FailedStepStoresNothing":      departmentFailed,
		"NoEffectStoresOnlyTheReceipt": departmentNoEffect,
		"UsedReceiptIsRefused":         departmentUsedReceipt,
		"EveryStepLeavesItsAuditEntry": departmentAudit,
		"DeleteFreesTheName":           departmentDelete,
		"DeleteCountsAgents":           departmentDeleteCounts,
		"RefusedDeleteChangesNothing":  departmentDeleteRefused,
		"SharesAreSummedUp":            departmentShares,
		"PagesWalkEveryOneInOrder":     departmentPages,
		"CursorSurvivesOtherChanges":   departmentCursor,

		"ReorderPutsAgentsInOrder":     departmentReorder,
		"ReorderLeavesOthersAlone":     departmentReorderOthers,
		"ReorderIsNoChangeOfAnAgent":   departmentReorderRevisions,
		"FailedReorderStoresNothing":   departmentReorderFailed,
		"ReorderOfManyAgents":          departmentReorderMany,
		"ReorderBesideHiresAndDeletes": departmentReorderParallel,
		"ReorderBesideUpdatesOfAgents": departmentReorderUpdates,

		"ParallelUpdatesLoseNothing":  departmentParallelUpdates,
		"ParallelCreatesOfOneName":    departmentParallelCreates,
		"ParallelCreatesLoseNothing":  departmentParallelSeats,
		"ParallelCreatesKeepBudget":   departmentParallelBudget,
		"ParallelUpdatesKeepBudget":   departmentParallelShares,
		"ParallelDeleteAndHire":       departmentDeleteHire,
		"ParallelDeleteAndMove":       departmentDeleteMove,
		"ParallelDeletesHappenOnce":   departmentParallelDeletes,
		"ParallelStepsOfOneReceipt":   departmentParallelReceipts,
		"ParallelDeletesAndRecreates": departmentParallelLives,
	})
}

// full sets every field of a department.
const full = `"description":"é\u0000\n","head":"0190a5c4-0000-7000-8000-00000000aaaa","budget_percent":33.3333,"autonomy_level":"locked",
	"teams":[{"name":"Übel","lead":"0190a5c4-0000-7000-8000-00000000aaaa","members":["0190a5c4-0000-7000-8000-00000000bbbb"]},{"name":"$b.c"}],
	"reporting_lines":[{"subordinate":"0190a5c4-0000-7000-8000-00000000aaaa","supervisor":"0190a5c4-0000-7000-8000-00000000bbbb"}],
	"policies":{"review_requirements":{"min_reviewers":0,"required_reviewer_roles":["r"],"self_review_allowed":true},
	"approval_chains":[{"action_type":"$ne","approvers":["a","b"],"min_approvals":1}]},
	"ceremony_policy":{"strategy":"hybrid","strategy_config":{"":[null,9007199254740993],"a.b":{"$ne":1}},"transition_threshold":0.1}`

// wantDepartment reads a department that has to be as it was stored, on the
// place of the company that it was stored with.
func (w *world) wantDepartment(want department.Department) {
	w.Helper()
	for _, s := range w.company().Seats {
		if s.Department == want.Name.Key {
			want.Place = s.Place
		}
	}
	if want.Place == "" {
		w.Errorf("the company has no seat for %s", want.Name.Text)
	}
	w.want("Department", w.department(want.Name.Text), want)
}

func departmentCreate(w *world) {
	for title, members := range map[string][]string{"Sales": nil, "Ops": {full}} {
		do := w.founding(title, nil, members...)
		var want department.Department
		got, err := w.Departments.Create(w.Context(), key(title), func(c company.Company, shares money.Percent) (ports.DepartmentStep, error) {
			s, err := do(c, shares)
			want = s.Department
			return s, err
		})
		w.wantNil("Create", err)
		got.Place = want.Place // is of the company
		w.want("Create", got, want)
		w.wantDepartment(want)
	}
}

func departmentNames(w *world) {
	for _, pair := range scripts {
		w.found(pair[0])
		w.want(fmt.Sprintf("the name of Department(%q)", pair[1]), w.department(pair[1]).Name.Text, pair[0])
		_, err := w.Departments.Create(w.Context(), key(pair[1]), w.founding(pair[1], nil))
		w.wantErr(fmt.Sprintf("Create(%q)", pair[1]), err, department.ErrExists)
	}
}

func departmentUpdate(w *world) {
	w.found("Sales", full)
	for _, patch := range []string{`{"description":"d"}`, `{"head":null,"teams":[]}`, `{"ceremony_policy":null}`, `{"ceremony_policy":{}}`} {
		before, do := w.department("Sales"), w.amending(patch, nil)
		want := must(do(before, 0)).Department
		got, err := w.Departments.Update(w.Context(), "sales", func(d department.Department, others money.Percent) (ports.DepartmentStep, error) {
			w.want("the department given to change", d, before)
			return do(d, others)
		})
		w.wantNil("Update", err)
		w.want("Update", got, want)
		w.wantDepartment(want)
	}
}

func departmentUnknown(w *world) {
	w.found("Sales")
	for _, k := range []name.Key{"Sales", "sale", "sales2", "%", "$ne"} {
		_, err := w.Departments.Department(w.Context(), k)
		w.wantErr("Department", err, department.ErrNotFound)
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

func departmentAudit(w *world) {
	create, update, remove := w.founding("Sales", nil), w.amending(`{"description":"d"}`, nil), w.dissolving(nil)
	want := []audit.Entry{must(create(w.company(), 0)).Audit}
	d, err := w.Departments.Create(w.Context(), "sales", create)
	w.wantNil("Create", err)
	want = append(want, must(update(d, 0)).Audit)
	d, err = w.Departments.Update(w.Context(), "sales", update)
	w.wantNil("Update", err)
	want = append(want, must(remove(d, 0, w.company())).Audit)
	w.wantNil("Delete", w.Departments.Delete(w.Context(), "sales", remove))
	slices.Reverse(want)
	w.want("Entries", w.entries(audit.Department("Sales")), want)
}

func departmentDelete(w *world) {
	first := w.found("Sales", `"budget_percent":100`)
	w.found("Ops")
	w.wantNil("Delete", w.dissolve("Sales"))
	_, err := w.Departments.Department(w.Context(), "sales")
	w.wantErr("Department", err, department.ErrNotFound)
	w.want("the departments", w.departments(10), []name.Key{"ops"})
	w.want("the seats", len(w.company().Seats), 1)
	w.wantErr("Delete again", w.dissolve("Sales"), department.ErrNotFound)

	second := w.found("SALES", `"budget_percent":100`)
	w.want("the revision of the second department", second.Revision, int64(1))
	if second.ID == first.ID {
		w.Errorf("the second department has the id of the first")
	}
	w.wantDepartment(second)
	w.want("the departments", w.departments(10), []name.Key{"ops", "sales"})
}

func departmentDeleteCounts(w *world) {
	w.found("Sales")
	w.found("Ops")
	a := w.hire("a", "Sales", `"status":"terminated"`)
	w.hire("b", "Ops")
	check := func(want int64) error {
		before, remove := w.department("Sales"), w.dissolving(nil)
		return w.Departments.Delete(w.Context(), "sales", func(d department.Department, agents int64, c company.Company) (ports.DepartmentStep, error) {
			w.want("the number of agents", agents, want)
			w.want("the department", d, before)
			return remove(d, agents, c)
		})
	}
	w.wantErr("Delete", check(1), department.ErrNotEmpty)
	w.fire(a.ID())
	w.wantNil("Delete", check(0))
	w.want("the agents of Ops", len(w.members("Ops")), 1)
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

func departmentShares(w *world) {
	for i, share := range []string{"0.0001", "33.3333", "50"} {
		title := fmt.Sprint("d", i)
		do := w.founding(title, nil, `"budget_percent":`+share)
		_, err := w.Departments.Create(w.Context(), key(title), func(c company.Company, shares money.Percent) (ports.DepartmentStep, error) {
			w.want("the shares given to Create", shares, []money.Percent{0, 1, 333_334}[i])
			return do(c, shares)
		})
		w.wantNil("Create", err)
	}
	update := func(title, patch string, others money.Percent) {
		do := w.amending(patch, nil)
		_, err := w.Departments.Update(w.Context(), key(title), func(d department.Department, got money.Percent) (ports.DepartmentStep, error) {
			w.want("the shares given to Update", got, others)
			return do(d, got)
		})
		w.wantNil("Update", err)
	}
	update("d1", `{"budget_percent":0}`, 500_001)
	update("d0", `{}`, 500_000)
	w.wantNil("Delete", w.dissolve("d2"))
	update("d1", `{"budget_percent":99.9999}`, 1)
}

func departmentPages(w *world) {
	w.want("Departments of an empty storage", w.departments(1), nil)
	var want []name.Key
	for _, title := range []string{"b", "B2", "a", "Z", "é", "_"} {
		want = append(want, w.found(title).Name.Key)
	}
	for _, order := range [][]name.Key{want, {"é", "z", "b2", "_", "a", "b"}} {
		w.arrange(order)
		for limit := 1; limit <= len(order)+1; limit++ {
			w.want(fmt.Sprintf("Departments in pages of %d", limit), w.departments(limit), order)
		}
	}
	for _, d := range must(w.Departments.Departments(w.Context(), "", 100)) {
		w.wantDepartment(d)
	}
}

// arrange puts the departments into an order.
func (w *world) arrange(order []name.Key) {
	w.Helper()
	_, err := w.Company.Update(w.Context(), w.arranging(order, nil))
	w.wantNil("Update", err)
}

func departmentCursor(w *world) {
	var want []name.Key
	for i := range 6 {
		want = append(want, w.found(fmt.Sprint("stays ", i)).Name.Key)
	}
	w.found("goes")
	seen := walk(w, 2, func(last *department.Department) ([]department.Department, error) {
		var after company.Place
		if last != nil {
			after = last.Place
			w.wantNil("Delete", w.dissolve("goes"))
			w.found("goes")
		}
		return w.Departments.Departments(w.Context(), after, 2)
	})
	var got []name.Key
	for _, d := range seen {
		got = append(got, d.Name.Key)
	}
	got = slices.DeleteFunc(got, func(k name.Key) bool { return k == "goes" })
	w.want("Departments while others come and go", got, want)

	after := w.department("stays 2").Place
	w.wantNil("Delete", w.dissolve("stays 2"))
	rest, err := w.Departments.Departments(w.Context(), after, 2)
	w.wantNil("Departments behind one that has gone", err)
	if len(rest) == 0 || rest[0].Name.Key != want[3] {
		w.Errorf("Departments behind one that has gone = %+v, want %s first", rest, want[3])
	}
}
