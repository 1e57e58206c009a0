package seed

import "testing"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		long bool
		want uint64
	}{
		{"", false, fixed},
		{"", true, drawn},
		{"random", false, drawn},
		{"random", true, drawn},
		{"7", false, 7},
		{"7", true, 7},
		{"18446744073709551615", false, 1<<64 - 1},
	} {
		if got, err := parse(c.text, c.long); got != c.want || err != nil {
			t.Errorf("parse(%q, %t) = %d, %v, want %d", c.text, c.long, got, err, c.want)
		}
	}
	for _, text := range []string{"-1", "1.5", "x", "18446744073709551616"} {
		if got, err := parse(text, false); err == nil {
			t.Errorf("parse(%q) = %d, want an error", text, got)
		}
	}
}

func TestRandRepeats(t *testing.T) {
	t.Setenv("ORGD_SEED", "5")
	if a, b := Rand(t).Uint64(), Rand(t).Uint64(); a != b {
		t.Errorf("Rand = %d and %d with one seed, want the same", a, b)
	}
	first := Rand(t).Uint64()
	t.Setenv("ORGD_SEED", "6")
	if second := Rand(t).Uint64(); first == second {
		t.Errorf("Rand = %d with two seeds, want two numbers", first)
	}
}
