package apidoc_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/fault"
)

// The statuses of every operation: the success, then everything else.
const statuses = `
	healthz                              200 500
	readyz                               200 500 503
	metrics                              200 401 429 500 503
	capabilities                         200 401 429 500 503

	company.get                          200 304 401 429 500 503
	company.update                       200 400 401 403 409 429 500 503
	company.departments                  200 401 429 500 503
	company.days                         200 400 401 429 500 503
	company.reorder_departments          200 400 401 403 409 429 500 503

	agents.list                          200 400 401 429 500 503
	agents.create                        201 400 401 403 409 429 500 503
	agents.figures                       200 400 401 429 500 503
	agents.get                           200 304 400 401 404 429 500 503
	agents.update                        200 400 401 403 404 409 429 500 503
	agents.delete                        204 400 401 403 404 409 429 500 503
	agents.activity                      200 400 401 404 429 500 503
	agents.health                        200 400 401 404 429 500 503
	agents.history                       200 400 401 404 429 500 503
	agents.performance                   200 400 401 404 429 500 503
	agents.days                          200 400 401 404 429 500 503

	versions.list                        200 400 401 404 429 500 503
	versions.get                         200 304 400 401 404 429 500 503
	versions.diff                        200 400 401 404 429 500 503
	agents.restore                       200 400 401 403 404 409 429 500 503
	agents.rollback                      200 400 401 403 404 409 429 500 503

	labels.list                          200 400 401 404 429 500 503
	labels.resolve                       200 304 400 401 404 429 500 503
	labels.set                           200 201 400 401 403 404 409 429 500 503
	labels.remove                        204 400 401 403 404 409 429 500 503
	labels.history                       200 400 401 404 429 500 503
	labels.agents                        200 304 400 401 429 500 503

	activities.list                      200 400 401 429 500 503
	activities.ingest                    201 400 401 403 429 500 503
	activities.stream                    200 400 401 429 500 503

	departments.list                     200 400 401 429 500 503
	departments.create                   201 400 401 403 409 429 500 503
	departments.get                      200 304 400 401 404 429 500 503
	departments.update                   200 400 401 403 404 409 429 500 503
	departments.delete                   204 400 401 403 404 409 429 500 503
	departments.ceremony_policy          200 304 400 401 404 429 500 503
	departments.update_ceremony_policy   200 400 401 403 404 409 429 500 503
	departments.delete_ceremony_policy   204 400 401 403 404 409 429 500 503
	departments.resolved_ceremony_policy 200 400 401 404 429 500 503
	departments.figures                  200 400 401 429 500 503
	departments.health                   200 400 401 404 429 500 503
	departments.days                     200 400 401 404 429 500 503
	departments.reorder_agents           201 400 401 403 404 409 429 500 503

	organization.export                  200 401 403 429 500 503
	organization.plan                    200 400 401 403 409 429 500 503
	organization.apply                   200 400 401 403 409 429 500 503

	projects.list                        200 400 401 429 500 503
	projects.create                      201 400 401 403 409 429 500 503
	projects.get                         200 304 400 401 404 429 500 503
	projects.update                      200 400 401 403 404 409 429 500 503
	projects.delete                      204 400 401 403 404 409 429 500 503

	webhooks.list                        200 400 401 403 429 500 503
	webhooks.create                      201 400 401 403 409 429 500 503
	webhooks.get                         200 304 400 401 403 404 429 500 503
	webhooks.update                      200 400 401 403 404 409 429 500 503
	webhooks.delete                      204 400 401 403 404 409 429 500 503
	webhooks.rotate_secret               200 400 401 403 404 409 429 500 503
	webhooks.test                        201 400 401 403 404 409 429 500 503
	webhooks.deliveries                  200 400 401 403 404 429 500 503
	webhooks.redeliver                   200 400 401 403 404 409 429 500 503

	changes.list                         200 400 401 429 500 503
	changes.stream                       200 400 401 429 500 503

	audit.list                           200 400 401 403 429 500 503

	auth.tokens                          201 400 401 403 409 429 500 503
	auth.renew                           200 400 401 403 409 429 500 503
	auth.me                              200 401 429 500 503
	auth.sessions                        200 400 401 429 500 503
	auth.revoke_session                  204 400 401 403 429 500 503
	auth.logout                          204 400 401 429 500 503
	auth.links                           201 400 401 403 409 429 500 503
	auth.sign_in                         201 400 401 403 429 500 503
	auth.oidc_start                      303 400 404 429 500 503
	auth.oidc_callback                   200 303 401 403 404 429 500 503
	auth.oidc_device                     200 201 400 401 403 404 409 429 500 503

	openapi.json                         200 429 500 503
	openapi.yaml                         200 429 500 503
`

