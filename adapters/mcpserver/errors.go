package mcpserver

import (
	"errors"
	"fmt"
	"net/http"

	"orgd/client"
)

// mistake is an error of arguments, in words for the model.
type mistake string

// Error implements error.
func (m mistake) Error() string { return string(m) }

// sentence returns what a model is told of an error, and what to do.
func (s Service) sentence(err error) string {
	explain := s.Explain
	if explain == nil {
		explain = plain
	}
	text := err.Error()
	if !errors.As(err, new(mistake)) {
		text = explain(err)
	}
	switch {
	case errors.Is(err, client.ErrForbidden):
		text += "; the token may not do this, so do not try it again"
	case errors.Is(err, client.ErrNotFound):
		text += "; find_agents, company_overview and list_versions list what there is"
	case errors.Is(err, client.ErrRecordNotFound):
		text += "; resolve_label without label lists those of the agent"
	}
	return cut(text, maxError)
}

// plain returns an error in the words of the API.
func plain(err error) string {
	e, ok := errors.AsType[*client.Error](err)
	switch {
	case !ok:
		return "the service does not answer; try again later"
	case e.Category == client.CategoryRateLimit && e.RetryAfter > 0:
		return fmt.Sprintf("%s; try again in %d seconds", e.Detail, int(e.RetryAfter.Seconds()))
	case e.Status >= http.StatusInternalServerError:
		return fmt.Sprintf("%s; the log of the service knows this as %s", e.Detail, e.Instance)
	}
	return e.Detail
}
