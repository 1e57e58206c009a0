package faults

import (
	"fmt"
	"math"
	"net/http"
	"testing"

	"github.com/anishathalye/porcupine"
)

// The operations of a mixed history.
const (
	toRead     = "read"
	toChange   = "change"
	toRollBack = "roll back"
	toDelete   = "delete"
	toCreate   = "create"
)

// ask is one operation on the agent of a name. Each text is written by one
// operation only, so the text with which an agent is created stands for it.
type ask struct {
	what      string
	text      string // of toChange and toCreate
	agent     string // whose id If-Match and toRollBack name
	condition int64  // the revision that If-Match names, or 0
	target    int64  // the version that toRollBack names
}

// reply is what came back.
type reply struct {
	unknown      bool // no answer, or one that says that nobody knows
	status, code int
	agent        string // of a success, and so are
	revision     int64
	text         string
}

// bearer is the agent that has a name. The versions of the agent are in [careers].
type bearer struct {
	agent    string // "" if nobody has the name
	revision int64
	left     int // operations with a known outcome that are still to come
}

// careers are the versions of all agents, by the texts with which these were
// created, as they are when everything is over.
//
// They are part of what the service has told, so an order of the history must
// agree with them: a version never changes, and none goes. Knowing them from the
// beginning keeps the search from trying what an operation without an answer
// might have done: what became of it is written there.
type careers map[string][]versionText

// versionText is the text of a version, and the version that it was taken from
// again, or 0.
type versionText struct {
	text string
	from int64
}