func TestStatuses(t *testing.T) {
	want := map[string][]string{}
	for line := range strings.Lines(statuses) {
		if fields := strings.Fields(line); len(fields) > 0 {
			want[fields[0]] = fields[1:]
		}
	}
	got := map[string][]string{}
	for _, op := range open(t).operations() {
		got[op.ID] = slices.Sorted(maps.Keys(op.node["responses"].(node)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// Only the probes, the document itself and signing in are open. All but those that end a
// sign-in are the ones without 401.
func TestSecurity(t *testing.T) {
	for _, op := range open(t).operations() {
		list, isSet := op.node["security"].([]any)
		_, unauthorized := op.node["responses"].(node)["401"]
		if public := isSet && len(list) == 0; public == unauthorized && op.ID != "auth.sign_in" && op.ID != "auth.oidc_callback" && op.ID != "auth.oidc_device" {
			t.Errorf("%s: public = %t and 401 listed = %t", op.ID, public, unauthorized)
		}
	}
}

// statusOf tells which status answers a code.
func statusOf(c fault.Code) string {
	switch c {
	case fault.Unauthorized, fault.SessionRevoked:
		return "401"
	case fault.Forbidden:
		return "403"
	case fault.Validation, fault.RequestValidation:
		return "400"
	case fault.NotFound, fault.RecordNotFound, fault.RouteNotFound:
		return "404"
	case fault.Conflict, fault.Duplicate, fault.VersionConflict:
		return "409"
	case fault.RateLimited, fault.OperationLimited, fault.ConcurrencyLimited:
		return "429"
	case fault.Unavailable:
		return "503"
	}
	return "500"
}

// Every error has both forms, each with examples that say the same and whose
// codes belong to the status.
func TestErrors(t *testing.T) {
	d := open(t)
	forms := map[string]string{"application/json": "ErrorEnvelope", "application/problem+json": "ProblemDetail"}
	for at, status := range d.responses() {
		if status < "400" {
			continue
		}
		r, _ := d.object(at)
		content, _ := r["content"].(node)
		if len(content) != len(forms) {
			t.Errorf("%s: has %d media types, want %d", at, len(content), len(forms))
			continue
		}
		for media, schema := range forms {
			form, _ := d.find(at + "/content/" + escape(media))
			ref := node{"$ref": "#/components/schemas/" + schema}
			if diff := cmp.Diff(ref, form.(node)["schema"]); diff != "" {
				t.Errorf("%s: %s: schema (-want +got):\n%s", at, media, diff)
			}
		}
		d.checkErrorExamples(at, status)
	}
}

func (d document) checkErrorExamples(at, status string) {
	d.t.Helper()
	bare, _ := d.find(at + "/content/application~1problem+json/examples")
	for _, name := range slices.Sorted(maps.Keys(bare.(node))) {
		problem := d.example(at + "/content/application~1problem+json/examples/" + name)
		envelope := d.example(at + "/content/application~1json/examples/" + name)
		code := fault.Code(problem["error_code"].(float64))
		want := node{
			"type":           "https://orgd.invalid/errors#" + code.Category().Name,
			"title":          code.Category().Title,
			"status":         problem["status"],
			"detail":         problem["detail"],
			"instance":       problem["instance"],
			"error_code":     float64(code),
			"error_category": code.Category().Name,
			"retryable":      code.Retryable(),
			"retry_after":    problem["retry_after"],
		}
		if mistakes, ok := problem["errors"]; ok {
			want["errors"] = mistakes
		}
		if diff := cmp.Diff(want, problem); diff != "" {
			d.t.Errorf("%s: %s (-want +got):\n%s", at, name, diff)
		}
		if got := strconv.FormatFloat(problem["status"].(float64), 'f', -1, 64); got != status || got != statusOf(code) {
			d.t.Errorf("%s: %s: code %d says status %s, want %s", at, name, code, got, statusOf(code))
		}
		delete(want, "status")
		if diff := cmp.Diff(node{"data": nil, "error": want["detail"], "error_detail": want, "success": false}, envelope); diff != "" {
			d.t.Errorf("%s: %s in the envelope (-want +got):\n%s", at, name, diff)
		}
	}
}

func (d document) example(at string) node {
	d.t.Helper()
	e, at := d.object(at)
	v, ok := e["value"].(node)
	if !ok {
		d.t.Fatalf("%s: value is %T, want an object", at, e["value"])
	}
	return v
}

// responses maps where each response is to the status that it answers.
func (d document) responses() map[string]string {
	all := map[string]string{}
	for _, op := range d.operations() {
		for status := range op.node["responses"].(node) {
			_, at := d.object(op.at + "/responses/" + status)
			all[at] = status
		}
	}
	return all
}

func TestHeaders(t *testing.T) {
	d := open(t)
	for _, op := range d.operations() {
		for status := range op.node["responses"].(node) {
			r, _ := d.object(op.at + "/responses/" + status)
			headers, _ := r["headers"].(node)
			probe := op.ID == "healthz" || op.ID == "readyz"
			for name, want := range map[string]bool{
				"X-Request-Id":        true,
				"RateLimit":           !probe,
				"RateLimit-Policy":    !probe,
				"WWW-Authenticate":    status == "401",
				"Retry-After":         status == "429" || status == "503",
				"Location":            status == "201" && op.ID != "auth.links" || status == "303", // a link can only be used
				"ETag":                d.hasTag(op, status),
				"Link":                status == "200" && d.hasParameter(op, "query", "cursor"),
				"Idempotent-Replayed": d.isReplayed(op, status),
			} {
				if _, got := headers[name]; got != want {
					t.Errorf("%s: %s: has %s = %t, want %t", op.ID, status, name, got, want)
				}
			}
		}
	}
}

// hasTag reports whether an answer carries the tag of a resource: what can be
// read with If-None-Match, its creations and its changes.
func (d document) hasTag(op operation, status string) bool {
	switch {
	case status == "304":
		return true
	case status != "200" && status != "201":
		return false
	case op.ID == "webhooks.test", op.ID == "webhooks.redeliver":
		return false // they answer a delivery, which has none
	case op.ID == "agents.create", op.ID == "departments.create", op.ID == "projects.create", op.ID == "webhooks.create":
		return true
	case op.Method == "GET":
		return d.hasParameter(op, "header", "If-None-Match")
	}
	return d.hasParameter(op, "header", "If-Match")
}

// isReplayed reports whether an answer may be the stored one of an earlier
// request: a success of a POST that returns no secret.
func (d document) isReplayed(op operation, status string) bool {
	secret := strings.HasPrefix(op.ID, "auth.") || op.ID == "webhooks.create" || op.ID == "webhooks.rotate_secret"
	return (status == "200" || status == "201") && op.Method == "POST" && !secret
}

// isLogged reports whether an operation makes changes of the change log.
func isLogged(op operation) bool {
	resource, _, _ := strings.Cut(op.ID, ".")
	kinds := []string{"company", "departments", "agents", "projects", "labels"}
	return op.ID == "organization.apply" || op.Method != "GET" && slices.Contains(kinds, resource)
}

// Conditions and keys are taken where they are promised.
func TestRequestHeaders(t *testing.T) {
	d := open(t)
	unguarded := map[string]bool{
		"agents.create": true, "departments.create": true, "projects.create": true, "activities.ingest": true, "webhooks.create": true,
		"organization.plan": true, "organization.apply": true, // plan_hash is the condition
	}
	for _, op := range d.operations() {
		guarded := op.Method != "GET" && !unguarded[op.ID] && !strings.HasPrefix(op.ID, "auth.")
		_, notModified := op.node["responses"].(node)["304"]
		for name, want := range map[string]bool{
			"X-Request-Id":    true,
			"Idempotency-Key": op.Method == "POST" && op.ID != "auth.sign_in" && op.ID != "auth.oidc_device", // nobody whose key it could be
			"If-Match":        guarded,
			"If-None-Match":   notModified || op.ID == "departments.update_ceremony_policy",
			"Change-Reason":   isLogged(op),
		} {
			if got := d.hasParameter(op, "header", name); got != want {
				t.Errorf("%s: takes %s = %t, want %t", op.ID, name, got, want)
			}
		}
	}
}
