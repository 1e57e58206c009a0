package jsondoc

import (
	"strconv"
	"sync"
	"time"

	"orgd/domain/decimal"
)

// TimeLayout is how times are written: RFC 3339 in UTC with milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// Writer appends one JSON value to a byte slice. It sets the commas itself; the
// caller pairs Open with Close and, inside an object, calls Field before every
// value:
//
//	w := jsondoc.NewWriter(nil)
//	w.Open()
//	w.Field("name").Text(name)
//	w.Field("skills").Texts(skills)
//	w.Close()
type Writer struct {
	buf   []byte
	start int // where the Writer's own text begins
	// flush, if any, is called between two values when buf has more than flushAt bytes.
	flush   func([]byte) []byte
	flushAt int
}

// NewWriter returns a Writer that appends to dst.
func NewWriter(dst []byte) *Writer { return &Writer{buf: dst, start: len(dst)} }

// writers are those of objects that were encoded, for others to be written with.
var writers = sync.Pool{New: func() any { return new(Writer) }}

// maxKept bounds the buffers that are kept, in bytes.
const maxKept = 64 << 10

// EncodeObject calls use with the object whose members are written by members. The text is
// valid for that call only.
func EncodeObject(members func(*Writer), use func(text []byte)) {
	w := writers.Get().(*Writer)
	*w = Writer{buf: w.buf[:0]}
	w.Open()
	members(w)
	w.Close()
	use(w.buf)
	if cap(w.buf) <= maxKept {
		writers.Put(w)
	}
}

// ObjectText returns the object whose members are written by members.
func ObjectText(members func(*Writer)) (text string) {
	EncodeObject(members, func(object []byte) { text = string(object) })
	return text
}

// NewLongWriter returns a Writer for a value that need not fit into memory. When it holds
// more than size bytes, it calls flush with them before it writes the next value. flush
// returns what the Writer keeps, which is at least the last byte: that tells whether a
// comma must follow.
func NewLongWriter(size int, flush func(text []byte) (rest []byte)) *Writer {
	return &Writer{flush: flush, flushAt: size}
}

// Bytes is everything that was written, behind what dst held.
func (w *Writer) Bytes() []byte { return w.buf }

// next appends the comma that must separate the next value or field from what
// stands before it.
func (w *Writer) next() {
	if len(w.buf) == w.start {
		return
	}
	if w.flush != nil && len(w.buf) > w.flushAt {
		w.buf = w.flush(w.buf)
	}
	switch w.buf[len(w.buf)-1] {
	case '{', '[', ':', ',':
	default:
		w.buf = append(w.buf, ',')
	}
}

// Open starts an object.
func (w *Writer) Open() {
	w.next()
	w.buf = append(w.buf, '{')
}

// Close ends the object that Open started.
func (w *Writer) Close() { w.buf = append(w.buf, '}') }

// OpenList starts an array.
func (w *Writer) OpenList() {
	w.next()
	w.buf = append(w.buf, '[')
}

// CloseList ends the array that OpenList started.
func (w *Writer) CloseList() { w.buf = append(w.buf, ']') }

// Field writes a member's name; the next call writes its value. It returns w,
// so both fit in one line.
func (w *Writer) Field(name string) *Writer {
	w.next()
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < 'a' || c > 'z') { // not a name of our own
			w.buf = append(appendString(w.buf, name), ':')
			return w
		}
	}
	w.buf = append(append(append(w.buf, '"'), name...), '"', ':')
	return w
}

// Text writes a string. Bytes that are no UTF-8 are written as U+FFFD.
func (w *Writer) Text(s string) {
	w.next()
	w.buf = appendString(w.buf, s)
}

// NonZero returns a pointer to v, or nil for the zero value, for the methods that write
// null for nil.
func NonZero[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// TextOrNull writes a string, or null for nil.
func (w *Writer) TextOrNull(s *string) {
	if s == nil {
		w.Null()
		return
	}
	w.Text(*s)
}

// Texts writes an array of strings, [] for nil.
func (w *Writer) Texts(list []string) {
	w.OpenList()
	for _, s := range list {
		w.Text(s)
	}
	w.CloseList()
}

// Int writes an integer.
func (w *Writer) Int(v int64) {
	w.next()
	w.buf = strconv.AppendInt(w.buf, v, 10)
}

// IntOrNull writes an integer, or null for nil.
func (w *Writer) IntOrNull(v *int64) {
	if v == nil {
		w.Null()
		return
	}
	w.Int(*v)
}

// Number writes an exact number.
func (w *Writer) Number(d decimal.Decimal) { w.Raw(d.String()) }

// NumberOrNull writes an exact number, or null for nil.
func (w *Writer) NumberOrNull(d *decimal.Decimal) {
	if d == nil {
		w.Null()
		return
	}
	w.Number(*d)
}

// Time writes t as a string in [TimeLayout]; what is finer than a millisecond is
// cut off.
func (w *Writer) Time(t time.Time) {
	w.next()
	w.buf = t.UTC().AppendFormat(append(w.buf, '"'), time.RFC3339) // a form that package time writes fast
	ms := t.Nanosecond() / int(time.Millisecond)
	w.buf = append(w.buf[:len(w.buf)-1], '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10), 'Z', '"')
}

// TimeOrNull writes a time like Time, or null for nil.
func (w *Writer) TimeOrNull(t *time.Time) {
	if t == nil {
		w.Null()
		return
	}
	w.Time(*t)
}

// Bool writes true or false.
func (w *Writer) Bool(b bool) { w.Raw(strconv.FormatBool(b)) }

// Null writes null.
func (w *Writer) Null() { w.Raw("null") }

// Raw writes text as it is. It must be one JSON value.
func (w *Writer) Raw(text string) {
	w.next()
	w.buf = append(w.buf, text...)
}

// Members writes the members of an object into the one that w has open. The
// object must be JSON without white space around it.
func (w *Writer) Members(object string) {
	if members := object[1 : len(object)-1]; members != "" {
		w.Raw(members)
	}
}

// Value writes v in canonical form.
func (w *Writer) Value(v Value) {
	w.next()
	w.buf = v.Append(w.buf)
}

// Free writes a free-form object.
func (w *Writer) Free(o Object) { w.Raw(o.String()) }

// FreeOrNull writes a free-form object, or null for nil.
func (w *Writer) FreeOrNull(o *Object) {
	if o == nil {
		w.Null()
		return
	}
	w.Free(*o)
}
