package apitest

import (
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func streamChecks() map[string]check {
	return map[string]check{
		"Follow":    followEverywhere,
		"Filters":   streamFilters,
		"BadAsks":   badStreams,
		"Resume":    resumedStreams,
		"Places":    placesWithoutEvents,
		"ForgedIDs": forgedStreamIDs,
		"Heartbeat": streamHeartbeat,
		"Revoked":   revokedStreams,
		"Expired":   expiredStreams,
	}
}

// Every replica shows every event of every replica, once, in the same order.
func followEverywhere(t *testing.T, s *Service) {
	w := newWorld(t, s)
	known := w.hires()
	var streams []*stream
	for range len(s.URLs) + 1 {
		streams = append(streams, w.follow(streamPath, "").without(known))
	}
	batch := []obj{
		with(task("Ann", 1, nil), "timestamp", time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)),
		event("tool_used", "Bob", obj{"tool": "git", "success": true}),
	}
	w.report(batch...).want(201)
	w.patch(agentPath(w.bob), obj{"status": "terminated", "level": "vp"}).want(200)
	w.delete(agentPath(w.bob)).want(204)
	want := streams[0].events(6)
	types := typesOf(want)
	for _, together := range []string{"task_completed tool_used", "status_changed offboarded promoted"} {
		if !strings.Contains(types, together) {
			t.Errorf("the stream has %s, want %s together", types, together)
		}
	}
	for i, st := range streams[1:] {
		if diff := cmp.Diff(want, st.events(6)); diff != "" {
			t.Errorf("stream %d (-first +this):\n%s", i+1, diff)
		}
	}
	for _, st := range streams {
		if b, err := st.wait(100 * time.Millisecond); !errors.Is(err, errQuiet) {
			t.Errorf("after the last event: %+v, %v, want nothing", b, err)
		}
	}
	feed := map[any]any{}
	for _, e := range w.soon("/activities", "data.0.event_type", "fired").items("data") {
		feed[e.(obj)["id"]] = e
	}
	for _, e := range want {
		if diff := cmp.Diff(feed[e["id"]], any(e)); diff != "" {
			t.Errorf("an event of the stream (-feed +stream):\n%s", diff)
		}
	}
}

// A stream has the filters of the feed.
func streamFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	known := w.hires()
	old := time.Now().UTC().Add(-25 * time.Hour).Format(time.RFC3339)
	streams := map[string]string{
		"?agent_id=" + w.ann:               "task_completed tool_used task_completed promoted",
		"?agent_id=ANN&x=y":                "task_completed tool_used task_completed promoted",
		"?type=tool_used":                  "tool_used tool_used",
		"?type=promoted&agent_id=" + w.ann: "promoted",
		"?last_n_hours=24":                 "tool_used task_completed tool_used promoted",
		"?last_n_hours=48&agent_id=Bob":    "tool_used",
		"?agent_id=" + nobody:              "",
		"?agent_id=Nobody":                 "",
		"?type=fired":                      "",
		"?agent_id=Ann&type=demoted":       "",
	}
	open := map[string]*stream{}
	for filter := range streams {
		open[filter] = w.follow(streamPath+filter, "").without(known)
	}
	w.report(with(task("Ann", 1, nil), "timestamp", old), event("tool_used", "Ann", obj{"tool": "git", "success": true}), task("Ann", 2, nil)).want(201)
	w.report(event("tool_used", "Bob", obj{"tool": "git", "success": true})).want(201)
	w.patch(agentPath(w.ann), obj{"level": "vp"}).want(200)
	for filter, want := range streams {
		n := len(strings.Fields(want))
		if got := typesOf(open[filter].events(n)); got != want {
			t.Errorf("stream with %s has %s, want %s", filter, got, want)
		}
	}
	for filter, st := range open {
		if b, err := st.wait(50 * time.Millisecond); !errors.Is(err, errQuiet) {
			t.Errorf("stream with %s goes on with %+v, %v, want nothing", filter, b, err)
		}
	}
}

