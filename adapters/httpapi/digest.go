package httpapi

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"orgd/app"
	"orgd/domain/identity"
)

// departmentDigest is a digest of the names of agents in the body of a department, ""
// if there are none. They change without the department.
func departmentDigest(d app.Department) string {
	var sum digester
	sum.addNames(d.Names, d.Agents())
	return sum.text()
}

// projectDigest is a digest of which of a project's agents still exist, "" if it has none.
func projectDigest(p app.Project) string {
	var sum digester
	for _, id := range p.Agents() {
		sum.add(strconv.FormatBool(p.Names.Exists(id)))
	}
	return sum.text()
}

// digester makes a digest of texts, "" of none. It is short: it need only differ among a
// few hundred states of one resource.
type digester struct{ of []byte }

func (d *digester) add(texts ...string) {
	for _, t := range texts { // its length first, so that no two lists have the same bytes
		d.of = append(binary.AppendUvarint(d.of, uint64(len(t))), t...)
	}
}

func (d *digester) addNames(names *app.Lookup, ids []identity.ID) {
	for _, id := range ids {
		text, ok := names.Show(id)
		d.add(strconv.FormatBool(ok), text)
	}
}

func (d *digester) text() string {
	if len(d.of) == 0 {
		return ""
	}
	sum := sha256.Sum256(d.of)
	return hex.EncodeToString(sum[:8])
}
