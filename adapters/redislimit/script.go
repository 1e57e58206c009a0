package redislimit

import (
	"context"
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
	"slices"

	"github.com/redis/go-redis/v9"
)

//go:embed scripts/admit.lua
var admitText string

//go:embed scripts/renew.lua
var renewText string

// script is a program that the server runs as one atomic step. It answers with
// numbers.
type script struct{ text, sha string }

func newScript(text string) script {
	sum := sha1.Sum([]byte(text)) // how the server names it
	return script{text: text, sha: hex.EncodeToString(sum[:])}
}

// call is one run of a script.
type call struct {
	script script
	args   []any // the command: its name, the script, the number of keys, the keys, the rest
	reply  *redis.IntSliceCmd
}

// call begins a run with so many keys. The keys and then the other arguments are
// to be added.
func (s script) call(keys, others int) call {
	args := make([]any, 3, 3+keys+others)
	args[0], args[1], args[2] = "evalsha", s.sha, keys
	return call{script: s, args: args}
}

func (c *call) add(args ...any) { c.args = append(c.args, args...) }

// command makes the command of the call, once for each time that it is sent.
func (c *call) command(ctx context.Context) *redis.IntSliceCmd {
	c.reply = redis.NewIntSliceCmd(ctx, c.args...)
	return c.reply
}

// unknown reports whether the server refused the call because it does not know
// the script: it is new, was restarted or has forgotten its scripts.
func (c *call) unknown() bool { return redis.HasErrorPrefix(c.reply.Err(), "NOSCRIPT") }

// run sends the calls in one round trip, and those whose script the server does
// not know once more with its text. Each call has its reply or its error then.
func run(ctx context.Context, client redis.UniversalClient, calls []*call) {
	cmds := make([]redis.Cmder, 0, len(calls))
	for _, c := range calls {
		cmds = append(cmds, c.command(ctx))
	}
	roundTrip(ctx, client, cmds)
	cmds = cmds[:0]
	for _, c := range calls {
		if c.unknown() {
			c.args[0], c.args[1] = "eval", c.script.text
			cmds = append(cmds, c.command(ctx))
		}
	}
	if len(cmds) > 0 {
		roundTrip(ctx, client, cmds)
	}
}

// roundTrip sends the commands in one round trip. Each has its reply or its error
// then.
func roundTrip(ctx context.Context, client redis.UniversalClient, cmds []redis.Cmder) {
	pipe := client.Pipeline()
	_ = pipe.BatchProcess(ctx, cmds...) // only gathers them
	_, err := pipe.Exec(ctx)
	if err == nil || slices.ContainsFunc(cmds, failed) {
		return
	}
	// Where Redis refuses the login, the library tells no command.
	for _, cmd := range cmds {
		cmd.SetErr(err)
	}
}

func failed(cmd redis.Cmder) bool { return cmd.Err() != nil }