func badStreams(t *testing.T, s *Service) {
	c := s.admin(t)
	c.get(streamPath+"?type=none").refused(400, 2001, "type")
	c.get(streamPath+"?type=").refused(400, 2001, "type")
	c.get(streamPath+"?type=hired&type=fired").refused(400, 2001, "type")
	c.get(streamPath+"?last_n_hours=25").refused(400, 2001, "last_n_hours")
	c.get(streamPath+"?agent_id=").refused(400, 2001, "agent_id")
	c.get(streamPath+"?agent_id=..").refused(400, 2001, "agent_id")
	c.get(streamPath+"?agent_id="+strings.Repeat("x", 129)).refused(400, 2001, "agent_id")
	c.with("Accept", "application/problem+json").get(streamPath+"?type=none").want(400).has("error_code", 2001)
	s.anonymous(t).get(streamPath).refused(401, 1000)
	c.post(streamPath, obj{}).refused(405, 2001)
	c.send("HEAD", streamPath+"?type=none", nil).want(400)
	if r := c.send("HEAD", streamPath, nil).want(200); r.header.Get("Content-Type") != eventsType || len(r.body) > 0 {
		t.Errorf("HEAD = %v with %d bytes, want the headers of a stream and nothing else", r.header, len(r.body))
	}
	for _, accept := range []string{eventsType, "application/json", "image/png", "*/*"} {
		if r := c.with("Accept", accept).get(streamPath).want(200); r.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("with Accept %s: headers %v", accept, r.header)
		}
	}
}

// Readers that are cut off anywhere and come back to any replica see every
// event once, in the order in which one sees them that stays.
func resumedStreams(t *testing.T, s *Service) {
	const writers, each, size, readers = 4, 10, 7, 4
	w := newWorld(t, s)
	w.hires()
	steady := w.follow(streamPath, "")
	start := steady.last
	var all sync.WaitGroup
	seen := make([][]string, readers)
	for i := range readers {
		all.Go(func() { seen[i] = w.readInPieces(start, writers*each*size, int64(i)) })
	}
	for i := range writers {
		all.Go(func() {
			for n := range each {
				var batch []obj
				for k := range size {
					batch = append(batch, task([]string{"Ann", "Bob", "Carl"}[i%3], n*size+k, nil))
				}
				if r := w.report(batch...); r.status != 201 {
					t.Errorf("%s = %d %s", r.what, r.status, clip(r.body))
				}
			}
		})
	}
	want := idsOf(steady.events(writers * each * size))
	all.Wait()
	for i, got := range seen {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reader %d (-steady +cut):\n%s", i, diff)
		}
	}
	unique := slices.Compact(sorted(want))
	if len(unique) != len(want) {
		t.Errorf("%d of %d events came twice", len(want)-len(unique), len(want))
	}
}

// readInPieces reads n events behind an id and leaves after every few.
func (w world) readInPieces(last string, n int, seed int64) (ids []string) {
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	for len(ids) < n {
		st, refused := w.tryFollow(streamPath, last)
		if refused != nil {
			w.t.Errorf("resuming = %d %s", refused.status, clip(refused.body))
			return ids
		}
		for range 1 + random.IntN(20) {
			b, err := st.wait(within)
			if err != nil {
				w.t.Errorf("reader %d has %d of %d events: %v", seed, len(ids), n, err)
				return ids
			}
			if b.Data == "" {
				continue
			}
			e, err := decode([]byte(b.Data))
			if err != nil {
				w.t.Errorf("event %s: %v", b.Data, err)
				return ids
			}
			ids = append(ids, idsOf([]obj{e.(obj)})...)
			if len(ids) == n {
				break
			}
		}
		last = st.last
		st.close()
	}
	return ids
}

// Who sees no event still gets on: the id that he comes back with is one
// behind what was not for him.
func placesWithoutEvents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	known := w.hires()
	bob := "?agent_id=" + w.bob
	st := w.follow(streamPath+bob, "").without(known)
	first := st.last
	w.report(task("Ann", 1, nil), task("Bob", 2, nil), task("Ann", 3, nil)).want(201)
	e := st.events(1)[0]
	st.close()
	again := w.follow(streamPath+bob, st.last)
	w.report(task("Bob", 4, nil)).want(201)
	if got := again.events(1)[0]; got["id"] == e["id"] || got["agent_id"] != w.bob {
		t.Errorf("after %v comes %v, want the next event of Bob", e, got)
	}
	both := w.follow(streamPath+bob, first).without(known).events(2)
	if both[0]["id"] != e["id"] {
		t.Errorf("from the beginning comes %v, want %v", both[0], e)
	}
}

