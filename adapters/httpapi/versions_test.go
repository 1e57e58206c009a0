package httpapi

import (
	"encoding/json"
	"testing"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/revision"
)

// A version that was stored before a field came is shown as the text that its hash is of.
func TestVersionIsShownAsStored(t *testing.T) {
	w := jsondoc.NewWriter(nil)
	writeVersion(w, identity.Version{Content: identity.Default(), Text: `{"id":"a","role":"x"}`, Hash: "of the text"})
	var shown struct {
		Snapshot json.RawMessage
	}
	if err := json.Unmarshal(w.Bytes(), &shown); err != nil || string(shown.Snapshot) != `{"id":"a","role":"x"}` {
		t.Errorf("the snapshot = %s, %v, want the stored text", shown.Snapshot, err)
	}
}

// The first schema is not in a tag, so tags of the first release stay. Later ones are.
func TestAgentTag(t *testing.T) {
	at := revision.Tag{ID: "0190", Revision: 7}
	for want, s := range map[string]agent.Schema{
		`"0190.7"`:   {},
		`"0190.7.2"`: {{Path: "region", Since: 2}},
		`"0190.7.3"`: {{Path: "region", Since: 2}, {Path: "model.region", Since: 3}},
	} {
		if got := agentTag(at, s); got != want {
			t.Errorf("agentTag with %v = %s, want %s", s, got, want)
		}
	}
}
