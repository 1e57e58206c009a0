package main

import (
	"cmp"
	"io"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// release is what a bill of materials is about.
type release struct {
	version string
	at      string // time of the commit, RFC 3339; "" if nobody knows
}

// writeBill writes a bill of materials in the form of CycloneDX 1.6. The same
// release makes the same bytes.
func writeBill(w io.Writer, all []module, r release) error {
	bill := cyclonedx.NewBOM()
	bill.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, []byte(program+" "+r.version+" "+r.at)).URN()
	var components []cyclonedx.Component
	var dependencies []cyclonedx.Dependency
	refs := map[string]string{}
	for _, m := range all {
		refs[m.path] = r.purl(m)
	}
	for _, m := range all {
		c, err := r.component(m)
		if err != nil {
			return err
		}
		if m.own {
			c.Type = cyclonedx.ComponentTypeApplication
			bill.Metadata = &cyclonedx.Metadata{Timestamp: r.at, Component: &c}
		} else {
			components = append(components, c)
		}
		needs := []string{}
		for _, path := range m.needs {
			needs = append(needs, refs[path])
		}
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: c.BOMRef, Dependencies: &needs})
	}
	bill.Components, bill.Dependencies = &components, &dependencies
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bill)
}

func (r release) component(m module) (cyclonedx.Component, error) {
	ids, _, err := m.licences()
	if err != nil {
		return cyclonedx.Component{}, err
	}
	var licences cyclonedx.Licenses
	for _, id := range ids {
		l := cyclonedx.License{ID: id}
		if id == publicDomain {
			l = cyclonedx.License{Name: id}
		}
		licences = append(licences, cyclonedx.LicenseChoice{License: &l})
	}
	return cyclonedx.Component{
		BOMRef: r.purl(m), Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: r.versionOf(m),
		PackageURL: r.purl(m), Licenses: &licences,
	}, nil
}

// versionOf is that of the release for the program itself.
func (r release) versionOf(m module) string {
	if m.own {
		return r.version
	}
	return m.version
}

// purl is the name of a module among the packages of the world.
func (r release) purl(m module) string {
	return "pkg:" + cmp.Or(m.registry, "golang") + "/" + m.path + "@" + r.versionOf(m)
}
