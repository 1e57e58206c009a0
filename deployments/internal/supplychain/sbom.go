package main

import (
	"io"
	"maps"
	"slices"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// writeBill writes a bill of materials in the form of CycloneDX 1.6. The same
// release makes the same bytes. at is the time of the commit, RFC 3339; "" if nobody
// knows.
func writeBill(w io.Writer, all []module, at string) error {
	bill := cyclonedx.NewBOM()
	refs := map[string]string{}
	for _, m := range all {
		refs[m.path] = m.purl()
	}
	var components []cyclonedx.Component
	var dependencies []cyclonedx.Dependency
	for _, m := range all {
		c := component(m)
		if m.path == ownModule {
			c.Type = cyclonedx.ComponentTypeApplication
			bill.Metadata = &cyclonedx.Metadata{Timestamp: at, Component: &c}
			bill.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, []byte(program+" "+m.version+" "+at)).URN()
		} else {
			components = append(components, c)
		}
		needs := []string{}
		for _, path := range slices.Sorted(maps.Keys(m.needs)) {
			needs = append(needs, refs[path])
		}
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: c.BOMRef, Dependencies: &needs})
	}
	bill.Components, bill.Dependencies = &components, &dependencies
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bill)
}

func component(m module) cyclonedx.Component {
	var licences cyclonedx.Licenses
	for _, id := range m.licences {
		l := cyclonedx.License{ID: id}
		if id == publicDomain {
			l = cyclonedx.License{Name: id}
		}
		licences = append(licences, cyclonedx.LicenseChoice{License: &l})
	}
	return cyclonedx.Component{
		BOMRef: m.purl(), Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version,
		PackageURL: m.purl(), Licenses: &licences,
	}
}
