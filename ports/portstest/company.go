package portstest

import (
	"fmt"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/idempotency"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
)

// CompanyStore checks the promises of ports.CompanyStore.
func CompanyStore(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"BeginsAsTheDefault":           companyDefault,
		"UpdateKeepsEverything":        companyUpdate,
		"ReorderIsTheDepartmentsOrder": companyReorder,
		"FailedChangeStoresNothing":    companyFailed,
		"NoEffectStoresOnlyTheRecord":  companyNoEffect,
		"UsedKeyIsRefused":             companyUsedKey,
		"EveryStepLeavesItsAuditEntry": companyAudit,
		"CostsOfTasksAreNoticed":       companyCosts(activity.Measures{Finished: true, Cost: new(money.Amount(1))}),
		"CostsIncurredAreNoticed":      companyCosts(activity.Measures{Incurred: new(money.Amount(1))}),
		"ParallelUpdatesLoseNothing":   companyParallelUpdates,
		"ParallelReordersArePermuting": companyParallelReorders,
	})
}

func companyDefault(w *world) {
	got := w.company()
	w.want("Company", got, company.Default(got.UpdatedAt))
	w.want("Company again", w.company(), got)
	_, err := w.Company.Update(w.Context(), func(c company.Company, costs bool) (ports.Change[company.Company], error) {
		w.want("the company given to change", c, got)
		w.want("the costs given to change", costs, false)
		return ports.Change[company.Company]{}, errRefused
	})
	w.wantErr("Update", err, errRefused)
}

func companyUpdate(w *world) {
	w.createDepartment("Sales")
	for _, patch := range []string{
		`{"company_name":"é\u0000 AG","autonomy_level":"full","budget_monthly":999999999.999999999,"currency":"EUR","communication_pattern":"$ne"}`,
		`{"settings":` + free + `}`,
		`{"settings":{"$ne":null,"a.b":{"c.d":[null]}}}`,
	} {
		before, do := w.company(), w.directing(patch, nil)
		want := must(do(before, false)).State
		got, err := w.Company.Update(w.Context(), func(c company.Company, costs bool) (ports.Change[company.Company], error) {
			w.want("the company given to change", c, before)
			return do(c, costs)
		})
		w.wantNil("Update", err)
		w.want("Update", got, want)
		w.want("Company", w.company(), want)
	}
}

func companyReorder(w *world) {
	for _, title := range []string{"a", "b", "c"} {
		w.createDepartment(title)
	}
	want := []name.Key{"c", "a", "b"}
	before := w.company()
	w.arrange(want)
	after := w.company()
	w.want("the departments", w.departments(2), want)
	w.want("the slots", slotted(after), want)
	w.want("the revision", after.Revision, before.Revision+1)
	w.want("the revision of a department", w.department("a").Revision, int64(1))
	w.createDepartment("d")
	w.want("the departments", w.departments(2), append(want, "d"))
	w.wantNil("Delete", w.deleteDepartment("a"))
	w.want("the departments", w.departments(2), []name.Key{"c", "b", "d"})
}

func companyFailed(w *world) {
	w.createDepartment("a")
	w.createDepartment("b")
	w.wantNothingStored("Update", errRefused, func(r *idempotency.Record) error {
		do := w.directing(`{"company_name":"x"}`, r)
		_, err := w.Company.Update(w.Context(), func(c company.Company, costs bool) (ports.Change[company.Company], error) {
			return must(do(c, costs)), errRefused
		})
		return err
	})
	w.wantNothingStored("Update to half an order", company.ErrPermutation, func(r *idempotency.Record) error {
		_, err := w.Company.Update(w.Context(), w.arranging([]name.Key{"a"}, r))
		return err
	})
}

