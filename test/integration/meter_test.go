package integration

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// What follows an answer may begin before it, and is not counted; what an answer
// waits for is.
func TestMeter(t *testing.T) {
	for name, tt := range map[string]struct {
		most   int
		does   func(m *meter)
		asked  []string
		enough bool
	}{
		"as many":  {2, func(m *meter) { ask(m, "a"); ask(m, "b") }, []string{"a", "b"}, true},
		"fewer":    {3, func(m *meter) { ask(m, "a"); ask(m, "b") }, []string{"a", "b"}, true},
		"more":     {1, func(m *meter) { ask(m, "a"); ask(m, "b") }, []string{"a", "b"}, false},
		"nothing":  {0, func(*meter) {}, nil, true},
		"followed": {1, func(m *meter) { ask(m, "a"); go ask(m, "b"); synctest.Wait() }, []string{"a"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var m meter
				ask(&m, "before")
				asked, enough := m.during(tt.most, func() { tt.does(&m) })
				if !slices.Equal(asked, tt.asked) || enough != tt.enough {
					t.Errorf("during = %q, %t, want %q, %t", asked, enough, tt.asked, tt.enough)
				}
				ask(&m, "after")
			})
		})
	}
}

// ask passes the meter in a program that goes on for ever.
func ask(m *meter, name string) { m.pass(context.Background(), name) }

// A pipeline costs one round trip, and what is asked beside requests none.
func TestRedisReader(t *testing.T) {
	r := newRedisReader(t)
	admit := command("evalsha", "ab", "1", "{a}:w:address")
	for sent, want := range map[string]string{
		admit: "evalsha", admit + admit: "evalsha+evalsha", command("GET", ""): "get",
		command("ping"): "", command("evalsha", "ab", "1", "{a}:w:probe"): "",
		command("evalsha", r.renewal[0], "1", "{a}:s:agents.rollback"): "", command("eval", r.renewal[1], "1", "{a}:s:agents.rollback"): "",
	} {
		text, name, err := r.next(bufio.NewReader(strings.NewReader(sent)))
		if string(text) != sent || name != want || err != nil {
			t.Errorf("next of %q = %q, %q, %v, want all of it and %q", sent, text, name, err, want)
		}
	}
}

// command is one as Redis is sent it.
func command(words ...string) string {
	text := fmt.Sprintf("*%d\r\n", len(words))
	for _, w := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
	}
	return text
}
