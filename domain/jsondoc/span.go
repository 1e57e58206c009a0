package jsondoc

import (
	"fmt"
	"math"
)

// span says in words which numbers are allowed, "" when all are.
func span(min, max int64) string {
	switch {
	case min == math.MinInt64 && max == math.MaxInt64:
		return ""
	case min == math.MinInt64:
		return fmt.Sprintf(" of at most %d", max)
	case max == math.MaxInt64:
		return fmt.Sprintf(" of at least %d", min)
	}
	return fmt.Sprintf(" from %d to %d", min, max)
}
