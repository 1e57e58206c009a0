package integration

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd"
	"orgd/ports"
	"orgd/test/apitest"
	"orgd/test/process"
	"orgd/test/tokens"
)

// replicas is how many processes serve one organization.
const replicas = 3

// start starts a service on an empty database that is reached by uri, and ends it
// in good order when the test ends. More flags of `orgd serve` may follow.
func start(t *testing.T, uri string, flags ...string) (*apitest.Service, []*process.Process) {
	t.Helper()
	name := takeDatabase(t)
	env := []string{"ORGD_STORAGE=mongodb", "ORGD_MONGO_URI=" + uri, "ORGD_MONGO_DATABASE=" + name}
	flags = slices.Concat(process.Patient(), []string{
		"--limits", "off", "--redis-addr", redisAddr, "--redis-prefix", bson.NewObjectID().Hex(),
		"--console", "--replicas", strconv.Itoa(replicas), "--signing-key-file", signingKey, "--cursor-key-file", cursorKey,
	}, flags)
	all := make([]*process.Process, replicas)
	each(func(i int) {
		var err error
		if all[i], err = process.Serve(context.WithoutCancel(t.Context()), binary, env, flags...); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { terminate(t, all) })
	if t.Failed() {
		t.FailNow()
	}
	s := &apitest.Service{Mint: minter()}
	for _, p := range all {
		s.URLs = append(s.URLs, p.URL)
	}
	return s, all
}

// each does something for every replica at once.
func each(do func(i int)) {
	var all sync.WaitGroup
	for i := range replicas {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// terminate ends the replicas that were started.
func terminate(t *testing.T, all []*process.Process) {
	each(func(i int) {
		p := all[i]
		if p == nil {
			return
		}
		if code, err := p.Terminate(); code != 0 || err != nil {
			t.Errorf("Terminate = %d, %v, want 0 and no error\n%s", code, err, p.Log())
		}
		if t.Failed() {
			t.Logf("end of the log of replica %d:\n%s", i, p.Log())
		}
	})
}

// startClean is start for a service that must not log an error until it has
// ended, except that the storage was slow: that is the test's machine.
func startClean(t *testing.T, flags ...string) *apitest.Service {
	t.Helper()
	var s *apitest.Service
	var all []*process.Process
	t.Cleanup(func() {
		for i, p := range all {
			slow := func(line string) bool { return strings.Contains(line, ports.ErrUnavailable.Error()) }
			if lines := slices.DeleteFunc(p.Errors(), slow); len(lines) > 0 {
				t.Errorf("replica %d logged errors:\n%s", i, strings.Join(lines, "\n"))
			}
		}
	})
	s, all = start(t, mongoURI, flags...)
	return s
}

// minter makes tokens that every replica accepts.
func minter() func(apitest.Grant) (string, error) {
	cfg := orgd.Default()
	cfg.Storage, cfg.Auth.KeyFile = orgd.MongoDB, signingKey
	return tokens.Minter(cfg)
}
