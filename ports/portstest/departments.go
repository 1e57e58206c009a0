package portstest

import (
	"fmt"
	"slices"
	"testing"

	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
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
		"NoEffectStoresOnlyTheRecord":  departmentNoEffect,
		"UsedKeyIsRefused":             departmentUsedKey,
		"EveryStepLeavesItsAuditEntry": departmentAudit,
		"DeleteFreesTheName":           departmentDelete,
		"DeleteCountsAgents":           departmentDeleteCounts,
		"RefusedDeleteChangesNothing":  departmentDeleteRefused,
		"SharesAreSummedUp":            departmentShares,
		"PagesWalkEveryOneInOrder":     departmentPages,
		"ListEndsByBytes":              departmentBytes,
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
		"ParallelCreatesLoseNothing":  departmentParallelSlots,
		"ParallelCreatesKeepBudget":   departmentParallelBudget,
		"ParallelUpdatesKeepBudget":   departmentParallelShares,
		"ParallelDeleteAndHire":       departmentDeleteHire,
		"ParallelDeleteAndMove":       departmentDeleteMove,
		"ParallelDeletesHappenOnce":   departmentParallelDeletes,
		"ParallelStepsOfOneKey":       departmentParallelKey,
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
	for _, s := range w.company().Slots {
		if s.Department == want.Name.Key {
			want.OrderKey = s.OrderKey
		}
	}
	if want.OrderKey == "" {
		w.Errorf("the company has no slot for %s", want.Name.Text)
	}
	w.want("Department", w.department(want.Name.Text), want)
}

func departmentCreate(w *world) {
	for title, members := range map[string][]string{"Sales": nil, "Ops": {full}} {
		do := w.creating(title, nil, members...)
		var want department.Department
		got, err := w.Departments.Create(w.Context(), key(title), func(c company.Company, shares money.Percent) (ports.DepartmentChange, error) {
			s, err := do(c, shares)
			want = s.State
			return s, err
		})
		w.wantNil("Create", err)
		got.OrderKey = want.OrderKey // is of the company
		w.want("Create", got, want)
		w.wantDepartment(want)
	}
}

func departmentNames(w *world) {
	for _, pair := range scripts {
		w.createDepartment(pair[0])
		w.want(fmt.Sprintf("the name of Department(%q)", pair[1]), w.department(pair[1]).Name.Text, pair[0])
		n, err := w.Departments.Name(w.Context(), key(pair[1]))
		w.wantNil("Name", err)
		w.want(fmt.Sprintf("Name(%q)", pair[1]), n, w.department(pair[0]).Name)
		_, err = w.Departments.Create(w.Context(), key(pair[1]), w.creating(pair[1], nil))
		w.wantErr(fmt.Sprintf("Create(%q)", pair[1]), err, department.ErrExists)
	}
}

func departmentUpdate(w *world) {
	w.createDepartment("Sales", full)
	for _, patch := range []string{`{"description":"d"}`, `{"head":null,"teams":[]}`, `{"ceremony_policy":null}`, `{"ceremony_policy":{}}`} {
		before, do := w.department("Sales"), w.amending(patch, nil)
		want := must(do(before, 0)).State
		got, err := w.Departments.Update(w.Context(), "sales", func(d department.Department, others money.Percent) (ports.DepartmentChange, error) {
			w.want("the department given to change", d, before)
			return do(d, others)
		})
		w.wantNil("Update", err)
		w.want("Update", got, want)
		w.wantDepartment(want)
	}
}

func departmentAudit(w *world) {
	create, update, remove := w.creating("Sales", nil), w.amending(`{"description":"d"}`, nil), w.deleting(nil)
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
	first := w.createDepartment("Sales", `"budget_percent":100`)
	w.createDepartment("Ops")
	w.wantNil("Delete", w.deleteDepartment("Sales"))
	_, err := w.Departments.Department(w.Context(), "sales")
	w.wantErr("Department", err, department.ErrNotFound)
	w.want("the departments", w.departments(10), []name.Key{"ops"})
	w.want("the slots", len(w.company().Slots), 1)
	w.wantErr("Delete again", w.deleteDepartment("Sales"), department.ErrNotFound)

	second := w.createDepartment("SALES", `"budget_percent":100`)
	w.want("the revision of the second department", second.Revision, int64(1))
	if second.ID == first.ID {
		w.Errorf("the second department has the id of the first")
	}
	w.wantDepartment(second)
	w.want("the departments", w.departments(10), []name.Key{"ops", "sales"})
}

func departmentDeleteCounts(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	a := w.hire("a", "Sales", `"status":"terminated"`)
	w.hire("b", "Ops")
	check := func(want int64) error {
		before, remove := w.department("Sales"), w.deleting(nil)
		return w.Departments.Delete(w.Context(), "sales", func(d department.Department, agents int64, c company.Company) (ports.DepartmentChange, error) {
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
