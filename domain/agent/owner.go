package agent

import (
	"strings"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/label"
	"orgd/domain/session"
)

const (
	// MaxOwner bounds an owner, in code points.
	MaxOwner = 128
	// MaxTags bounds the tags of an agent.
	MaxTags = 16
	// MaxTag bounds a tag, in characters.
	MaxTag = 63
)

var (
	// ErrOwner is a text that cannot be an owner.
	ErrOwner = fault.New(fault.RequestValidation, "not an owner")
	// ErrTag is a text that is not a tag.
	ErrTag = fault.New(fault.RequestValidation, "not a tag")
)

// ParseOwner returns an owner, who is the subject of a token.
func ParseOwner(text string) (string, error) {
	if problem := session.CheckText(text, MaxOwner); problem != "" {
		return "", ErrOwner.With("%s", problem)
	}
	return text, nil
}

// ParseTag returns a tag. It is written as the name of a label is, and may begin with a digit.
func ParseTag(text string) (string, error) {
	if text == "" || len(text) > MaxTag || strings.ContainsFunc(text, label.IsForeign) || strings.ContainsAny(text[:1], "._-") {
		return "", ErrTag.With("must be a small letter or a digit, and at most %d small letters, digits and . _ - behind it", MaxTag-1)
	}
	return text, nil
}

// readAssignment reads the owner, and the tags, which stay in the order in which they are given.
func (a *Agent) readAssignment(r *jsondoc.Reader) {
	r.TextOrNull("owner", &a.Owner, 1, MaxOwner)
	if a.Owner != nil {
		if _, err := ParseOwner(*a.Owner); err != nil {
			r.Fail("owner", "%s", err)
		}
	}
	r.Texts("tags", &a.Tags, jsondoc.Bounds{MaxItems: MaxTags, MinLen: 1, MaxLen: MaxTag})
	for i, tag := range a.Tags {
		if _, err := ParseTag(tag); err != nil {
			r.FailItem("tags", i, "%s", err)
		}
	}
}
