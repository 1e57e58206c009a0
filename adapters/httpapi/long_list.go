package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"strconv"

	"orgd/app"
	"orgd/domain/company"
	"orgd/domain/jsondoc"
	bounds "orgd/domain/page"
	"orgd/domain/receipt"
)

// longList is an answer with all departments, which may have hundreds of
// megabytes: what is longer than a page is sent while it is read.
type longList struct {
	body   []byte // with an empty list
	member string // the name of the list, the last one of it in the body
	// tag makes the entity tag from a digest of the departments; nil: there is
	// none. A list that is sent while it is read has a tag that no other has.
	tag func(digest string) string
}

// departmentsAtOnce is how many departments of a long list are read at once.
const departmentsAtOnce = 200

// answer sends the list; short is how an answer is sent that is not longer than a
// page.
func (l longList) answer(x *exchange, read func(context.Context, company.Place, int) ([]app.Department, error), short func(receipt.Reply) error) error {
	open := `"` + l.member + `":[`
	at := bytes.LastIndex(l.body, []byte(open)) + len(open)
	out := x.long(jsonType)
	buf := append(out.room(), l.body[:at]...)
	var sum digester
	var after company.Place
	ctx := x.ctx()
	for {
		found, err := read(ctx, after, departmentsAtOnce)
		if err != nil {
			return err
		}
		for _, d := range found {
			if after != "" {
				buf = append(buf, ',')
			}
			after = d.Place
			w := jsondoc.NewWriter(buf)
			writeDepartment(w, d)
			buf = w.Bytes()
			sum.add(d.ID, strconv.FormatInt(d.Revision, 10))
			addNames(sum.add, d.Names, d.Agents())
			if len(buf) <= bounds.MaxBytes && !out.begun {
				continue
			}
			if !out.begun {
				if l.tag != nil {
					x.Writer.Header().Set("ETag", l.tag(x.server.parts.IDs.NewID()))
				}
				longer, cancel := context.WithTimeout(x.client, x.server.cfg.OrganizationTimeout)
				defer cancel()
				ctx = longer
			}
			if err := out.write(buf); err != nil {
				return out.finish(err)
			}
			buf = out.room()
		}
		if bounds.IsLast(found, departmentsAtOnce) {
			break
		}
	}
	buf = append(buf, l.body[at:]...)
	if out.begun {
		return out.finish(out.write(buf))
	}
	r := receipt.Reply{Status: http.StatusOK, Body: buf}
	if l.tag != nil {
		r.ETag = l.tag(sum.text())
	}
	return short(r)
}
