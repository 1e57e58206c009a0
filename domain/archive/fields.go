package archive

import (
	"math"
	"time"

	"orgd/domain/jsondoc"
	"orgd/domain/performance"
)

// fields writes the fields of a record, or reads them: a record lists them once.
type fields struct {
	w *jsondoc.Writer // nil while reading
	r *jsondoc.Reader // nil while writing
}

// appendLine appends the line of what lists its fields.
func appendLine(dst []byte, list func(fields)) []byte {
	w := jsondoc.NewWriter(dst)
	w.Open()
	list(fields{w: w})
	w.Close()
	return append(w.Bytes(), '\n')
}

// read reads what lists its fields. All of them are there, and no others.
func read(v jsondoc.Value, list func(fields)) error {
	return jsondoc.ReadWhole(v, func(r *jsondoc.Reader) { list(fields{r: r}) })
}

// field reads or writes one field that is there.
func field[T any](f fields, name string, v *T, write func(T), read func(name string, v *T)) {
	if f.w != nil {
		f.w.Field(name)
		write(*v)
		return
	}
	if !f.r.Has(name) {
		f.r.Fail(name, "is required")
	}
	read(name, v)
}

const long = math.MaxInt32 // bounds nothing: it was checked when it was written

func (f fields) text(name string, v *string) {
	field(f, name, v, f.w.Text, func(name string, v *string) { f.r.Text(name, v, 0, long) })
}

func (f fields) textOrNull(name string, v **string) {
	field(f, name, v, f.w.TextOrNull, func(name string, v **string) { f.r.TextOrNull(name, v, 0, long) })
}

func (f fields) texts(name string, v *[]string) {
	field(f, name, v, f.w.Texts, func(name string, v *[]string) { f.r.Texts(name, v, jsondoc.Bounds{MaxItems: long, MaxLen: long}) })
}

func (f fields) int(name string, v *int64) {
	field(f, name, v, f.w.Int, func(name string, v *int64) { f.r.Int(name, v, math.MinInt64, math.MaxInt64) })
}

func (f fields) intOrNull(name string, v **int64) {
	field(f, name, v, f.w.IntOrNull, func(name string, v **int64) { f.r.IntOrNull(name, v, math.MinInt64, math.MaxInt64) })
}

func (f fields) bool(name string, v *bool) {
	field(f, name, v, f.w.Bool, f.r.Bool)
}

func (f fields) time(name string, v *time.Time) {
	field(f, name, v, f.w.Time, func(name string, v *time.Time) { f.r.Time(name, v) })
}

// document is a JSON object as it is stored.
func (f fields) document(name string, v *string) {
	field(f, name, v, f.w.Raw, f.r.Document)
}

// documentOrNull is a JSON object as it is stored, or null for "".
func (f fields) documentOrNull(name string, v *string) {
	if f.w != nil && *v != "" || f.r != nil && !f.r.Null(name) {
		f.document(name, v)
	} else if f.w != nil {
		f.w.Field(name).Null()
	}
}

// object is a JSON object that a client chose.
func (f fields) object(name string, v *jsondoc.Object) {
	field(f, name, v, f.w.Free, func(name string, v *jsondoc.Object) { f.r.Free(name, v, long) })
}

func (f fields) objectOrNull(name string, v **jsondoc.Object) {
	field(f, name, v, f.w.FreeOrNull, func(name string, v **jsondoc.Object) { f.r.FreeOrNull(name, v, long) })
}

func (f fields) date(name string, v *performance.Date) {
	at := v.Start()
	f.time(name, &at)
	*v = performance.DateOf(at)
}

// sample is left out if it is empty, as most are.
func (f fields) sample(name string, v *performance.Sample) {
	if f.w != nil && *v == (performance.Sample{}) || f.r != nil && !f.r.Has(name) {
		return
	}
	list := func(f fields) {
		f.int("count", &v.Count)
		f.int("units", &v.Units)
		f.int("nanos", &v.Nanos)
	}
	if f.r != nil {
		f.r.Object(name, func(r *jsondoc.Reader) { list(fields{r: r}) })
		return
	}
	f.w.Field(name).Open()
	list(f)
	f.w.Close()
}
