package portstest

import (
	"errors"

	"orgd/domain/agent"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

func agentUnknown(w *world) {
	w.createDepartment("Sales")
	w.hire("Bob", "Sales")
	for _, ref := range []identity.Ref{byID(agent.ID(w.id())), byName("Ann"), byName("Bo"), byName("B%b"), byName("sales")} {
		_, err := w.Agents.Record(w.Context(), ref)
		w.wantErr("Record", err, agent.ErrNotFound)
		_, err = w.Agents.Agent(w.Context(), ref)
		w.wantErr("Agent", err, agent.ErrNotFound)
		_, err = w.Agents.Update(w.Context(), ref, w.changing(`{"level":"lead"}`, nil))
		w.wantErr("Update", err, agent.ErrNotFound)
		_, _, err = w.Agents.Resolve(w.Context(), ref)
		w.wantErr("Resolve", err, agent.ErrNotFound)
	}
}

func agentTakenName(w *world) {
	w.createDepartment("Sales")
	w.hire("Bob", "Sales")
	other := w.hire("Ann", "Sales")
	twin := w.hiring("bOB", "Sales")
	w.wantNothingStored("Create(bOB)", agent.ErrExists, func(r *idempotency.Record) error {
		twin.Idempotency = r
		return Hire(w.Context(), w.Agents, twin)
	}, twin.Agent.ID())
	_, _, err := w.Agents.Resolve(w.Context(), byID(twin.Agent.ID()))
	w.wantErr("Resolve of an agent that was refused", err, agent.ErrNotFound)
	w.wantNothingStored("Update to bOB", agent.ErrExists, func(r *idempotency.Record) error {
		_, err := w.Agents.Update(w.Context(), byID(other.ID()), w.changing(`{"name":"bOB","level":"vp"}`, r))
		return err
	})
	w.wantSame("Create(bOB)", Hire(w.Context(), w.Agents, w.hiring("bOB", "Sales")), agent.Taken("Bob"))
	_, err = w.Agents.Update(w.Context(), byID(other.ID()), w.changing(`{"name":"BOB"}`, nil))
	w.wantSame("Update to BOB", err, agent.Taken("Bob"))
}

func agentMissingDepartment(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Gone")
	w.wantNil("Delete", w.deleteDepartment("Gone"))
	a := w.hire("Bob", "Sales")
	for _, missing := range []string{"Gone", "Never", "Sale"} {
		s := w.hiring("Ann", missing)
		w.wantNothingStored("Create in "+missing, agent.ErrDepartment, func(r *idempotency.Record) error {
			s.Idempotency = r
			return Hire(w.Context(), w.Agents, s)
		}, s.Agent.ID())
		w.wantNothingStored("Update to "+missing, agent.ErrDepartment, func(r *idempotency.Record) error {
			_, err := w.Agents.Update(w.Context(), byID(a.ID()), w.changing(`{"level":"vp","department":"`+missing+`"}`, r))
			return err
		})
	}
	w.hire("Ann", "sAlEs") // a department is named in any letter case
	w.wantErr("Create of a name that is taken in no department", Hire(w.Context(), w.Agents, w.hiring("Bob", "Never")), agent.ErrDepartment)
}

var errRefused = errors.New("refused by the check")

func agentFailedChange(w *world) {
	w.createDepartment("Sales")
	a := w.hire("Bob", "Sales")
	for _, asked := range []string{"Sales", "sAlEs"} {
		id := agent.ID(w.id())
		w.wantNothingStored("Create in "+asked, errRefused, func(r *idempotency.Record) error {
			hire := w.hiringAs(id, "Ann", r)
			_, err := w.Agents.Create(w.Context(), must(name.Parse(asked)), func(department name.Name) (ports.AgentChange, error) {
				if department.Text == "Sales" {
					return ports.AgentChange{}, errRefused
				}
				return hire(department)
			})
			return err
		}, id)
	}
	w.wantNothingStored("Update", errRefused, func(r *idempotency.Record) error {
		_, err := w.Agents.Update(w.Context(), byID(a.ID()), func(a agent.Agent) (ports.AgentChange, error) {
			s := must(w.changing(`{"level":"vp"}`, r)(a))
			return s, errRefused
		})
		return err
	})
	w.wantNothingStored("Update with an illegal move", agent.ErrMove, func(r *idempotency.Record) error {
		_, err := w.Agents.Update(w.Context(), byID(a.ID()), w.changing(`{"status":"onboarding"}`, r))
		return err
	})
}

func agentNoEffect(w *world) {
	w.createDepartment("Sales")
	a := w.hire("Bob", "Sales", rich)
	for _, patch := range []string{`{}`, `{"level":"senior","department":"Sales","tier":"large"}`} {
		w.wantOnlyRecord("Update", func(r *idempotency.Record) error {
			got, err := w.Agents.Update(w.Context(), byID(a.ID()), w.changing(patch, r))
			w.want("Update", got, a)
			return err
		})
	}
}

func agentUsedKey(w *world) {
	w.createDepartment("Sales")
	titles := []string{"one", "two", "three"}
	w.wantRecordOnce("Create", func(r *idempotency.Record) error {
		s := w.hiring(titles[0], "Sales")
		s.Idempotency, titles = r, titles[1:]
		return Hire(w.Context(), w.Agents, s)
	})
	a := w.hire("Bob", "Sales")
	patches := []string{`{"level":"lead"}`, `{"level":"vp"}`}
	w.wantRecordOnce("Update", func(r *idempotency.Record) error {
		_, err := w.Agents.Update(w.Context(), byID(a.ID()), w.changing(patches[0], r))
		patches = patches[1:]
		return err
	})
	w.wantRecordOnce("Update without effect", func(r *idempotency.Record) error {
		_, err := w.Agents.Update(w.Context(), byID(a.ID()), w.changing(`{}`, r))
		return err
	})
}
