package request

import (
	"testing"

	"orgd/domain/fault"
)

func TestStatusOf(t *testing.T) {
	want := map[fault.Code]int{
		1000: 401, 1001: 403, 1002: 401, 2000: 400, 2001: 400, 3000: 404, 3001: 404, 3002: 404,
		4000: 409, 4001: 409, 4002: 409, 5000: 429, 5001: 429, 5002: 429, 6000: 402, 7000: 502,
		8000: 500, 8001: 503, 8002: 500,
	}
	for _, c := range fault.Codes() {
		if got := statusOf(c); got != want[c] {
			t.Errorf("statusOf(%d) = %d, want %d", c, got, want[c])
		}
	}
}
