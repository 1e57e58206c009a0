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
	var f *client.Failure
	var e *client.Error
	text := err.Error()
	switch {
	case errors.As(err, &f):
		text = strings.Replace(text, f.Error(), p.ofFailure(f), 1)
	case errors.As(err, &e):
		text = strings.Replace(text, e.Error(), p.ofAnswer(e), 1)
	}
	return strings.TrimPrefix(text, "client: ")
}

// ofFailure says why there is no answer.
func (p process) ofFailure(f *client.Failure) string {
	if u, ok := errors.AsType[unreachable](f.Err); ok {
		return u.Error()
	}
	if u, ok := errors.AsType[usageError](f.Err); ok {
		return u.Error()
	}
	if !f.Lost {
		return fmt.Sprintf("%s: %v", p.service(), f.Err)
	}
	text := p.service() + " has stopped answering"
	if reason := lostBecause(f.Err); reason != "" {
		text += ": " + reason
	}
	return text + ofEffect(f.Uncertain, f.Method)
}

// ofAnswer says what the service has refused, and what to do.
func (p process) ofAnswer(e *client.Error) string {
	text := e.Detail
	switch {
	case e.Code == 0 && isGateway(e):
		text = fmt.Sprintf("a gateway answers for %s that it does not reach it", p.service())
	case e.Code == 0:
		text = p.notOrgd(e)
	case e.Code == client.ErrUnauthorized, e.Code == client.ErrSessionRevoked:
		return p.ofToken(e.Detail)
	case e.Code == client.ErrRouteNotFound:
		text = fmt.Sprintf("%s does not know what this command asks for: it is not of the version of this program", p.service())
	case e.Category == client.CategoryRateLimit && e.RetryAfter > 0:
		text += fmt.Sprintf("; try again in %s", e.RetryAfter)
	case e.Status >= http.StatusInternalServerError:
		text = fmt.Sprintf("%s has failed: %s; its log knows this as %s", p.service(), e.Detail, e.Instance)
	}
	return text + ofEffect(e.Uncertain, e.Method)
}

func ofEffect(uncertain bool, method string) string {
	if uncertain && method != http.MethodGet {
		return "; " + outcomeUnknown
	}
	return ""
}

// ofToken says which token is not accepted, and how to get another.
func (p process) ofToken(reason string) string {
	if p.to == nil {
		return "the token is not accepted: " + reason
	}
	if p.to.tokenOf == "" {
		return fmt.Sprintf("%s does not accept the token: %s", p.to.server, reason)
	}
	text := fmt.Sprintf("%s does not accept the token of %s: %s", p.to.server, p.to.tokenOf, reason)
	switch {
	case p.to.found:
		return text + fmt.Sprintf("; take a new one with: orgd token create --data-dir %s --role admin --subject admin | orgd login --server %s",
			filepath.Dir(p.to.tokenOf), p.to.server)
	case p.to.profile != "":
		return text + fmt.Sprintf("; orgd login --profile %s takes another", p.to.profile)
	}
	return text
}

// notOrgd says that something else answers.
func (p process) notOrgd(e *client.Error) string {
	if p.to == nil {
		return "what answers is not orgd"
	}
	return unreachable{*p.to, notOrgd, "", e}.Error()
}

// service is whom the command talks to.
func (p process) service() string {
	if p.to == nil {
		return "the service"
	}
	return p.to.server
}

// details say about an error what went over the wire.
func (p process) details(err error) {
	if p.to == nil || !p.to.verbose {
		return
	}
	var e *client.Error
	var f *client.Failure
	if u, ok := errors.AsType[unreachable](err); ok {
		p.say("orgd: in detail: %s", visible(u.err.Error()))
	} else if errors.As(err, &f) {
		p.say("orgd: in detail: %s", visible(f.Error()))
	} else if errors.As(err, &e) {
		p.say("orgd: in detail: %s", visible(e.Error()))
	}
}
