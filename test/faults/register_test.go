package faults

import (
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"
)

// register is what one agent is to clients that read it and write it under
// If-Match: a revision and a text that change together.
type register struct {
	revision int64
	text     string
}

// access is one read, or one write if it has a condition.
type access struct {
	condition int64 // the revision that If-Match names; 0 for a read
	text      string
}

// outcome is what the service answered.
type outcome struct {
	refused bool // 409/4002
	seen    register
}

// shown is a register and how often it was read since it was written.
type shown struct {
	register
	reads int
}

// registerModel is the register for the checker of linearizability, which
// searches an order of the history in which every answer is right.
//
// A revision never comes back, so whoever reads it does so before the next
// write. The model therefore admits a write only when the history's reads of the
// present state are all behind it. That changes no verdict, and it keeps the
// search from trying all the orders in which many clients may do nothing.
func registerModel(first register, history []porcupine.Operation) porcupine.Model {
	reads := map[register]int{}
	for _, op := range history {
		if op.Input.(access).condition == 0 {
			reads[op.Output.(outcome).seen]++
		}
	}
	return porcupine.Model{
		Init: func() any { return shown{register: first} },
		Step: func(state, in, out any) (bool, any) {
			return step(state.(shown), in.(access), out.(outcome), reads)
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v = %+v", in, out) },
		DescribeState:     func(state any) string { return fmt.Sprintf("%+v", state) },
	}
}

// step says whether the register may answer so, and what it is then.
func step(s shown, in access, out outcome, reads map[register]int) (bool, shown) {
	switch {
	case in.condition == 0:
		return out.seen == s.register, shown{s.register, s.reads + 1}
	case out.refused:
		return in.condition != s.revision, s
	default:
		next := register{s.revision + 1, in.text}
		fits := in.condition == s.revision && out.seen == next
		return fits && s.reads == reads[s.register], shown{register: next}
	}
}

// TestRegisterModel makes sure that the checker sees the mistakes that it is
// here for.
func TestRegisterModel(t *testing.T) {
	first := register{1, "a"}
	op := func(client int, call, end int64, in access, out outcome) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Call: call, Return: end, Input: in, Output: out}
	}
	read := func(client int, call, end int64, r register) porcupine.Operation {
		return op(client, call, end, access{}, outcome{seen: r})
	}
	write := func(client int, call, end, condition int64, text string) porcupine.Operation {
		return op(client, call, end, access{condition, text}, outcome{seen: register{condition + 1, text}})
	}
	refused := func(client int, call, end, condition int64) porcupine.Operation {
		return op(client, call, end, access{condition, "z"}, outcome{refused: true})
	}
	for name, test := range map[string]struct {
		history []porcupine.Operation
		want    bool
	}{
		"one after the other":      {[]porcupine.Operation{read(0, 1, 2, first), write(0, 3, 4, 1, "b"), read(1, 5, 6, register{2, "b"})}, true},
		"read during a write":      {[]porcupine.Operation{write(0, 1, 9, 1, "b"), read(1, 2, 3, first), read(1, 4, 5, register{2, "b"})}, true},
		"loser is refused":         {[]porcupine.Operation{write(0, 1, 4, 1, "b"), refused(1, 2, 3, 1)}, true},
		"lost update":              {[]porcupine.Operation{write(0, 1, 4, 1, "b"), write(1, 2, 3, 1, "c")}, false},
		"read back in time":        {[]porcupine.Operation{write(0, 1, 2, 1, "b"), read(1, 3, 4, first)}, false},
		"refused without reason":   {[]porcupine.Operation{refused(1, 1, 2, 1), write(0, 3, 4, 1, "b")}, false},
		"text of another revision": {[]porcupine.Operation{write(0, 1, 2, 1, "b"), read(1, 3, 4, register{2, "a"})}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := porcupine.CheckOperations(registerModel(first, test.history), test.history); got != test.want {
				t.Errorf("CheckOperations = %v, want %v", got, test.want)
			}
		})
	}
}