func companyNoEffect(w *world) {
	w.createDepartment("a")
	w.createDepartment("b")
	w.wantOnlyRecord("Update", func(r *idempotency.Record) error {
		_, err := w.Company.Update(w.Context(), w.directing(`{"company_name":"Company"}`, r))
		return err
	})
	w.wantOnlyRecord("Update to the order that is there", func(r *idempotency.Record) error {
		_, err := w.Company.Update(w.Context(), w.arranging([]name.Key{"a", "b"}, r))
		return err
	})
}

func companyUsedKey(w *world) {
	orders := [][]name.Key{{"b", "a"}, {"a", "b"}}
	w.createDepartment("a")
	w.createDepartment("b")
	w.wantRecordOnce("Update", func(r *idempotency.Record) error {
		order := orders[0]
		orders = orders[1:]
		_, err := w.Company.Update(w.Context(), w.arranging(order, r))
		return err
	})
}

func companyAudit(w *world) {
	do := w.directing(`{"company_name":"x"}`, nil)
	want := must(do(w.company(), false)).Audit
	_, err := w.Company.Update(w.Context(), do)
	w.wantNil("Update", err)
	w.want("Entries", w.entries(audit.Company), []audit.Entry{want})
}

// companyCosts checks that a measure counts as a recorded cost, also when its
// event has been deleted.
func companyCosts(m activity.Measures) func(*world) {
	return func(w *world) {
		id := agent.ID(w.id())
		w.report(w.reporting(id, epoch, measuring(activity.Measures{Finished: true, Tokens: new(int64(1))})))
		w.wantCosts("before any", false)
		w.report(w.reporting(id, epoch, measuring(m)))
		w.wantCosts("after one", true)
		w.deleteExpired(ports.Expiry{Events: epoch.Add(time.Hour)})
		w.wantCosts("after it was forgotten", true)
	}
}

func (w *world) wantCosts(when string, want bool) {
	w.Helper()
	_, err := w.Company.Update(w.Context(), func(_ company.Company, costs bool) (ports.Change[company.Company], error) {
		w.want("costs "+when, costs, want)
		return ports.Change[company.Company]{}, errRefused
	})
	w.wantErr("Update", err, errRefused)
	got, err := w.Company.Costs(w.Context())
	w.wantNil("Costs", err)
	w.want("Costs "+when, got, want)
}

func companyParallelUpdates(w *world) {
	const each = 6
	errs := atOnce(crowd, func(i int) error {
		for j := range each {
			patch := fmt.Sprintf(`{"settings":{"%d.%d":%d}}`, i, j, j)
			if _, err := w.Company.Update(w.Context(), w.directing(patch, nil)); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("Update", errs)
	c := w.company()
	w.want("the revision", c.Revision, int64(1+crowd*each))
	w.want("the members of the settings", len(c.Settings.Value().Members()), crowd*each)
	w.want("the number of audit entries", len(w.entries(audit.Company)), crowd*each)
}

// companyParallelReorders reorders departments that come and go.
func companyParallelReorders(w *world) {
	for i := range 5 {
		w.createDepartment(fmt.Sprint("stays ", i))
	}
	errs := atOnce(8, func(i int) error {
		title := fmt.Sprint("passes ", i)
		for range 4 {
			if i < 4 {
				if _, err := w.Company.Update(w.Context(), w.companyStep(nil, turned)); err != nil {
					return err
				}
				continue
			}
			if _, err := w.Departments.Create(w.Context(), key(title), w.creating(title, nil)); err != nil {
				return err
			}
			if err := w.deleteDepartment(title); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("reordering, creating and deleting", errs)
	c := w.company()
	w.want("the departments", w.departments(2), slotted(c))
	w.want("the number of departments", len(c.Slots), 5)
	w.want("the revision", c.Revision, int64(1+5+4*4+2*4*4))
}

// turned puts the first department behind the last.
func turned(c company.Company, _ bool, at time.Time) (company.Company, error) {
	order := slotted(c)
	return c.Reorder(append(order[1:], order[0]), at)
}
