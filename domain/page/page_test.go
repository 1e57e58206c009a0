package page

import "testing"

type sized int

func (s sized) Size() int { return int(s) }

func TestFits(t *testing.T) {
	const half = sized(MaxBytes/2 + 1)
	for what, tt := range map[string]struct {
		rows []sized
		want int
		last bool // if ten were asked for
	}{
		"none":              {nil, 0, true},
		"small ones":        {make([]sized, 9), 9, true},
		"as many as asked":  {make([]sized, 10), 10, false},
		"one that exceeds":  {[]sized{3 * half}, 1, true},
		"filled":            {[]sized{half, half}, 2, true},
		"one behind":        {[]sized{half, half, 1}, 2, false},
		"exactly MaxBytes":  {[]sized{MaxBytes, 1}, 2, true},
		"more than one way": {[]sized{half, half, half, half}, 2, false},
	} {
		if got := Fits(tt.rows); got != tt.want {
			t.Errorf("%s: Fits = %d, want %d", what, got, tt.want)
		}
		if got := IsLast(tt.rows, 10); got != tt.last {
			t.Errorf("%s: IsLast = %t, want %t", what, got, tt.last)
		}
	}
}
