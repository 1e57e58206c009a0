package mongoserver

import (
	"context"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"orgd/test/process"
)

// IsolatePrimary drops what the primary and the other members send to each other, or
// skips the test. Clients still reach all members.
func IsolatePrimary(t testing.TB, uri string) (heal func()) {
	t.Helper()
	primary, others := split(t, uri)
	var rules [][]string
	for _, other := range others {
		rules = append(rules, dropTo(t, primary, userOf(t, other)), dropTo(t, other, userOf(t, primary)))
	}
	return drop(t, uri, rules)
}

// HidePrimary drops what clients send to the primary, or skips the test. The members
// still reach each other, so none of them is elected in its place.
func HidePrimary(t testing.TB, uri string) (heal func()) {
	t.Helper()
	primary, others := split(t, uri)
	users := []string{userOf(t, primary)}
	for _, other := range others {
		users = append(users, userOf(t, other))
	}
	rule := dropTo(t, primary, slices.Min(users)+"-"+slices.Max(users))
	return drop(t, uri, [][]string{append([]string{"!"}, rule...)})
}

// split returns the address of the primary and those of the other members.
func split(t testing.TB, uri string) (primary string, others []string) {
	t.Helper()
	parsed, err := connstring.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	primary = Primary(t, uri)
	return primary, slices.DeleteFunc(parsed.Hosts, func(addr string) bool { return addr == primary })
}

// userOf returns the user that a member runs as. Each has its own, if test/servers has
// started it.
func userOf(t testing.TB, addr string) string {
	t.Helper()
	user, err := process.Output(exec.CommandContext(t.Context(), "docker", "inspect", "--format={{.Config.User}}", containerOf(t, addr)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(user)
}

// dropTo is the rule, as iptables takes it, that drops what users send to an address.
func dropTo(t testing.TB, addr, users string) []string {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--uid-owner", users, "--protocol", "tcp", "--destination", host, "--dport", port, "--jump", "DROP"}
}

// drop adds rules to the firewall of the machine, or skips the test if it may not. They
// are for packets that leave a process, whose user is known.
func drop(t testing.TB, uri string, rules [][]string) (heal func()) {
	t.Helper()
	firewall := func(action string, rule []string) error {
		args := append([]string{"--wait", action, "OUTPUT", "--match", "owner"}, rule...)
		_, err := process.Output(exec.CommandContext(context.WithoutCancel(t.Context()), "iptables", args...)) // also when the test has ended
		return err
	}
	var added [][]string
	remove := sync.OnceFunc(func() {
		for _, rule := range added {
			if err := firewall("--delete", rule); err != nil {
				t.Errorf("a rule of the firewall stays: %v", err)
			}
		}
	})
	t.Cleanup(remove)
	for _, rule := range rules {
		if err := firewall("--append", rule); err != nil {
			remove()
			t.Skipf("SKIPPED: iptables takes no rule, so the primary was NOT cut off: %v", err)
		}
		added = append(added, rule)
	}
	return func() {
		t.Helper()
		remove()
		AwaitMembers(t, uri)
	}
}
