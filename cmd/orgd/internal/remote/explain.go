package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// OutcomeUnknown is what is printed about a change whose answer did not arrive.
const OutcomeUnknown = "whether the change was made is not known"

// explain returns an error in the words of the command line: what is wrong and
// what to do. If the connection is verbose, detail has the request and the answer.
func (c Connection) explain(err error) (text, detail string) {
	text = err.Error()
	failure, failed := errors.AsType[*client.Failure](err)
	answer, refused := errors.AsType[*client.Error](err)
	unreached, ok := errors.AsType[unreachable](err)
	if failed {
		text = strings.Replace(text, failure.Error(), c.lost(failure), 1)
	} else if refused {
		text = strings.Replace(text, answer.Error(), c.refused(answer), 1)
	}
	switch {
	case !c.Verbose:
	case ok:
		detail = unreached.err.Error()
	case failed:
		detail = failure.Error()
	case refused:
		detail = answer.Error()
	}
	return strings.TrimPrefix(text, "client: "), detail
}

// Uncertain reports whether err is that of a change of which the client does not
// know whether it was made.
func Uncertain(err error) bool {
	f, ok := errors.AsType[*client.Failure](err)
	return ok && f.Uncertain && f.Method != http.MethodGet
}

// lost returns why there is no answer.
func (c Connection) lost(f *client.Failure) string {
	if u, ok := errors.AsType[unreachable](f.Err); ok {
		return u.Error()
	}
	if u, ok := errors.AsType[terminal.UsageError](f.Err); ok {
		return u.Error()
	}
	if !f.Lost {
		return fmt.Sprintf("%s: %v", c.Server, f.Err)
	}
	text := c.Server + " has stopped answering"
	if reason := lostBecause(f.Err); reason != "" {
		text += ": " + reason
	}
	return text + ofEffect(f.Uncertain, f.Method)
}

// refused returns what the service has refused, and what to do.
func (c Connection) refused(e *client.Error) string {
	text := e.Detail
	switch {
	case e.Code == 0 && isGateway(e):
		text = fmt.Sprintf("a gateway answers for %s that it does not reach it", c.Server)
	case e.Code == 0:
		text = unreachable{c, notOrgd, "", e}.Error()
	case e.Code == client.ErrUnauthorized, e.Code == client.ErrSessionRevoked:
		return c.unaccepted(e.Detail)
	case e.Code == client.ErrRouteNotFound && strings.Contains(e.Path, "%2F"):
		text = fmt.Sprintf("%s does not know the path %s: a proxy on the way may decode %%2F in paths", c.Server, e.Path)
	case e.Code == client.ErrRouteNotFound:
		text = fmt.Sprintf("%s does not know what this command asks for: %s", c.Server, c.unknownRoute())
	case e.Category == client.CategoryRateLimit && e.RetryAfter > 0:
		text += fmt.Sprintf("; try again in %s", e.RetryAfter)
	case e.Status >= http.StatusInternalServerError:
		text = fmt.Sprintf("%s has failed: %s; its log knows this as %s", c.Server, e.Detail, e.Instance)
	}
	return text + ofEffect(e.Uncertain, e.Method)
}

// unknownRoute returns why the service does not have an operation.
func (c Connection) unknownRoute() string {
	if u, err := url.Parse(c.Server); err == nil && strings.Trim(u.Path, "/") != "" {
		return fmt.Sprintf("the path %s in %s is wrong, or the service is not of the version of this program", u.Path, c.Setting)
	}
	return "it is not of the version of this program"
}

func ofEffect(uncertain bool, method string) string {
	if uncertain && method != http.MethodGet {
		return "; " + OutcomeUnknown
	}
	return ""
}

// unaccepted returns which token is not accepted, and how to get another.
func (c Connection) unaccepted(reason string) string {
	switch {
	case c.discovered:
		reason += fmt.Sprintf("; take a new one with: orgd token create --data-dir %s --role admin --subject admin | orgd login --server %s",
			terminal.ShellWord(filepath.Dir(c.TokenOf)), c.Server)
	case c.Profile != "":
		reason += fmt.Sprintf("; orgd login --profile %s takes another, orgd logout --local forgets it", c.Profile)
	}
	return strings.TrimSuffix(c.Server+" does not accept the token of "+c.TokenOf, " of ") + ": " + reason
}
