package portstest

import (
	"fmt"
	"testing"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

// AgentStore checks the promises of ports.AgentStore.
func AgentStore(t *testing.T, open func(t *testing.T) Stores) {
	run(t, open, map[string]func(*world){
		"CreateKeepsEverything":          agentCreate,
		"CreateTellsTheDepartmentsName":  agentDepartmentName,
		"FreeFormObjectsComeBackEqual":   agentFreeForm,
		"NamesAreAsWrittenAndComparedBy": agentNames,
		"UpdateKeepsEverything":          agentUpdate,
		"UnknownIsNotFound":              agentUnknown,
		"TakenNameIsRefused":             agentTakenName,
		"MissingDepartmentIsRefused":     agentMissingDepartment,
		"RenameFreesTheOldName":          agentRename,
		"MoveKeepsThePlace":              agentMove,
		"FailedChangeStoresNothing":      agentFailedChange,
		"NoEffectStoresOnlyTheRecord":    agentNoEffect,
		"UsedKeyIsRefused":               agentUsedKey,
		"DeleteFreesTheName":             agentDelete,
		"DeletedAgentKeepsItsHistory":    agentHistory,
		"DeletedAgentsAreListed":         agentDeleted,
		"RestoreKeepsEverything":         agentRestore,
		"RestoreIsRefused":               agentRestoreRefused,
		"OneRestores":                    agentRestoreParallel,
		"PurgeLeavesNothing":             agentPurge,
		"EveryStepLeavesItsAuditEntry":   agentAudit,
		"TraceByIdOutlivesTheAgent":      agentTrace,
		"FindAnswersWhoExists":           agentFind,
		"NamesByIDAreThoseOfNow":         namesByID,
		"FindTakesManyReferences":        agentFindMany,
		"CountsOfOneDepartment":          agentCounts,

		"ListIsInOrderOfPlace":       agentListOrder,
		"ListFilters":                agentListFilters,
		"ListEndsByBytes":            agentListBytes,
		"RecordsOfEndsByBytes":       agentRecordsOf,
		"PrefixOrdersNamesByBytes":   agentPrefixOrder,
		"PrefixIsPlainText":          agentPrefixText,
		"PagesWalkEveryAgentOnce":    agentPages,
		"CursorSurvivesOtherChanges": agentCursor,

		"SearchFindsPlainText":      searchPlainText,
		"SearchFindsRandomTexts":    searchRandomTexts,
		"SearchFilters":             searchFilters,
		"SearchEndsByWhatItLooksAt": searchCost,

		"ParallelUpdatesLoseNothing":    agentParallelUpdates,
		"ParallelNoEffectsCountNothing": agentParallelNoEffects,
		"ParallelHiresOfOneName":        agentParallelHires,
		"ParallelRenamesToOneName":      agentParallelRenames,
		"ParallelStepsOfOneKey":         agentParallelKey,
		"ParallelDeletesAndUpdates":     agentParallelDeletes,
		"ParallelMovesKeepTheCounts":    agentParallelMoves,
		"RefusalsHarmNobodyElse":        agentParallelRefusals,
		"WhoLeavesHarmsNobodyElse":      agentParallelLeavers,
		"ReadsSeeWholeSteps":            agentWholeSteps,
		"RandomStepsAsInTheModel":       agentModel,
		"LabelsAreStored":               labelsAreStored,
		"LabelsTellTheWayBack":          labelWayBack,
		"LabelsListTheirAgents":         labelOrder,
		"ParallelMovesOfOneLabel":       labelParallel,
		"LabelsBesideTheRule":           labelRule,
		"LabelsBesideAMove":             labelBesideMove,
	})
}

// rich sets every field of an agent that has a value of its own.
const rich = `"description":"line one\nline two\u0000\ud83d\ude00","level":"senior","status":"onboarding","hiring_date":"2020-02-29",
	"personality":{"traits":["kühn","b"],"communication_style":"terse","risk_tolerance":"high","openness":0.123456789012345678901,"verbosity":"terse"},
	"skills":{"primary":[{"id":"go","name":"Go","tags":["a"],"input_modes":[],"proficiency":0.25}],"secondary":[{"id":"sql","name":"SQL"}]},
	"model":{"provider":"p","model_id":"m","temperature":1.99,"max_tokens":9007199254740991,"fallback_model":"f","model_tier":"small"},
	"memory":{"type":"persistent","retention_days":30,"retention_overrides":[{"category":"social","retention_days":1}]},
	"tools":{"access_level":"custom","allowed":["b","a"],"denied":["c"],"mcp_capabilities":["x"],"sub_constraints":{"network":"open","network_allowlist":["e.org"]}},
	"authority":{"can_approve":["all"],"reports_to":"0190a5c4-0000-7000-8000-00000000aaaa","can_delegate_to":["0190a5c4-0000-7000-8000-00000000bbbb"],"budget_limit":999999999.999999999},
	"autonomy_level":"semi","strategic_output_mode":"advisor","instructions":"You are \"it\".",
	"personality_preset":"calm","tier":"large","owner":"https://idp.example.com|a \"b\" 😀","tags":["z","9.a_b-c","a"]`

// free is an object that only a store which keeps text as it is gives back.
const free = `{"":0,"$ne":{"$gt":""},"$where":"1","_id":"x","a.b":{"c.d":[]},"__proto__":{},"big":9007199254740993,"bigger":123456789012345678901234567890,
	"tiny":1e-400,"huge":1e+400,"precise":0.1000000000000000055,"null":null,"nested":[null,{"n":null},[]],"nul":"a\u0000b","\u0000":"key","emoji":"😀","é":"\u2028",
	"true":true,"date":{"$date":"2026-01-01T00:00:00Z"},"int":{"$numberLong":"1"}}`

func agentCreate(w *world) {
	w.createDepartment("Sales")
	for title, members := range map[string][]string{"Bob": nil, "Rich": {rich}} {
		a := w.hire(title, "Sales", members...)
		w.want("Agent by id", w.agent(a.ID()), a)
		got, err := w.Agents.Agent(w.Context(), byName(title))
		w.wantNil("Agent by name", err)
		w.want("Agent by name", got, a)
	}
}

func agentFreeForm(w *world) {
	w.createDepartment("Sales")
	for i, text := range []string{free, `{}`, `{"a":{}}`} {
		a := w.hire(fmt.Sprint("a", i), "Sales", `"metadata":`+text, `"model_requirement":`+text)
		w.want("Agent", w.agent(a.ID()), a)
		w.want("Versions", w.versions(a.ID())[0].Content, a.Identity)
		changed := w.change(a.ID(), `{"metadata":{"$inc":{"a.b":1}},"model_requirement":{"":{"x.y":[null]}}}`)
		w.want("Agent after a change", w.agent(a.ID()), changed)
	}
}

// scripts are names, each with another way to write it that is the same name.
var scripts = [][2]string{
	{"$Ne", "$nE"},
	{"%", "  %  "},
	{"A.b", "a.B"},
	{"Z", "z"},
	{"straße", "STRASSE"},
	{"Éa", "e\u0301A"},
	{"İ", "i\u0307"},
	{"ΜΆΪΟΣ", "μάϊος"},
	{"Ёж", "ёЖ"},
	{"مرحبا", "\tمرحبا"},
	{"東京", "東京\u3000"},
	{"ｱｲｳ", "ｱｲｳ "},
	{"😀", "😀\n"},
}

func agentDepartmentName(w *world) {
	w.createDepartment("Sales")
	for i, asked := range []string{"Sales", "sAlEs"} {
		id := agent.ID(w.id())
		got, err := w.Agents.Create(w.Context(), must(name.Parse(asked)), w.hiringAs(id, fmt.Sprint("agent ", i), nil))
		w.wantNil("Create", err)
		w.want("the department", got.Department().Text, "Sales")
		stored, err := w.Agents.Agent(w.Context(), byID(id))
		w.wantNil("Agent", err)
		w.want("Agent", stored, got)
		v, err := w.Identities.Version(w.Context(), id, 1)
		w.wantNil("Version", err)
		w.want("the version", v.Content, got.Identity)
		w.wantUnbroken(id, 1, false)
	}
}

func agentNames(w *world) {
	w.createDepartment("Sales")
	for _, pair := range scripts {
		a := w.hire(pair[0], "Sales")
		got, err := w.Agents.Agent(w.Context(), byName(pair[1]))
		w.wantNil(fmt.Sprintf("Agent(%q)", pair[1]), err)
		w.want("Agent", got, a)
		w.wantErr(fmt.Sprintf("Create(%q)", pair[1]), Hire(w.Context(), w.Agents, w.hiring(pair[1], "Sales")), agent.ErrExists)
	}
}

func agentUpdate(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	a := w.hire("Bob", "Sales")
	for _, patch := range []string{
		`{"name":"Bobby","level":"lead","metadata":{"a":1},"tier":"small"}`,
		`{"department":"Ops","status":"on_leave","description":"away"}`,
		`{"personality_preset":"x"}`, // outside the identity
		`{"owner":"ann","tags":["b","a"]}`,
		`{"name":"Bob","owner":"bob","tags":["a"]}`,
		`{"owner":null}`, `{"owner":"bob","tags":[]}`,
		`{"status":"terminated","tier":null,"owner":null,"tags":["c"]}`,
	} {
		want := must(w.changing(patch, nil)(a)).Step
		got, err := w.Agents.Update(w.Context(), identity.Ref{Name: a.Name().Key}, func(before agent.Agent) (ports.AgentChange, error) {
			w.want("the agent given to change", before, a)
			return agentStep(want, w.trailOf(nil)), nil
		})
		w.wantNil("Update", err)
		w.want("Update", got, want.Agent)
		w.want("Agent", w.agent(a.ID()), want.Agent)
		a = want.Agent
	}
}

func agentRename(w *world) {
	w.createDepartment("Sales")
	a := w.hire("Bob", "Sales")
	w.want("the name", w.change(a.ID(), `{"name":"BOB"}`).Name(), name.Name{Text: "BOB", Key: "bob"})
	w.change(a.ID(), `{"name":"Bobby"}`)
	_, err := w.Agents.Agent(w.Context(), byName("Bob"))
	w.wantErr("Agent by the old name", err, agent.ErrNotFound)
	_, _, err = w.Agents.Resolve(w.Context(), byName("Bob"))
	w.wantErr("Resolve by the old name", err, agent.ErrNotFound)
	second := w.hire("Bob", "Sales")
	w.fire(second.ID())
	w.want("the name", w.change(a.ID(), `{"name":"bob"}`).Name(), name.Name{Text: "bob", Key: "bob"})
}

func agentMove(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	a := w.hire("Bob", "Sales")
	b := w.hire("Ann", "Ops")
	w.want("the place after a move", w.change(a.ID(), `{"department":"Ops"}`).OrderKey, a.OrderKey)
	w.want("Sales", w.members("Sales"), nil)
	w.want("Ops", w.members("Ops"), []agent.ID{a.ID(), b.ID()})
}

func agentAudit(w *world) {
	w.createDepartment("Sales")
	s := w.hiring("Bob", "Sales")
	w.wantNil("Create", Hire(w.Context(), w.Agents, s))
	id := s.Agent.ID()
	want := []audit.Entry{s.Audit}
	for _, do := range []change{w.changing(`{"level":"lead"}`, nil), w.changing(`{"tier":"small"}`, nil), w.firing()} {
		want = append([]audit.Entry{must(do(w.agent(id))).Audit}, want...)
		w.update(id, do)
	}
	w.want("Entries", w.entries(audit.Agent(string(id))), want)
}
