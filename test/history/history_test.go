package history

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const synthetic = "testdata/history.jsonl"

func TestReadFile(t *testing.T) {
	plain, err := ReadFile(synthetic)
	if err != nil {
		t.Fatalf("ReadFile = %v, want none", err)
	}
	packed, err := ReadFile(compress(t, synthetic))
	if err != nil {
		t.Fatalf("ReadFile of gzip = %v, want none", err)
	}
	if diff := cmp.Diff(plain, packed); diff != "" {
		t.Errorf("plain and compressed differ (-plain +compressed):\n%s", diff)
	}
	if len(plain) != 16 {
		t.Errorf("ReadFile = %d entries, want 16", len(plain))
	}
	want := Entry{
		Seq: 10, Commit: plain[9].Commit, Date: time.Date(2025, 7, 4, 7, 10, 0, 0, time.UTC), Op: Update, Name: "bob",
		Department: new("quality"), Description: new("Bob checks."),
	}
	if diff := cmp.Diff(want, plain[9]); diff != "" {
		t.Errorf("entry 10 differs (-want +got):\n%s", diff)
	}
}

// compress writes a compressed copy of a file and returns its path.
func compress(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir() + "/history.jsonl.gz"
	if err := os.WriteFile(to, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestReadRefuses(t *testing.T) {
	const (
		ada  = `{"seq":1,"commit":"c","date":"2025-07-01T00:00:00Z","op":"hire","name":"ada","department":"d","description":"","model":"","tools":[],"instructions":""}`
		next = `{"seq":2,"commit":"c","date":"2025-07-01T00:00:00Z",`
	)
	for name, test := range map[string]struct{ text, want string }{
		"not JSON":       {"hello", "entry 1: "},
		"unknown field":  {strings.Replace(ada, "model", "modle", 1), `"modle"`},
		"gap":            {strings.Replace(ada, `"seq":1`, `"seq":2`, 1), "seq is 2, want 1"},
		"no date":        {strings.Replace(ada, `"date":"2025-07-01T00:00:00Z",`, "", 1), "required"},
		"incomplete":     {strings.Replace(ada, `"model":"",`, "", 1), "a hire needs all fields"},
		"unknown op":     {strings.Replace(ada, "hire", "retire", 1), `op is "retire"`},
		"hired twice":    {ada + "\n" + strings.Replace(ada, `"seq":1`, `"seq":2`, 1), "ada is hired but"},
		"update nobody":  {ada + "\n" + next + `"op":"update","name":"bob"}`, "entry 2: update of bob"},
		"fire nobody":    {ada + "\n" + next + `"op":"fire","name":"bob"}`, "entry 2: fire of bob"},
		"cut gzip":       {"\x1f\x8b\x08", "EOF"},
		"trailing words": {ada + "\nend", "entry 2: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Read = %v, want an error with %q", err, test.want)
			}
		})
	}
}
