package integration

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/zap"

	"orgd"
	"orgd/test/api"
	"orgd/test/apitest"
	"orgd/test/mongoserver"
)

type (
	obj  = map[string]any
	list = []any
)

// endpoint is what a request costs until it is answered.
type endpoint struct {
	name  string // as the documentation has it
	mongo int    // commands, also those that are sent at once
	redis int    // round trips
	ask   request
}

// request says what to ask an endpoint for. The path is that of the name if it is
// empty.
type request struct {
	path  string
	body  any
	match bool // with If-Match
	key   string
}

// endpoints are in an order in which each finds what it needs. docs/performance.md
// shows the same figures.
func endpoints(project string) []endpoint {
	return []endpoint{
		{"GET /agents", 1, 1, request{}},
		{"GET /agents/{agent_name}", 1, 1, request{path: "/agents/Ann"}},
		{"POST /agents", 7, 1, request{body: agentIn("Dora", "Design")}},
		{"POST /agents with a key", 11, 1, request{path: "/agents", body: agentIn("Carl", "Design"), key: "carl"}},
		{"POST /agents with a key, again", 3, 1, request{path: "/agents", body: agentIn("Carl", "Design"), key: "carl"}},
		{"PATCH /agents/{agent_name}", 5, 1, request{path: "/agents/Ann", body: obj{"description": "Leads"}, match: true}},
		{"PATCH /agents/{agent_name} without effect", 2, 1, request{path: "/agents/Ann", body: obj{"description": "Leads"}}},
		{"PATCH /agents/{agent_name} of the name", 5, 1, request{path: "/agents/Carl", body: obj{"name": "Karl"}}},
		{"PATCH /agents/{agent_name} of the department", 8, 1, request{path: "/agents/Karl", body: obj{"department": "Sales"}}},
		{"POST /agents/{agent_id}/versions/rollback", 6, 1, request{path: "/agents/Ann/versions/rollback", body: obj{"target_version": 2}}},
		{"DELETE /agents/{agent_name}", 7, 1, request{path: "/agents/Karl"}},
		{"GET /agents/{agent_id}/versions", 2, 1, request{path: "/agents/Ann/versions"}},
		{"GET /agents/{agent_id}/versions/{version_num}", 2, 1, request{path: "/agents/Ann/versions/2"}},
		{"GET /agents/{agent_id}/versions/diff", 3, 1, request{path: "/agents/Ann/versions/diff?from_version=1&to_version=2"}},
		{"GET /agents/{agent_name}/activity", 2, 1, request{path: "/agents/Ann/activity"}},
		{"GET /agents/{agent_name}/history", 2, 1, request{path: "/agents/Ann/history"}},
		{"GET /agents/{agent_name}/performance", 5, 1, request{path: "/agents/Ann/performance"}},
		{"GET /agents/{agent_name}/health", 4, 1, request{path: "/agents/Ann/health"}},
		{"GET /agents/{agent_name}/days", 5, 1, request{path: "/agents/Ann/days"}},

		{"GET /activities", 1, 1, request{}},
		{"POST /activities", 6, 1, request{body: obj{"events": list{task("t2"), task("t3")}}}},

		{"GET /company", 3, 1, request{}},
		{"PATCH /company", 6, 1, request{body: obj{"company_name": "Acme & Sons"}, match: true}},
		{"GET /company/departments", 1, 1, request{}},
		{"GET /company/days", 4, 1, request{}},
		{"GET /company/departments/figures", 7, 1, request{}},
		{"GET /company/agents/figures", 7, 1, request{}},
		{"POST /company/reorder-departments", 8, 1, request{body: obj{"department_names": list{"Sales", "Design"}}}},

		{"GET /departments", 1, 1, request{}},
		{"POST /departments", 8, 1, request{body: obj{"name": "Legal"}}},
		{"GET /departments/{name}", 1, 1, request{path: "/departments/Design"}},
		{"PATCH /departments/{name}", 6, 1, request{path: "/departments/Design", body: obj{"description": "Forms"}, match: true}},
		{"DELETE /departments/{name}", 9, 1, request{path: "/departments/Legal"}},
		{"POST /departments/{name}/reorder-agents", 9, 1, request{path: "/departments/Design/reorder-agents", body: obj{"agent_names": list{"Dora", "Bob", "Ann"}}}},
		{"GET /departments/{name}/health", 5, 1, request{path: "/departments/Design/health"}},
		{"GET /departments/{name}/days", 5, 1, request{path: "/departments/Design/days"}},
		{"PUT /departments/{name}/ceremony-policy", 6, 1, request{path: "/departments/Design/ceremony-policy", body: obj{"strategy": "hybrid"}}},
		{"GET /departments/{name}/ceremony-policy", 1, 1, request{path: "/departments/Design/ceremony-policy"}},
		{"GET /departments/{name}/ceremony-policy/resolved", 3, 1, request{path: "/departments/Design/ceremony-policy/resolved"}},
		{"DELETE /departments/{name}/ceremony-policy", 6, 1, request{path: "/departments/Design/ceremony-policy"}},

		{"GET /projects", 1, 1, request{}},
		{"POST /projects", 3, 1, request{body: obj{"name": "Gemini"}}},
		{"GET /projects/{project_id}", 1, 1, request{path: "/projects/" + project}},
		{"PATCH /projects/{project_id}", 4, 1, request{path: "/projects/" + project, body: obj{"description": "To the moon"}, match: true}},
		{"DELETE /projects/{project_id}", 4, 1, request{path: "/projects/" + project}},

		{"GET /audit", 1, 1, request{}},
		{"GET /webhooks", 1, 1, request{}},
		{"GET /auth/sessions", 1, 1, request{}},
		{"GET /auth/me", 0, 1, request{}},
		{"GET /capabilities", 0, 1, request{}},
		{"GET /readyz", 1, 0, request{}},
		{"GET /healthz", 0, 0, request{}},
	}
}

