package faults

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

const (
	// maxPlanning is the memory that planning may cost, in KiB, however large
	// document and plan are. Mostly it is a third of this.
	maxPlanning = 96 << 10
	// maxApplying is the same for applying and for planning afterwards, when the
	// storage has filled its caches.
	maxApplying = 320 << 10
)

// largeDocument is a document of about length bytes: of new agents, each with
// instructions almost as long as they may be.
func largeDocument(length int) io.Reader {
	const line = "Do what is useful, and say it. "
	prompt := strings.Repeat(line, 120<<10/len(line))
	begin, agent, end := `{"format":1,"departments":[{"name":"D"}],"agents":[{"name":"first","role":"r","department":"D"}`,
		`,{"name":"a%d","role":"r","department":"D","instructions":%q}`, "]}"
	parts := []io.Reader{strings.NewReader(begin)}
	for i := range length / len(prompt) {
		parts = append(parts, strings.NewReader(fmt.Sprintf(agent, i, prompt)))
	}
	return io.MultiReader(append(parts, strings.NewReader(end))...)
}

// TestLargeDocuments plans documents that are far larger than the memory that
// the service takes for them, and one that is larger than allowed.
func TestLargeDocuments(t *testing.T) {
	largest := size(96<<20, 400<<20)
	length := largest * 9 / 10
	s := serve(t)
	s.terminate()
	s.start("--organization-max-body", fmt.Sprint(largest))
	peak := func() int { return memory(t, s.PID(), "VmHWM") }
	idle := peak()
	send := func(to string, length int) (status int, answer int64) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/organization/"+to, largeDocument(length))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.token)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		answer, err = io.Copy(io.Discard, res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, answer
	}
	within := func(most int, what string) {
		t.Helper()
		cost := peak() - idle
		if cost > most {
			t.Errorf("%s: %d KiB more than when idle, want at most %d", what, cost, most)
		}
		t.Logf("%s: %d MiB with %d MiB of memory", what, length>>20, cost>>10)
	}
	if status, answer := send("plan", length); status != http.StatusOK || answer < int64(length) {
		t.Errorf("plan = %d with %d bytes, want 200 with %d or more", status, answer, length)
	}
	within(maxPlanning, "plan")
	if status, _ := send("apply", largest*11/10); status != http.StatusBadRequest {
		t.Errorf("apply of too large a document = %d, want 400", status)
	}
	var agents []object
	if _, err := s.client(1).Get(t.Context(), "/agents?limit=1", &agents); err != nil || len(agents) > 0 {
		t.Errorf("there are %d agents, %v, want none", len(agents), err)
	}
	if size(0, 1) == 0 {
		return // the rest takes as long as the disk does
	}
	if status, _ := send("apply", length); status != http.StatusOK {
		t.Errorf("apply = %d, want 200", status)
	}
	within(maxApplying, "apply")
	if status, answer := send("plan?prune=true", length); status != http.StatusOK || answer > 1000 {
		t.Errorf("plan of what there is = %d with %d bytes, want 200 without changes", status, answer)
	}
	within(maxApplying, "plan without changes")
}
