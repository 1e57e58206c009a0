package httpapi

import (
	"net/http"
	"strings"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/textdiff"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

const patchType = "application/json-patch+json"

// diff serves GET /agents/{agent_id}/versions/diff.
func (h agents) diff(r *request.Request) error {
	ref, err := r.AgentRef()
	if err != nil {
		return err
	}
	q := r.Query()
	from := q.Number("from_version", 1, maxVersion, 0)
	to := q.Number("to_version", 1, maxVersion, 0)
	if q.Err == nil && (from == 0 || to == 0) {
		q.Fail("from_version, to_version: are both required")
	}
	if q.Err != nil {
		return q.Err
	}
	d, err := h.svc.Diff(r.Ctx(), ref, from, to)
	if err != nil {
		return err
	}
	r.Writer.Header().Add("Vary", "Accept")
	if protocol.Prefers(r.HTTP.Header, patchType, protocol.JSON) {
		r.Write(http.StatusOK, patchType, jsonPatch(d))
		return nil
	}
	return r.SendObject(func(w *jsondoc.Writer) { writeDiff(w, d) })
}

// writeDiff writes the members of an AgentIdentityDiff.
func writeDiff(w *jsondoc.Writer, d identity.Diff) {
	w.Field("agent_id").Text(string(d.AgentID))
	w.Field("from_version").Int(d.From)
	w.Field("to_version").Int(d.To)
	request.Array(d.Changes, writeChange)(w.Field("field_changes"))
	w.Field("summary").Text(d.Summary())
}

func writeChange(w *jsondoc.Writer, c identity.FieldChange) {
	w.Open()
	w.Field("field_path").Text(c.Dotted())
	w.Field("change_type").Text(string(c.Type))
	w.Field("old_value").TextOrNull(c.Old)
	w.Field("new_value").TextOrNull(c.New)
	w.Field("text_diff").TextOrNull(textDiff(c))
	w.Close()
}

// longText is the size in bytes from which a changed text is also compared line by line.
const longText = 256

// textDiff compares two texts line by line in the unified format, below a sentence about
// their line ends if these differ. It returns nil if one of the values is no text, or
// both are short.
func textDiff(c identity.FieldChange) *string {
	was, ok1 := jsonText(c.Old)
	is, ok2 := jsonText(c.New)
	if !ok1 || !ok2 || len(was) < longText && len(is) < longText && !strings.ContainsAny(was+is, "\r\n") {
		return nil
	}
	lineEnds, text := textdiff.Compare(was, is)
	if lineEnds != "" {
		text = lineEnds + "\n" + text
	}
	return &text
}

func jsonText(value *string) (string, bool) {
	if value == nil || !strings.HasPrefix(*value, `"`) {
		return "", false
	}
	v, err := jsondoc.ParseStored(*value)
	if err != nil {
		return "", false
	}
	return v.Text(), true
}

// jsonPatch returns the diff as a JSON Patch (RFC 6902).
func jsonPatch(d identity.Diff) []byte {
	ops := map[identity.ChangeType]string{
		identity.Added: "add", identity.Modified: "replace", identity.Removed: "remove",
	}
	w := jsondoc.NewWriter(make([]byte, 0, 1024))
	w.OpenList()
	for _, c := range d.Changes {
		w.Open()
		w.Field("op").Text(ops[c.Type])
		w.Field("path").Text(pointer(c.Path))
		if c.New != nil {
			w.Field("value").Raw(*c.New)
		}
		w.Close()
	}
	w.CloseList()
	return w.Bytes()
}

// pointer returns a JSON Pointer (RFC 6901).
func pointer(path []string) string {
	var b strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, step := range path {
		b.WriteString("/" + escape.Replace(step))
	}
	return b.String()
}
