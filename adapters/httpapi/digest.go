package httpapi

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"

	"orgd/app"
	"orgd/domain/identity"
)

// departmentDigest is a digest of the names of agents in the body of a department, ""
// if there are none. They change without the department.
func departmentDigest(d app.Department) string {
	ids := d.Agents()
	if len(ids) == 0 {
		return ""
	}
	return digest(func(add func(...string)) {
		addNames(add, d.Names, ids)
	})
}

// projectDigest is a digest of which of a project's agents still exist, "" if it has none.
func projectDigest(p app.Project) string {
	ids := p.Agents()
	if len(ids) == 0 {
		return ""
	}
	return digest(func(add func(...string)) {
		for _, id := range ids {
			add(strconv.FormatBool(p.Names.Exists(id)))
		}
	})
}

func addNames(add func(...string), names *app.Lookup, ids []identity.ID) {
	for _, id := range ids {
		text, ok := names.Show(id)
		add(strconv.FormatBool(ok), text)
	}
}

// digest is short: it need only differ among a few hundred states of one resource.
func digest(parts func(add func(...string))) string {
	var d digester
	parts(d.add)
	return d.text()
}

// digester makes a digest of texts, "" of none.
type digester struct {
	sum hash.Hash
	buf []byte
}

func (d *digester) add(texts ...string) {
	if d.sum == nil {
		d.sum = sha256.New()
	}
	for _, t := range texts { // its length first, so that no two lists have the same bytes
		d.buf = append(binary.AppendUvarint(d.buf[:0], uint64(len(t))), t...)
		d.sum.Write(d.buf)
	}
}

func (d *digester) text() string {
	if d.sum == nil {
		return ""
	}
	return hex.EncodeToString(d.sum.Sum(nil)[:8])
}
