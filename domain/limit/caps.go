package limit

import (
	"time"

	"orgd/domain/fault"
)

// Rate is a cap on requests in any period of a length. Cap 0 is no limit.
type Rate struct {
	Cap    int
	Length time.Duration
}

// Caps are all limits of the service. The zero value limits nothing.
type Caps struct {
	Address      Rate            // every request, per client address
	AuthFailures Rate            // requests with a bad token, per client address
	SignIns      Rate            // sign-ins that ask the identity provider, per client address
	AllSignIns   Rate            // those of all addresses together
	Subject      Rate            // authenticated requests, per subject
	Operations   map[string]Rate // per operation and subject
	Slots        map[string]int  // at once, per operation and subject
}

// Names of the windows that are not named after an operation.
const (
	AddressName      = "address"
	AuthFailuresName = "auth-failures"
	SignInsName      = "sign-ins"
	AllSignInsName   = "all-sign-ins"
	SubjectName      = "subject"
)

// Defaults are the caps of a service whose operator sets none. Each call
// returns maps of its own.
func Defaults() Caps {
	return Caps{
		Address:      perMinute(10_000),
		AuthFailures: perMinute(30),
		SignIns:      perMinute(60),
		AllSignIns:   perMinute(600),
		Subject:      perMinute(6_000),
		Operations: map[string]Rate{
			"agents.create":                      perMinute(60),
			"agents.update":                      perMinute(120),
			"agents.delete":                      perMinute(30),
			"agents.rollback":                    perMinute(30),
			"agents.restore":                     perMinute(30),
			"labels.move":                        perMinute(120),
			"departments.create":                 perMinute(30),
			"departments.update":                 perMinute(60),
			"departments.delete":                 perMinute(20),
			"departments.reorder_agents":         perMinute(30),
			"departments.update_ceremony_policy": perMinute(60),
			"departments.delete_ceremony_policy": perMinute(30),
			"company.update":                     perMinute(60),
			"company.reorder_departments":        perMinute(20),
			"projects.create":                    perMinute(60),
			"projects.update":                    perMinute(120),
			"projects.delete":                    perMinute(30),
			"activities.ingest":                  perMinute(600),
			"organization.apply":                 perMinute(20),
			"webhooks.write":                     perMinute(60),
			"webhooks.test":                      perMinute(10),
			"auth.tokens":                        perMinute(30),
		},
		Slots: map[string]int{
			"departments.reorder_agents":  1,
			"company.reorder_departments": 1,
			"agents.rollback":             2,
			"organization.apply":          1,
			"activities.ingest":           8,
			"activities.stream":           4,
			"changes.stream":              32, // one for each process that runs agents
		},
	}
}

func perMinute(n int) Rate { return Rate{Cap: n, Length: time.Minute} }

// Off are caps that limit nothing.
func Off() Caps { return Caps{} }

// PerReplica returns what each of n replicas may admit on its own so that
// together they stay near the caps: max(1, ⌊cap / n⌋). What is off stays off;
// n below 1 counts as 1.
func (c Caps) PerReplica(n int) Caps {
	c.Address = c.Address.perReplica(n)
	c.AuthFailures = c.AuthFailures.perReplica(n)
	c.SignIns = c.SignIns.perReplica(n)
	c.AllSignIns = c.AllSignIns.perReplica(n)
	c.Subject = c.Subject.perReplica(n)
	operations := make(map[string]Rate, len(c.Operations))
	for op, r := range c.Operations {
		operations[op] = r.perReplica(n)
	}
	slots := make(map[string]int, len(c.Slots))
	for op, cap := range c.Slots {
		slots[op] = share(cap, n)
	}
	c.Operations, c.Slots = operations, slots
	return c
}

func (r Rate) perReplica(n int) Rate {
	r.Cap = share(r.Cap, n)
	return r
}

func share(cap, n int) int {
	if cap <= 0 {
		return 0
	}
	return max(1, cap/max(1, n))
}

// Request is what is known of a request before its body is read.
type Request struct {
	Address   string // of the client
	BadToken  bool   // authentication was tried and failed
	Subject   string // who asks; empty when not authenticated
	Operation string // a key of Operations or Slots; any other limits nothing
}

// Ask says what a request has to ask the limiter for: its address always counts;
// a bad token counts as a failure of the address; a subject brings its own
// window and those of the operation. A good token never meets the window of the
// failures.
func (c Caps) Ask(r Request) Ask {
	ask := Ask{Address: r.Address}
	ask.AddressWindows = c.Address.window(ask.AddressWindows, AddressName, r.Address, fault.RateLimited)
	if r.BadToken {
		ask.AddressWindows = c.AuthFailures.window(ask.AddressWindows, AuthFailuresName, r.Address, fault.RateLimited)
		return ask
	}
	if r.Subject == "" {
		return ask
	}
	ask.Subject = r.Subject
	ask.SubjectWindows = make([]Window, 0, 2)
	ask.SubjectWindows = c.Subject.window(ask.SubjectWindows, SubjectName, r.Subject, fault.RateLimited)
	ask.SubjectWindows = c.Operations[r.Operation].window(ask.SubjectWindows, r.Operation, r.Subject, fault.OperationLimited)
	if cap := c.Slots[r.Operation]; cap > 0 {
		ask.Slot = &Slot{Name: r.Operation, Key: r.Subject, Cap: cap}
	}
	return ask
}

// AskSignIn says what a sign-in that asks the identity provider has to ask for first: anybody
// can begin one.
func (c Caps) AskSignIn(address string) Ask {
	return Ask{
		Address:        address,
		AddressWindows: c.SignIns.window(nil, SignInsName, address, fault.RateLimited),
		Subject:        AllSignInsName,
		SubjectWindows: c.AllSignIns.window(nil, AllSignInsName, AllSignInsName, fault.RateLimited),
	}
}

// window appends the window of the rate to ws, unless the rate is off.
func (r Rate) window(ws []Window, name, key string, code fault.Code) []Window {
	if r.Cap <= 0 {
		return ws
	}
	return append(ws, Window{Name: name, Key: key, Cap: r.Cap, Length: r.Length, Code: code})
}
