package agenthistory

import (
	"cmp"
	"regexp"
	"strings"
	"time"
	"unicode"

	"orgd/client"
)

// Commit is one of the history. It is written by people, so its texts may hold
// anything.
type Commit struct {
	ID      string
	Date    time.Time // of the author, in the author's zone
	Author  string
	Email   string // of the author
	Subject string
}

// maxSubject bounds how much of a subject becomes part of a reason, and
// maxAuthor of an author's name, in code points.
const (
	maxSubject = 200
	maxAuthor  = 100
)

// Reason is why an agent has left: date, author, commit and subject.
func (c Commit) Reason() string {
	return c.Date.Format(time.RFC3339) + " by " + line(c.Author, maxAuthor) + ", " + c.title()
}

// title is the commit and its subject. [CommitIn] finds the commit again.
func (c Commit) title() string {
	text := "commit " + c.ID
	if subject := line(c.Subject, maxSubject); subject != "" {
		text += ": " + subject
	}
	return text
}

// AsOf says of a version when and by whom it was made. now is a time that no version may be
// after.
func (c Commit) AsOf(now time.Time) client.AsOf {
	at := c.Date
	if at.After(now) {
		at = now
	}
	by := line(c.Author, maxAuthor)
	if email := line(c.Email, maxAuthor); email != "" {
		by += " <" + email + ">"
	}
	return client.AsOf{At: at, By: cmp.Or(strings.TrimSpace(by), "nobody"), Reason: c.title()}
}

var reason = regexp.MustCompile(`^(?:\S+ )?commit ([0-9a-f]{40}|[0-9a-f]{64})(?:: | by |$)`)

// CommitIn returns the commit in the reason of a version. Former releases put the date before
// it, and the author behind.
func CommitIn(text string) (id string, ok bool) {
	m := reason.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Short is the commit for people.
func (c Commit) Short() string {
	return c.ID[:min(12, len(c.ID))] + " of " + c.Date.Format(time.DateOnly)
}

// line is a text as a part of a line, cut after limit code points.
func line(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "\ufffd"))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit-1]) + "…"
	}
	return text
}
