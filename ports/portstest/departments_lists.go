package portstest

import (
	"context"
	"fmt"
	"slices"

	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
)

func departmentShares(w *world) {
	for i, share := range []string{"0.0001", "33.3333", "50"} {
		title := fmt.Sprint("d", i)
		do := w.creating(title, nil, `"budget_percent":`+share)
		_, err := w.Departments.Create(w.Context(), key(title), func(c company.Company, shares money.Percent) (ports.DepartmentChange, error) {
			w.want("the shares given to Create", shares, []money.Percent{0, 1, 333_334}[i])
			return do(c, shares)
		})
		w.wantNil("Create", err)
	}
	update := func(title, patch string, others money.Percent) {
		do := w.amending(patch, nil)
		_, err := w.Departments.Update(w.Context(), key(title), func(d department.Department, got money.Percent) (ports.DepartmentChange, error) {
			w.want("the shares given to Update", got, others)
			return do(d, got)
		})
		w.wantNil("Update", err)
	}
	update("d1", `{"budget_percent":0}`, 500_001)
	update("d0", `{}`, 500_000)
	w.wantNil("Delete", w.deleteDepartment("d2"))
	update("d1", `{"budget_percent":99.9999}`, 1)
}

func departmentPages(w *world) {
	w.want("Departments of an empty storage", w.departments(1), nil)
	var want []name.Key
	for _, title := range []string{"b", "B2", "a", "Z", "é", "_"} {
		want = append(want, w.createDepartment(title).Name.Key)
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

func departmentBytes(w *world) {
	var want []name.Key
	for i := range 12 {
		members := fmt.Sprintf(`"policies":{"review_requirements":{"required_reviewer_roles":%s},"approval_chains":[{"action_type":"a","approvers":%[1]s}]}`, longTexts(i))
		want = append(want, w.createDepartment(fmt.Sprintf("large %02d", i), members).Name.Key)
	}
	var got []name.Key
	for _, d := range shortPages(w, len(want), func(ctx context.Context, last *department.Department) ([]department.Department, error) {
		var after company.OrderKey
		if last != nil {
			after = last.OrderKey
		}
		return w.Departments.Departments(ctx, after, len(want))
	}) {
		got = append(got, d.Name.Key)
	}
	w.want("all Departments", got, want)
}

func departmentCursor(w *world) {
	var want []name.Key
	for i := range 6 {
		want = append(want, w.createDepartment(fmt.Sprint("stays ", i)).Name.Key)
	}
	w.createDepartment("goes")
	seen := walk(w, 2, func(last *department.Department) ([]department.Department, error) {
		var after company.OrderKey
		if last != nil {
			after = last.OrderKey
			w.wantNil("Delete", w.deleteDepartment("goes"))
			w.createDepartment("goes")
		}
		return w.Departments.Departments(w.Context(), after, 2)
	})
	var got []name.Key
	for _, d := range seen {
		got = append(got, d.Name.Key)
	}
	got = slices.DeleteFunc(got, func(k name.Key) bool { return k == "goes" })
	w.want("Departments while others come and go", got, want)

	after := w.department("stays 2").OrderKey
	w.wantNil("Delete", w.deleteDepartment("stays 2"))
	rest, err := w.Departments.Departments(w.Context(), after, 2)
	w.wantNil("Departments behind one that has gone", err)
	if len(rest) == 0 || rest[0].Name.Key != want[3] {
		w.Errorf("Departments behind one that has gone = %+v, want %s first", rest, want[3])
	}
}