// model is the agent of one name for the checker of linearizability. An operation
// whose outcome is unknown takes effect at any time after it was asked for, or
// never: that is, when all others are over, and nobody can tell.
func (k careers) model(history []porcupine.Operation) porcupine.Model {
	known := 0
	for _, op := range history {
		if !op.Output.(reply).unknown {
			known++
		}
	}
	return porcupine.Model{
		Init: func() any { return bearer{left: known} },
		Step: func(state, in, out any) (bool, any) {
			return k.step(state.(bearer), in.(ask), out.(reply))
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v = %+v", in, out) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// step says whether the service may answer so, and what the name stands for then.
func (k careers) step(s bearer, in ask, out reply) (bool, bearer) {
	next, answer := k.effect(s, in)
	switch {
	case out.unknown && s.left == 0:
		return true, s
	case out.unknown:
		return next != s && k.agree(s, next), next
	}
	ok := out == answer && k.agree(s, next)
	next.left--
	return ok, next
}

// agree reports whether the careers tell of a step.
func (k careers) agree(s, next bearer) bool {
	switch {
	case next.agent == "" && s.agent != "": // nothing happens to an agent that is gone
		return s.revision == int64(len(k[s.agent]))
	case next.agent == "":
		return true
	}
	return next.revision <= int64(len(k[next.agent]))
}

// at returns a version of an agent, or one that no operation makes.
func (k careers) at(agent string, number int64) versionText {
	if all := k[agent]; 0 < number && number <= int64(len(all)) {
		return all[number-1]
	}
	return versionText{from: math.MaxInt64}
}

// effect is what an operation does to a name, and the right answer.
func (k careers) effect(s bearer, in ask) (bearer, reply) {
	switch {
	case s.agent == "" && in.what == toCreate:
		next := bearer{in.text, 1, s.left}
		return k.grown(s, next, http.StatusCreated, versionText{text: in.text})
	case in.what == toCreate:
		return s, reply{status: http.StatusConflict, code: 4001}
	case s.agent == "" || in.what == toRollBack && in.agent != s.agent:
		return s, reply{status: http.StatusNotFound, code: 3000}
	case in.condition > 0 && (in.condition != s.revision || in.agent != s.agent):
		return s, reply{status: http.StatusConflict, code: 4002}
	case in.what == toRead:
		return s, reply{status: http.StatusOK, agent: s.agent, revision: s.revision, text: k.at(s.agent, s.revision).text}
	case in.what == toDelete:
		return bearer{left: s.left}, reply{status: http.StatusNoContent}
	case in.what == toChange:
		return k.grown(s, bearer{s.agent, s.revision + 1, s.left}, http.StatusOK, versionText{text: in.text})
	}
	text := k.at(s.agent, in.target).text
	if in.target > s.revision {
		return s, reply{status: http.StatusNotFound, code: 3000}
	}
	if text == k.at(s.agent, s.revision).text { // there is nothing to do
		return s, reply{status: http.StatusOK, agent: s.agent, revision: s.revision, text: text}
	}
	return k.grown(s, bearer{s.agent, s.revision + 1, s.left}, http.StatusOK, versionText{text, in.target})
}

// grown is a step that makes a version. If the careers have another one there, it
// has no right answer and no effect.
func (k careers) grown(s, next bearer, status int, v versionText) (bearer, reply) {
	if k.at(next.agent, next.revision) != v {
		return s, reply{}
	}
	return next, reply{status: status, agent: next.agent, revision: next.revision, text: v.text}
}

// TestAgentModel makes sure that the checker sees the mistakes that it is here
// for, and allows what must be allowed.
func TestAgentModel(t *testing.T) {
	op := func(call, end int64, in ask, out reply) porcupine.Operation {
		return porcupine.Operation{Call: call, Return: end, Input: in, Output: out}
	}
	ok := func(status int, agent string, revision int64, text string) reply {
		return reply{status: status, agent: agent, revision: revision, text: text}
	}
	no := func(status, code int) reply { return reply{status: status, code: code} }
	create := func(call, end int64, text string) porcupine.Operation {
		return op(call, end, ask{what: toCreate, text: text}, ok(201, text, 1, text))
	}
	read := func(call, end int64, agent string, revision int64, text string) porcupine.Operation {
		return op(call, end, ask{what: toRead}, ok(200, agent, revision, text))
	}
	gone := func(call, end int64) porcupine.Operation {
		return op(call, end, ask{what: toRead}, no(404, 3000))
	}
	change := func(call, end int64, agent string, condition int64, text string) porcupine.Operation {
		return op(call, end, ask{what: toChange, text: text, agent: agent, condition: condition}, ok(200, agent, condition+1, text))
	}
	remove := func(call, end int64) porcupine.Operation {
		return op(call, end, ask{what: toDelete}, reply{status: 204})
	}
	unknown := func(call int64, in ask) porcupine.Operation {
		return op(call, math.MaxInt64, in, reply{unknown: true})
	}
	rollBack := func(call, end, target int64, out reply) porcupine.Operation {
		return op(call, end, ask{what: toRollBack, agent: "a", target: target}, out)
	}
	one, two := []versionText{{"a", 0}}, []versionText{{"a", 0}, {"b", 0}}
	for name, test := range map[string]struct {
		careers careers
		history []porcupine.Operation
		want    bool
	}{
		"one after the other": {careers{"a": two}, []porcupine.Operation{
			gone(1, 2), create(3, 4, "a"), change(5, 6, "a", 1, "b"), read(7, 8, "a", 2, "b"), remove(9, 10), gone(11, 12)}, true},
		"the name is given again": {careers{"a": one, "c": {{"c", 0}}}, []porcupine.Operation{
			create(1, 2, "a"), remove(3, 4), create(5, 6, "c"), read(7, 8, "c", 1, "c")}, true},
		"a name twice": {careers{"a": one, "c": {{"c", 0}}}, []porcupine.Operation{
			create(1, 2, "a"), create(3, 4, "c")}, false},
		"the dead live": {careers{"a": one}, []porcupine.Operation{
			create(1, 2, "a"), remove(3, 4), read(5, 6, "a", 1, "a")}, false},
		"a change of the dead": {careers{"a": two}, []porcupine.Operation{
			create(1, 2, "a"), remove(3, 4), change(5, 6, "a", 1, "b")}, false},
		"lost update": {careers{"a": two}, []porcupine.Operation{
			create(1, 2, "a"), change(3, 6, "a", 1, "b"), change(4, 5, "a", 1, "c")}, false},
		"a version that is lost": {careers{"a": one}, []porcupine.Operation{
			create(1, 2, "a"), change(3, 4, "a", 1, "b")}, false},
		"a version of nobody": {careers{"a": two}, []porcupine.Operation{
			create(1, 2, "a"), read(3, 4, "a", 2, "b")}, false},
		"read back in time": {careers{"a": two}, []porcupine.Operation{
			create(1, 2, "a"), change(3, 4, "a", 1, "b"), read(5, 6, "a", 1, "a")}, false},
		"refused without reason": {careers{"a": one}, []porcupine.Operation{
			create(1, 2, "a"), op(3, 4, ask{what: toDelete, agent: "a", condition: 1}, no(409, 4002))}, false},
		"the condition is of an earlier agent": {careers{"a": one, "c": {{"c", 0}}}, []porcupine.Operation{
			create(1, 2, "a"), remove(3, 4), create(5, 6, "c"), op(7, 8, ask{what: toDelete, agent: "a", condition: 1}, no(409, 4002))}, true},
		"rolled back": {careers{"a": append(two[:2:2], versionText{"a", 1})}, []porcupine.Operation{
			create(1, 2, "a"), change(3, 4, "a", 1, "b"), rollBack(5, 6, 1, ok(200, "a", 3, "a")), read(7, 8, "a", 3, "a")}, true},
		"rolled back to what it is": {careers{"a": two}, []porcupine.Operation{
			create(1, 2, "a"), change(3, 4, "a", 1, "b"), rollBack(5, 6, 2, ok(200, "a", 2, "b")), read(7, 8, "a", 2, "b")}, true},
		"rolled back to another version": {careers{"a": append(two[:2:2], versionText{"a", 1})}, []porcupine.Operation{
			create(1, 2, "a"), change(3, 4, "a", 1, "b"), rollBack(5, 6, 2, ok(200, "a", 3, "a"))}, false},
		"no answer, done at once": {careers{"a": two}, []porcupine.Operation{
			create(1, 2, "a"), unknown(3, ask{what: toChange, text: "b"}), read(4, 5, "a", 2, "b")}, true},
		"no answer, done later": {careers{"a": two}, []porcupine.Operation{
			create(1, 2, "a"), unknown(3, ask{what: toChange, text: "b"}), read(4, 5, "a", 1, "a"), read(6, 7, "a", 2, "b")}, true},
		"no answer, never done": {careers{"a": one}, []porcupine.Operation{
			create(1, 2, "a"), unknown(3, ask{what: toChange, text: "b"}), unknown(3, ask{what: toDelete}), read(4, 5, "a", 1, "a")}, true},
		"no answer, done twice": {careers{"a": append(two[:2:2], versionText{"b", 0})}, []porcupine.Operation{
			create(1, 2, "a"), unknown(3, ask{what: toChange, text: "b"}), read(4, 5, "a", 3, "b")}, false},
		"no answer, done before it was asked": {careers{"a": two}, []porcupine.Operation{
			create(1, 2, "a"), read(3, 4, "a", 2, "b"), unknown(5, ask{what: toChange, text: "b"})}, false},
		"no answer, against the condition": {careers{"a": append(two[:2:2], versionText{"c", 0})}, []porcupine.Operation{
			create(1, 2, "a"), change(3, 4, "a", 1, "b"), unknown(5, ask{what: toChange, text: "c", agent: "a", condition: 1}), read(6, 7, "a", 3, "c")}, false},
		"created and deleted without an answer": {careers{"a": one, "c": {{"c", 0}}}, []porcupine.Operation{
			unknown(1, ask{what: toCreate, text: "a"}), op(2, 3, ask{what: toCreate, text: "b"}, no(409, 4001)),
			unknown(4, ask{what: toDelete}), gone(5, 6), create(7, 8, "c")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := porcupine.CheckOperations(test.careers.model(test.history), test.history); got != test.want {
				t.Errorf("CheckOperations = %v, want %v", got, test.want)
			}
		})
	}
}
