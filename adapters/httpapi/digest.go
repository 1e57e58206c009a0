package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"orgd/app"
	"orgd/domain/identity"
)

// shownDigest stands for what the body of a department shows of other
// resources, namely the names of agents; "" if it refers to none.
func shownDigest(d app.Department) string {
	ids := d.Agents()
	if len(ids) == 0 {
		return ""
	}
	return digest(func(add func(...string)) {
		addNames(add, d.Names, ids)
	})
}

// organizationDigest stands for the departments in the body of the company.
func organizationDigest(o app.Organization) string {
	if len(o.Departments) == 0 {
		return ""
	}
	return digest(func(add func(...string)) {
		for _, d := range o.Departments {
			add(d.ID, strconv.FormatInt(d.Revision, 10))
			addNames(add, d.Names, d.Agents())
		}
	})
}

// projectDigest stands for which of a project's agents still exist.
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

func addNames(add func(...string), names app.Names, ids []identity.ID) {
	for _, id := range ids {
		text, ok := names.Show(id)
		add(strconv.FormatBool(ok), text)
	}
}

// digest is short: it tells a few hundred states of one resource apart.
func digest(parts func(add func(...string))) string {
	var b strings.Builder
	parts(func(texts ...string) {
		for _, t := range texts {
			b.WriteString(strconv.Quote(t))
		}
	})
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}
