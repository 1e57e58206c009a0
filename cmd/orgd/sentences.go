package main

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"orgd/client"
)

// outcomeUnknown is said of a change whose answer did not arrive.
const outcomeUnknown = "whether the change was made is not known"

// sentence is an error in the words of the command line: what is wrong and what
// to do, without what went over the wire.
func (p process) sentence(err error) string {
	at := connection{server: "the service"}
	if p.to != nil {
		at = *p.to
	}
	text := err.Error()
	if f, ok := errors.AsType[*client.Failure](err); ok {
		text = strings.Replace(text, f.Error(), at.lost(f), 1)
	} else if e, ok := errors.AsType[*client.Error](err); ok {
		text = strings.Replace(text, e.Error(), at.refused(e), 1)
	}
	return strings.TrimPrefix(text, "client: ")
}

// lost says why there is no answer.
func (c connection) lost(f *client.Failure) string {
	if u, ok := errors.AsType[unreachable](f.Err); ok {
		return u.Error()
	}
	if u, ok := errors.AsType[usageError](f.Err); ok {
		return u.Error()
	}
	if !f.Lost {
		return fmt.Sprintf("%s: %v", c.server, f.Err)
	}
	text := c.server + " has stopped answering"
	if reason := lostBecause(f.Err); reason != "" {
		text += ": " + reason
	}
	return text + ofEffect(f.Uncertain, f.Method)
}

// refused says what the service has refused, and what to do.
func (c connection) refused(e *client.Error) string {
	text := e.Detail
	switch {
	case e.Code == 0 && isGateway(e):
		text = fmt.Sprintf("a gateway answers for %s that it does not reach it", c.server)
	case e.Code == 0:
		text = unreachable{c, notOrgd, "", e}.Error()
	case e.Code == client.ErrUnauthorized, e.Code == client.ErrSessionRevoked:
		return c.unaccepted(e.Detail)
	case e.Code == client.ErrRouteNotFound:
		text = fmt.Sprintf("%s does not know what this command asks for: it is not of the version of this program", c.server)
	case e.Category == client.CategoryRateLimit && e.RetryAfter > 0:
		text += fmt.Sprintf("; try again in %s", e.RetryAfter)
	case e.Status >= http.StatusInternalServerError:
		text = fmt.Sprintf("%s has failed: %s; its log knows this as %s", c.server, e.Detail, e.Instance)
	}
	return text + ofEffect(e.Uncertain, e.Method)
}

func ofEffect(uncertain bool, method string) string {
	if uncertain && method != http.MethodGet {
		return "; " + outcomeUnknown
	}
	return ""
}

// unaccepted says which token is not accepted, and how to get another.
func (c connection) unaccepted(reason string) string {
	switch {
	case c.found:
		reason += fmt.Sprintf("; take a new one with: orgd token create --data-dir %s --role admin --subject admin | orgd login --server %s",
			forShell(filepath.Dir(c.tokenOf)), c.server)
	case c.profile != "":
		reason += fmt.Sprintf("; orgd login --profile %s takes another, orgd logout --local forgets it", c.profile)
	}
	return strings.TrimSuffix(c.server+" does not accept the token of "+c.tokenOf, " of ") + ": " + reason
}

// details say about an error what went over the wire.
func (p process) details(err error) {
	if p.to == nil || !p.to.verbose {
		return
	}
	if u, ok := errors.AsType[unreachable](err); ok {
		err = u.err
	} else if f, ok := errors.AsType[*client.Failure](err); ok {
		err = f
	} else if e, ok := errors.AsType[*client.Error](err); ok {
		err = e
	} else {
		return
	}
	p.say("orgd: in detail: %s", visible(err.Error()))
}
