// Package page bounds the pages of lists in bytes. A row may have a megabyte, and two
// hundred of them are more than one request should hold.
package page

// MaxBytes is how many bytes the rows of a page have at most, without its last one. A
// page that has more is full, though it has fewer rows than were asked for.
const MaxBytes = 1 << 20

// LongBytes is how many bytes an answer has at most that is made before it is sent,
// though it is no page: one department, or all of a company. A longer one is sent while
// it is made.
const LongBytes = 4 << 20

// Row is a row that may be large.
type Row interface {
	// Size is about how many bytes the row takes.
	Size() int
}

// Filling counts the bytes of the rows of a page, in their order.
type Filling int

// Add counts a row of a size, and reports whether it is behind the page, which those
// before it fill: then there is a next page, and nothing else need be read.
func (f *Filling) Add(size int) (behind bool) {
	behind = *f > MaxBytes
	*f += Filling(size)
	return behind
}

// Fits returns how many of the rows are on the page.
func Fits[T Row](rows []T) int {
	var f Filling
	for i := range rows {
		if f.Add(rows[i].Size()) {
			return i
		}
	}
	return len(rows)
}

// IsLast reports whether a list that was asked for limit rows ends with these.
func IsLast[T Row](rows []T, limit int) bool {
	return len(rows) < limit && Fits(rows) == len(rows)
}