func agentIn(name, department string) obj {
	return obj{"name": name, "role": "Worker", "department": department}
}

// task is an event of Ann's.
func task(id string) obj {
	return obj{"event_type": "task_completed", "agent": "Ann", "data": obj{"task_id": id, "success": true}}
}

// TestRoundTrips counts what an answer waits for. The service runs in this process
// without its background work, and its ways to the servers lead through taps, so
// that all that is counted comes of the one request that is running.
//
// What the service writes after an answer must not be counted, though it may begin
// before the answer has come. So the time of the answer decides nothing: MongoDB
// is sent as many commands as the endpoint may have, and whatever comes after that
// is held back until the answer is there. An answer that waits for one of these
// does not come.
func TestRoundTrips(t *testing.T) {
	needServers(t)
	s := startTapped(t)
	for _, e := range endpoints(s.populate()) {
		s.count(e)
	}
}

// tapped is a service in this process whose words with the servers are counted.
type tapped struct {
	*testing.T
	mongo, redis *tap
	client       *api.Client
}

func startTapped(t *testing.T) *tapped {
	t.Helper()
	s := &tapped{T: t, mongo: openTap(t, mongoserver.Primary(t, mongoURI), nextMongo), redis: openTap(t, redisAddr, newRedisReader(t).next)}
	uri := mongoserver.Through(t, mongoURI, s.mongo.addr())

	database := takeDatabase(t)
	cfg := orgd.Default()
	cfg.Storage, cfg.Auth.KeyFile, cfg.CursorKeyFile = orgd.MongoDB, signingKey, cursorKey
	cfg.Mongo.URI, cfg.Mongo.Database = uri, database
	cfg.Mongo.OperationTimeout, cfg.Mongo.ConnectTimeout = patience+time.Second, patience+time.Second
	cfg.HTTP.RequestTimeout = 15 * time.Second
	cfg.Redis.Addrs, cfg.Redis.Prefix, cfg.Redis.Timeout = []string{s.redis.addr()}, bson.NewObjectID().Hex(), time.Second
	app, stop, err := orgd.Build(t.Context(), cfg, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	server := httptest.NewServer(app.Handler())
	t.Cleanup(server.Close)
	token, err := minter()(apitest.Grant{Subject: "admin", Role: "admin", TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s.client = api.New(server.URL, token, 1)
	t.Cleanup(s.client.Close)
	return s
}

// populate makes what the endpoints are about, and returns the id of a project.
func (s *tapped) populate() (project string) {
	s.Helper()
	post := func(path string, body any) api.Answer {
		s.Helper()
		return s.do(api.Request{Method: http.MethodPost, Path: path, Body: body})
	}
	post("/departments", obj{"name": "Design"})
	post("/departments", obj{"name": "Sales"})
	post("/agents", agentIn("Ann", "Design"))
	post("/agents", agentIn("Bob", "Design"))
	post("/activities", obj{"events": list{task("t1")}})
	s.do(api.Request{Method: http.MethodPatch, Path: "/agents/Ann", Body: obj{"role": "Lead"}})
	var made struct{ ID string }
	if err := post("/projects", obj{"name": "Apollo"}).Data(&made); err != nil {
		s.Fatal(err)
	}
	return made.ID
}

// do sends a request that has to succeed.
func (s *tapped) do(r api.Request) api.Answer {
	s.Helper()
	a, err := s.client.Do(s.Context(), r)
	if err != nil {
		s.Fatal(err)
	}
	if !a.OK() {
		s.Fatalf("%s %s = %v", r.Method, r.Path, a.Err())
	}
	return a
}

// count compares what an endpoint costs with what it should.
func (s *tapped) count(e endpoint) {
	s.Helper()
	r := e.ask.of(e.name)
	if e.ask.match {
		r.IfMatch = s.do(api.Request{Method: http.MethodGet, Path: r.Path}).ETag()
	}
	s.awaitQuiet()
	s.redis.begin(unbounded)
	var a api.Answer
	var err error
	commands, enough := s.mongo.during(e.mongo, func() { a, err = s.client.Do(s.Context(), r) })
	trips := s.redis.noted()
	if err != nil {
		s.Fatal(err)
	}
	if !a.OK() {
		s.Fatalf("%s = %v", e.name, a.Err())
	}
	found := fmt.Sprintf("%s: MongoDB %d (%s), Redis %d (%s)", e.name, len(commands), strings.Join(commands, ", "), len(trips), strings.Join(trips, ", "))
	if !enough || len(commands) != e.mongo || len(trips) != e.redis {
		s.Errorf("%s, want MongoDB %d, Redis %d", found, e.mongo, e.redis)
		return
	}
	s.Log(found)
}

// of is the request to an endpoint of this name.
func (r request) of(name string) api.Request {
	words := strings.Fields(name)
	if r.path == "" {
		r.path = words[1]
	}
	return api.Request{Method: words[0], Path: r.path, Body: r.body, Key: r.key}
}

const (
	// silence is how long nothing is asked when what follows an answer has ended.
	silence = 50 * time.Millisecond
	// followUps bounds what may follow an answer.
	followUps = 30 * time.Second
)

// awaitQuiet waits until everything is written that follows earlier requests.
func (s *tapped) awaitQuiet() {
	s.Helper()
	for end := time.Now().Add(followUps); ; {
		before := len(s.mongo.noted())
		time.Sleep(silence)
		if len(s.mongo.noted()) == before {
			return
		}
		if time.Now().After(end) {
			s.Fatalf("what follows a request is not written after %v", followUps)
		}
	}
}
