package load

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// reporter writes what a client reports about some agents that work on tasks,
// use tools, spend money and hand work on.
type reporter struct {
	agents []string
	types  []string
	over   time.Duration // that a request tells of
	rng    *rand.Rand
	body   []byte
}

// usual is how often agents report what.
var usual = []string{
	"task_started", "task_started", "task_completed", "task_completed", "task_completed",
	"tool_used", "tool_used", "tool_used", "cost_incurred", "delegation_sent",
}

func newReporter(agents []string, seed uint64) *reporter {
	return &reporter{agents: agents, types: usual, over: time.Second, rng: rand.New(rand.NewPCG(seed, 0))}
}

// request returns the body of a request with n events of the time before at.
// It is valid until the next call.
func (r *reporter) request(n int, at time.Time) []byte {
	r.body = append(r.body[:0], `{"events":[`...)
	for i := range n {
		if i > 0 {
			r.body = append(r.body, ',')
		}
		r.event(at.Add(-time.Duration(r.rng.Int64N(int64(r.over)))))
	}
	r.body = append(r.body, `]}`...)
	return r.body
}

// event appends one event, with an id as a client makes it that may have to
// repeat its request.
func (r *reporter) event(at time.Time) {
	kind, agent := r.types[r.rng.IntN(len(r.types))], r.agents[r.rng.IntN(len(r.agents))]
	r.body = fmt.Appendf(r.body,
		`{"id":%q,"event_type":%q,"agent":%q,"timestamp":%q,"description":"looked into the answers of yesterday","data":`,
		r.uuid(at), kind, agent, at.UTC().Format("2006-01-02T15:04:05.000Z"))
	task := r.rng.Uint32()
	switch kind {
	case "task_started":
		r.body = fmt.Appendf(r.body, `{"task_id":"T-%d"}}`, task)
	case "task_completed":
		quality := strconv.FormatFloat(10*r.rng.Float64(), 'f', 2, 64)
		r.body = fmt.Appendf(r.body,
			`{"task_id":"T-%d","success":%t,"duration_seconds":%d.25,"quality_score":%s,"cost":0.%05d,"tokens":%d}}`,
			task, r.rng.IntN(10) > 0, 1+r.rng.IntN(900), quality, r.rng.IntN(100_000), 500+r.rng.IntN(90_000))
	case "tool_used":
		r.body = fmt.Appendf(r.body, `{"tool":"search","success":%t}}`, r.rng.IntN(20) > 0)
	case "cost_incurred":
		r.body = fmt.Appendf(r.body, `{"amount":0.%05d,"model":"large-1","input_tokens":%d,"output_tokens":%d}}`,
			r.rng.IntN(100_000), r.rng.IntN(90_000), r.rng.IntN(9_000))
	default:
		r.body = fmt.Appendf(r.body, `{"task_id":"T-%d","counterpart":"agent-00001","score":%d}}`, task, r.rng.IntN(11))
	}
}

// uuid is a UUIDv7 of the time.
func (r *reporter) uuid(at time.Time) string {
	ms, random := at.UnixMilli(), r.rng.Uint64()
	return fmt.Sprintf("%08x-%04x-7%03x-8%03x-%012x", ms>>16, ms&0xffff, random>>52, random&0xfff, r.rng.Uint64()>>16)
}
