package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
)

// stream reads the first blocks of a stream behind a position, or what it answers in their place.
func stream(t *testing.T, url, token, position string, blocks int) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if position != "" {
		req.Header.Set("Last-Event-ID", position)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() // was only read
	for lines := bufio.NewScanner(resp.Body); blocks > 0 && lines.Scan(); {
		text += lines.Text() + "\n"
		if lines.Text() == "" {
			blocks--
		}
	}
	return resp.StatusCode, text
}

// positions are where readers of a service with three departments are, by path: the id of a
// stream before these were made, and the cursor behind the first audit entry.
func positions(t *testing.T, s *service, token string) map[string]string {
	t.Helper()
	at := map[string]string{}
	for _, path := range []string{"/activities/stream", "/changes/stream"} {
		_, text := stream(t, s.url+"/api/v1"+path, token, "", 1)
		_, id, _ := strings.Cut(text, "id: ")
		at[path], _, _ = strings.Cut(id, "\n")
	}
	for _, name := range []string{"A", "B", "C"} {
		if status, body := call(t, "POST", s.url+"/api/v1/departments", token, `{"name":"`+name+`"}`); status != 201 {
			t.Fatalf("POST /departments = %d %s, want 201", status, body)
		}
	}
	const path = "/audit?follow=true&limit=1"
	_, body := call(t, "GET", s.url+"/api/v1"+path, token, "")
	var page struct {
		Pagination struct {
			Next string `json:"next_cursor"`
		} `json:"pagination"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	at[path] = page.Pagination.Next
	return at
}

// Who follows a service goes on where an archive of it was restored, if the key came along: a
// stream begins with resync, and the audit trail goes on behind the position. Under another key
// all positions are refused.
func TestPositionsAfterAnArchive(t *testing.T) {
	t.Chdir(t.TempDir())
	s := serve(t, false, "--data-dir", "data")
	token := readSecret(t, "data/admin.token")
	at := positions(t, s, token)
	s.stop()
	must(t, nil, "archive", "create", "--data-dir", "data", "pilot")
	for dir, keys := range map[string][]string{"new-key": {"signing.key"}, "same-key": {"signing.key", "cursor.key"}} {
		must(t, nil, "archive", "restore", "--data-dir", dir, "pilot")
		for _, key := range keys {
			if err := os.Link("data/"+key, dir+"/"+key); err != nil {
				t.Fatal(err)
			}
		}
		s := serve(t, false, "--data-dir", dir)
		for path, position := range at {
			want, says := 400, `"error_code":2001`
			var status int
			var text string
			if strings.Contains(path, "stream") {
				status, text = stream(t, s.url+"/api/v1"+path, token, position, 2)
				if dir == "same-key" {
					want, says = 200, "event: resync"
				}
			} else {
				status, text = call(t, "GET", s.url+"/api/v1"+path+"&cursor="+url.QueryEscape(position), token, "")
				if dir == "same-key" {
					want, says = 200, `"resource":"departments/B"`
				}
			}
			if status != want || !strings.Contains(text, says) {
				t.Errorf("%s: GET %s behind a position of before = %d %s, want %d with %s", dir, path, status, text, want, says)
			}
		}
		s.stop()
	}
}