// Only ids that this stream gave out are taken.
func forgedStreamIDs(t *testing.T, s *Service) {
	w := newWorld(t, s)
	good := w.follow(streamPath, "").last
	raw, err := base64.RawURLEncoding.DecodeString(good)
	if err != nil {
		t.Fatalf("the id %s is not what this check mutates: %v", good, err)
	}
	bad := []string{"", "x", good + "A", "A" + good, good[:len(good)-1], good[1:], good + good, strings.ToLower(good), good + "=", "-1", "0", "null", strings.Repeat("A", 3000)}
	for i := range raw {
		forged := slices.Clone(raw)
		forged[i] ^= 1
		bad = append(bad, base64.RawURLEncoding.EncodeToString(forged))
	}
	for _, id := range bad {
		if id != good {
			w.with("Last-Event-ID", id).get(streamPath).refused(400, 2001, "Last-Event-ID")
		}
	}
	w.with("Last-Event-ID", good, good).get(streamPath).refused(400, 2001, "Last-Event-ID")
	for _, foreign := range []string{
		w.follow(streamPath+"?type=hired", "").last,
		w.soon("/activities?limit=1", "data.0.event_type", "onboarded").text("pagination.next_cursor"),
		w.get("/agents?limit=1").text("pagination.next_cursor"),
	} {
		w.with("Last-Event-ID", foreign).get(streamPath).refused(400, 2001, "Last-Event-ID")
	}
	w.with("Last-Event-ID", good).get(streamPath+"?type=hired").refused(400, 2001, "Last-Event-ID")
	w.get("/activities?cursor="+url.QueryEscape(good)).refused(400, 2001, "cursor")
	w.with("Last-Event-ID", good).get(streamPath).want(200)
	w.with("Last-Event-ID", good).get(streamPath + "?x=y").want(200)
	s.as(t, "agent").with("Last-Event-ID", good).get(streamPath).want(200) // a place is no secret
}

// A stream that has nothing to say says so.
func streamHeartbeat(t *testing.T, s *Service) {
	const promised = 15 * time.Second
	begun := time.Now()
	st := s.admin(t).follow(streamPath, "")
	for range 2 {
		b, err := st.wait(promised + within)
		if err != nil || b.Comment == "" || b.ID == "" || b.Data != "" {
			t.Fatalf("after %v: %+v, %v, want a comment and an id", time.Since(begun), b, err)
		}
	}
	if d := time.Since(begun); d < 2*promised-time.Second {
		t.Errorf("two heartbeats came within %v, want them every %v", d, promised)
	}
}

// A stream ends with its session, on every replica, however the session ends.
func revokedStreams(t *testing.T, s *Service) {
	admin := s.admin(t)
	for how, end := range map[string]func(c *client, sid string){
		"revoking":    func(_ *client, sid string) { admin.delete("/auth/sessions/" + sid).want(204) },
		"logging out": func(c *client, _ string) { c.post("/auth/logout", nil).want(204) },
	} {
		c := s.grant(t, Grant{Subject: "kim", Role: "editor"})
		other := s.grant(t, Grant{Subject: "kim", Role: "editor"}).follow(streamPath, "")
		var streams []*stream
		for range len(s.URLs) + 1 {
			streams = append(streams, c.follow(streamPath, ""))
		}
		end(c, c.get("/auth/me").text("data.sid"))
		for _, st := range streams {
			st.ends(how)
		}
		c.everywhere(401, 1002)
		c.with("Last-Event-ID", streams[0].last).get(streamPath).refused(401, 1002)
		if b, err := other.wait(50 * time.Millisecond); !errors.Is(err, errQuiet) {
			t.Errorf("after %s the stream of another session has %+v, %v, want nothing", how, b, err)
		}
	}
}

func expiredStreams(t *testing.T, s *Service) {
	c := s.grant(t, Grant{Subject: "kim", Role: "editor", TTL: 10 * time.Second})
	long := s.grant(t, Grant{Subject: "kim", Role: "editor"}).follow(streamPath, "")
	st := c.follow(streamPath, "")
	if b, err := st.wait(time.Second); !errors.Is(err, errQuiet) {
		t.Errorf("before the token expires: %+v, %v, want nothing", b, err)
	}
	if _, err := st.wait(10*time.Second + within); err != nil {
		t.Errorf("after the token has expired: %v, want a remark", err)
	}
	if _, err := st.wait(within); !errors.Is(err, io.EOF) {
		t.Errorf("after the remark: %v, want the end", err)
	}
	c.get(streamPath).refused(401, 1000)
	if b, err := long.wait(50 * time.Millisecond); !errors.Is(err, errQuiet) {
		t.Errorf("the stream of another token has %+v, %v, want nothing", b, err)
	}
}
