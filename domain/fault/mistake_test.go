package fault

import (
	"errors"
	"slices"
	"testing"
)

// The message and the mistakes of an error say the same, whatever it is made into.
func TestMistakes(t *testing.T) {
	sentinel := New(Validation, "no")
	two := []Mistake{{Path: "a", Text: "is x; y: z", Line: 3}, {Text: "is wrong"}}
	for _, c := range []struct {
		err  *Error
		msg  string
		want []Mistake
	}{
		{sentinel, "no", []Mistake{{Text: "no"}}},
		{sentinel.With("%d", 1), "1", []Mistake{{Text: "1"}}},
		{sentinel.At("a", "is %d", 1), "a: is 1", []Mistake{{Path: "a", Text: "is 1"}}},
		{sentinel.At("a", "is 1").With("b"), "b", []Mistake{{Text: "b"}}},
		{sentinel.Join(two), "a: is x; y: z; is wrong", two},
		{sentinel.Join(two).Because(errors.New("cause")), "a: is x; y: z; is wrong", two},
		{sentinel.Join(two).OnLine(7), "a: is x; y: z; is wrong", []Mistake{two[0], {Text: "is wrong", Line: 7}}},
		{sentinel.Join(two).Below("p[1]"), "p[1].a: is x; y: z; is wrong", []Mistake{{"p[1].a", "is x; y: z", 3}, {Path: "p[1]", Text: "is wrong"}}},
		{sentinel.Below("p[1]"), "p[1]: no", []Mistake{{Path: "p[1]", Text: "no"}}},
		{sentinel.With("more").WithMistakes(two), "more", two},
	} {
		if got := c.err.Mistakes(); c.err.Msg != c.msg || !slices.Equal(got, c.want) || c.err != sentinel && !errors.Is(c.err, sentinel) {
			t.Errorf("%q with %+v, want %q with %+v", c.err.Msg, got, c.msg, c.want)
		}
	}
	if two[0].Path != "a" || two[1].Line != 0 {
		t.Errorf("the mistakes became %+v", two)
	}
}
