package activity

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
)

func object(text string) jsondoc.Object {
	o, err := jsondoc.ParseObject([]byte(text))
	if err != nil {
		panic(err)
	}
	return o
}

func parseBatch(t interface{ Fatalf(string, ...any) }, text string) ([]Entry, error) {
	v, err := jsondoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("jsondoc.Parse(%s) = %v", text, err)
	}
	return ParseBatch(v, time.Now(), 0)
}

// started is a valid entry with some of its members replaced or added.
func started(members string) string {
	entry := object(`{"event_type":"task_started","agent":"Grace","data":{"task_id":"t-1"}}`)
	return entry.Merge(object("{" + members + "}").Value()).String()
}

func TestParseBatch(t *testing.T) {
	got, err := parseBatch(t, `{"events": [
		{"event_type": "task_started", "agent": "Grace", "data": {"task_id": "t-1"}},
		{
			"id": "01890A5D-AC96-774B-BCCE-B302099A8057", "event_type": "task_completed", "agent": " Grace ",
			"timestamp": "2026-01-31T13:00:00.1239+01:00", "description": "wrote it",
			"related_ids": {"project": "p-1", "a.b": "$x"},
			"data": {"task_id": "t-1", "success": true, "duration_seconds": 1.5e0, "quality_score": null, "$ne": null, "n": 1.0}
		}
	]}`)
	if err != nil {
		t.Fatalf("ParseBatch = %v, want nil", err)
	}
	want := []Entry{
		{Type: TaskStarted, Agent: "Grace", Data: new(object(`{"task_id":"t-1"}`))},
		{
			ID: someID, Type: TaskCompleted, Agent: " Grace ",
			At:          time.Date(2026, 1, 31, 12, 0, 0, 123e6, time.UTC),
			Description: "wrote it",
			Related:     object(`{"a.b":"$x","project":"p-1"}`),
			Data: new(object(
				`{"$ne":null,"duration_seconds":1.5,"n":1,"quality_score":null,"success":true,"task_id":"t-1"}`)),
			Measures: Measures{Finished: true, Success: true, Duration: new(1500 * time.Millisecond)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ParseBatch (-want +got):\n%s", diff)
	}
}

func TestParseBatchMeasures(t *testing.T) {
	for name, c := range map[string]struct {
		entry string
		want  Measures
	}{
		"task": {
			`"event_type":"task_completed","data":{"task_id":"t","success":false,"duration_seconds":0.25,` +
				`"quality_score":7.25,"cost":0.000000001,"tokens":1200}`,
			Measures{
				Finished: true, Duration: new(250 * time.Millisecond), Quality: new(Score(7_250_000_000)),
				Cost: new(money.Amount(1)), Tokens: new(int64(1200)),
			},
		},
		"bounds": {
			`"event_type":"task_completed","data":{"task_id":"t","success":true,"duration_seconds":1e9,` +
				`"quality_score":10,"cost":999999999.999999999,"tokens":1e12}`,
			Measures{
				Finished: true, Success: true, Duration: new(time.Duration(MaxDuration)), Quality: new(MaxScore),
				Cost: new(money.MaxAmount), Tokens: new(int64(MaxTokens)),
			},
		},
		"zeros": {
			`"event_type":"task_completed","data":{"task_id":"t","success":true,"duration_seconds":0,` +
				`"quality_score":0,"cost":0,"tokens":0}`,
			Measures{
				Finished: true, Success: true, Duration: new(time.Duration(0)), Quality: new(Score(0)),
				Cost: new(money.Amount(0)), Tokens: new(int64(0)),
			},
		},
		"long fractions": {
			`"event_type":"task_completed","data":{"task_id":"t","success":true,` +
				`"duration_seconds":0.00234580039978027344,"quality_score":9.9999999999}`,
			Measures{
				Finished: true, Success: true, Duration: new(2_345_800 * time.Nanosecond), Quality: new(MaxScore),
			},
		},
		"cost": {
			`"event_type":"cost_incurred","data":{"amount":12.5,"model":"m","input_tokens":1,"output_tokens":2}`,
			Measures{Incurred: new(money.Amount(12_500_000_000))},
		},
		"tool":               {`"event_type":"tool_used","data":{"tool":"grep","success":false}`, Measures{}},
		"delegation unrated": {`"event_type":"delegation_sent"`, Measures{}},
		"delegation": {
			`"event_type":"delegation_received","data":{"counterpart":"Ada","score":3}`,
			Measures{Collaboration: new(3 * Point)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseBatch(t, `{"events":[`+started(c.entry)+`]}`)
			if err != nil {
				t.Fatalf("ParseBatch = %v, want nil", err)
			}
			if diff := cmp.Diff(c.want, got[0].Measures); diff != "" {
				t.Errorf("Measures (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseBatchRefuses(t *testing.T) {
	related := make([]string, MaxRelated+1)
	for i := range related {
		related[i] = fmt.Sprintf(`"k%d":"v"`, i)
	}
	task := `"event_type":"task_completed","data":`
	for _, c := range []struct{ members, want string }{
		{`"event_type":null`, "events[0].event_type: is required"},
		{`"event_type":"hired"`, "events[0].event_type: must be one of task_started"},
		{`"agent":null`, "events[0].agent: is required"},
		{`"agent":""`, "events[0].agent: must be 1 to 128"},
		{`"agent":"` + strings.Repeat("x", 129) + `"`, "events[0].agent: must be 1 to 128"},
		{`"id":"x"`, "events[0].id: must be a UUID"},
		{`"id":5`, "events[0].id: must be a UUID"},
		{`"timestamp":"2026-01-31"`, "events[0].timestamp: must be a time"},
		{`"timestamp":1769860800`, "events[0].timestamp: must be a time"},
		{`"timestamp":"0001-01-01T00:00:00Z"`, "events[0].timestamp: must not be before 1970"},
		{`"description":"` + strings.Repeat("x", 1025) + `"`, "events[0].description: must be"},
		{`"related_ids":"x"`, "events[0].related_ids: must be an object"},
		{`"related_ids":{"a":1}`, "events[0].related_ids.a: must be a string"},
		{`"related_ids":{"a":""}`, "events[0].related_ids.a: must be 1 to 256"},
		{`"related_ids":{"":"a"}`, "events[0].related_ids: must have keys of 1 to 256"},
		{`"related_ids":{` + strings.Join(related, ",") + `}`, "events[0].related_ids: must have at most 64"},
		{`"data":null`, "events[0].data: is required"},
		{`"data":[]`, "events[0].data: must be an object"},
		{`"data":{"task_id":null}`, "events[0].data.task_id: is required"},
		{`"data":{"task_id":7}`, "events[0].data.task_id: must be a string"},
		{`"data":{"x":"` + strings.Repeat("x", MaxData) + `"}`, "events[0].data: must be at most 16384 bytes"},
		{`"colour":"red"`, "events[0].colour: unknown field"},
		{`"Agent":"Grace"`, "events[0].Agent: unknown field"},
		{task + `{"success":null}`, "events[0].data.success: is required"},
		{task + `{"success":"yes"}`, "events[0].data.success: must be true or false"},
		{task + `{"success":true,"duration_seconds":-1}`, "events[0].data.duration_seconds: must be a number from 0"},
		{task + `{"success":true,"duration_seconds":1000000000.1}`, "events[0].data.duration_seconds: must be"},
		{task + `{"success":true,"quality_score":10.00000000001}`, "events[0].data.quality_score: must be a number from 0 to 10"},
		{task + `{"success":true,"quality_score":"9"}`, "events[0].data.quality_score: must be a number"},
		{task + `{"success":true,"cost":0.0000000001}`, "events[0].data.cost: must have at most 9 decimals"},
		{task + `{"success":true,"cost":-1}`, "events[0].data.cost: must be"},
		{task + `{"success":true,"tokens":1.5}`, "events[0].data.tokens: must be a whole number"},
		{task + `{"success":true,"tokens":-1}`, "events[0].data.tokens: must be a whole number"},
		{`"event_type":"cost_incurred"`, "events[0].data.amount: is required"},
		{`"event_type":"cost_incurred","data":{"amount":-1}`, "events[0].data.amount: must be"},
		{`"event_type":"cost_incurred","data":{"amount":1,"model":""}`, "events[0].data.model: must be 1 to 256"},
		{`"event_type":"tool_used","data":{"success":true}`, "events[0].data.tool: is required"},
		{`"event_type":"tool_used","data":{"tool":"x"}`, "events[0].data.success: is required"},
		{`"event_type":"delegation_sent","data":{"score":11}`, "events[0].data.score: must be a number from 0 to 10"},
	} {
		body := `{"events":[` + started(c.members) + `]}`
		_, err := parseBatch(t, body)
		if f := fault.Of(err); f.Code != fault.RequestValidation || !strings.Contains(f.Msg, c.want) {
			t.Errorf("ParseBatch(%.200s) = %v, want code 2001 with %q", body, err, c.want)
		}
	}
}

// Members that look like ones that are counted, and are none, are named.
func TestParseBatchNamesWhatIsNotCounted(t *testing.T) {
	for data, want := range map[string][]string{
		`"duration":3,"quality":9,"note":"x"`:        {`data.duration: is not counted, did you mean "duration_seconds"?`, `data.quality: is not counted, did you mean "quality_score"?`},
		`"durationSeconds":3`:                        {`data.durationSeconds: is not counted, did you mean "duration_seconds"?`},
		`"cost_usd":3,"total_tokens":5`:              {`data.cost_usd: is not counted, did you mean "cost"?`, `data.total_tokens: is not counted, did you mean "tokens"?`},
		`"duration":3,"duration_seconds":3`:          nil,
		`"title":"x","branch":"y","model":"z","c":1`: nil,
	} {
		got, err := parseBatch(t, `{"events":[{"event_type":"task_completed","agent":"a","data":{"task_id":"t","success":true,`+data+`}}]}`)
		if err != nil || !slices.Equal(got[0].Unused, want) {
			t.Errorf("ParseBatch with %s = %+v, %v, want %q", data, got, err, want)
		}
	}
}

// What is null is not said: clients send every field that they know.
func TestParseBatchNulls(t *testing.T) {
	const body = `{"events":[{"id":null,"event_type":"task_completed","agent":"Grace","timestamp":null,"description":null,"related_ids":null,` +
		`"data":{"task_id":"t","success":true,"tokens":null,"cost":null,"duration_seconds":null,"quality_score":null}}]}`
	got, err := parseBatch(t, body)
	if err != nil || len(got) != 1 || got[0].ID != "" || !got[0].At.IsZero() || got[0].Measures != (Measures{Finished: true, Success: true}) {
		t.Errorf("ParseBatch = %+v, %v, want an entry without figures, id and time", got, err)
	}
	for member, want := range map[string]string{
		`"event_type":null`: "events[0].event_type: is required", `"agent":null`: "events[0].agent: is required",
		`"data":null`: "events[0].data: is required", `"data":{"task_id":null,"success":true}`: "events[0].data.task_id: is required",
	} {
		rest := `{"event_type":"task_completed","agent":"Grace","data":{"task_id":"t","success":true}`
		name, _, _ := strings.Cut(member, ":")
		rest = regexp.MustCompile(`,?`+name+`:("[^"]*"|{[^}]*})`).ReplaceAllString(rest, "")
		_, err := parseBatch(t, strings.Replace(`{"events":[`+rest+`,`+member+`}]}`, "{,", "{", 1))
		if err == nil || err.Error() != want {
			t.Errorf("ParseBatch with %s = %v, want %q", member, err, want)
		}
	}
}

func TestParseBatchSize(t *testing.T) {
	for n, ok := range map[int]bool{0: false, 1: true, MaxBatch: true, MaxBatch + 1: false} {
		entries := strings.TrimSuffix(strings.Repeat(started("")+",", n), ",")
		got, err := parseBatch(t, `{"events":[`+entries+`]}`)
		if ok && (err != nil || len(got) != n) || !ok && fault.Of(err).Code != fault.RequestValidation {
			t.Errorf("ParseBatch of %d entries = %d entries, %v, want accepted %t", n, len(got), err, ok)
		}
	}
	for _, body := range []string{`{}`, `[]`, `{"events":null}`, `{"events":{}}`, `{"events":[1]}`} {
		if _, err := parseBatch(t, body); fault.Of(err).Code != fault.RequestValidation {
			t.Errorf("ParseBatch(%s) = %v, want code 2001", body, err)
		}
	}
}

func TestParseBatchNamesEveryBadEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SliceOfN(rapid.Bool(), 1, 200).Draw(t, "bad")
		entries := make([]string, len(bad))
		anyBad := false
		for i := range entries {
			entries[i] = started("")
			if bad[i] {
				anyBad = true
				entries[i] = rapid.SampledFrom([]string{`{}`, `7`, started(`"id":"?"`), started(`"x":1,"y":2`)}).Draw(t, "entry")
			}
		}
		_, err := parseBatch(t, `{"events":[`+strings.Join(entries, ",")+`]}`)
		if !anyBad {
			if err != nil {
				t.Fatalf("ParseBatch = %v, want nil", err)
			}
			return
		}
		msg := fault.Of(err).Msg
		for i := range bad {
			if named := strings.Contains(msg, fmt.Sprintf("events[%d]", i)); named != bad[i] {
				t.Fatalf("ParseBatch names entry %d: %t, want %t\n%s", i, named, bad[i], msg)
			}
			entry := fmt.Sprintf("events[%d]", i)
			if listed := slices.ContainsFunc(fault.Of(err).Mistakes(), func(m fault.Mistake) bool { return strings.HasPrefix(m.Path, entry) }); listed != bad[i] {
				t.Fatalf("ParseBatch lists a mistake of entry %d: %t, want %t\n%+v", i, listed, bad[i], fault.Of(err).Mistakes())
			}
		}
	})
}

func TestParseBatchTimes(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	const retention = 400 * 24 * time.Hour
	parse := func(retention time.Duration, entries ...string) error {
		t.Helper()
		v, err := jsondoc.Parse([]byte(`{"events":[` + strings.Join(entries, ",") + `]}`))
		if err != nil {
			t.Fatalf("jsondoc.Parse = %v", err)
		}
		_, err = ParseBatch(v, now, retention)
		return err
	}
	at := func(at time.Time) string {
		return `{"event_type":"tool_used","agent":"a","data":{"tool":"t","success":true},"timestamp":"` + at.Format("2006-01-02T15:04:05.000Z07:00") + `"}`
	}
	good := []string{started(""), at(now), at(now.Add(MaxAhead)), at(now.Add(-retention))}
	ahead, old := at(now.Add(MaxAhead+time.Millisecond)), at(now.Add(-retention-time.Millisecond))
	if err := parse(retention, good...); err != nil {
		t.Errorf("ParseBatch of good times = %v, want nil", err)
	}
	if err := parse(0, at(time.Unix(0, 0).UTC())); err != nil {
		t.Errorf("ParseBatch without retention = %v, want nil", err)
	}
	want := "events[4].timestamp: must not be more than 5 minutes ahead; " +
		"events[5].timestamp: must not be before 2024-12-27T12:00:00Z, older events are not kept"
	if err := parse(retention, append(good, ahead, old)...); !errors.Is(err, jsondoc.ErrInvalid) || err.Error() != want {
		t.Errorf("ParseBatch = %v, want ErrInvalid %q", err, want)
	}
	noTime := strings.Replace(at(now), "T12", " 12", 1)
	want = "events[0].timestamp: must be a time such as 2026-01-31T12:00:00.000Z"
	if err := parse(retention, noTime); err == nil || err.Error() != want {
		t.Errorf("ParseBatch of what is no time = %v, want %q alone", err, want)
	}
	err := parse(retention, append(good, ahead, `{}`)...)
	for _, want := range []string{"events[4].timestamp: must not be more than 5 minutes ahead", "events[5]."} {
		if fault.Of(err).Code != fault.RequestValidation || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseBatch = %v, want code 2001 with %q", err, want)
		}
	}
}

func TestEntryEvent(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	e := Entry{Type: ToolUsed, Agent: "grace", Description: "d", Related: object(`{"a":"b"}`), Data: new(object(`{"c":1}`))}
	want := Event{
		ID: "made", Type: ToolUsed, At: now, AgentID: "agent-1", AgentName: "Grace",
		Description: "d", Related: e.Related, Data: e.Data,
	}
	if diff := cmp.Diff(want, e.Event("made", now, "agent-1", "Grace")); diff != "" {
		t.Errorf("Event (-want +got):\n%s", diff)
	}
	e.ID, e.At = "given", now.Add(-time.Hour)
	want.ID, want.At = e.ID, e.At
	if diff := cmp.Diff(want, e.Event("made", now, "agent-1", "Grace")); diff != "" {
		t.Errorf("Event with id and time (-want +got):\n%s", diff)
	}
}

func BenchmarkParseBatch(b *testing.B) {
	entry := `{"event_type":"task_completed","agent":"Grace","timestamp":"2026-01-31T12:00:00Z","description":"d",` +
		`"related_ids":{"project":"p"},"data":{"task_id":"t","success":true,"duration_seconds":1.5,"quality_score":8.25,` +
		`"cost":0.0125,"tokens":1200}}`
	text := []byte(`{"events":[` + strings.Repeat(entry+",", MaxBatch-1) + entry + `]}`)
	for b.Loop() {
		v, err := jsondoc.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := ParseBatch(v, time.Now(), 0); err != nil {
			b.Fatal(err)
		}
	}
}
