package faults

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/process"
	"orgd/test/redisserver"
	"orgd/test/seed"
)

const (
	// atOnce is how many requests of the operation may run at the same time.
	atOnce = 3
	// crashFree is how long the slots of a process that died may stay taken.
	crashFree = 16 * time.Second
	// slotFree is how long a slot may take to be given back.
	slotFree = 2 * time.Second
	// answerWait bounds what a client waits for.
	answerWait = 20 * time.Second
)

// slotBody is what a client keeps back while its request holds a slot.
const slotBody = `{"target_version": 1}`

// held is a request that holds a slot: the service waits for its body.
type held struct {
	conn    net.Conn
	answers *bufio.Reader
}

// takeSlot begins a request. It returns nil if all slots are taken.
func takeSlot(p *process.Process, token string) (*held, error) {
	host := strings.TrimPrefix(p.URL, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	h := &held{conn, bufio.NewReader(conn)}
	status, err := h.begin(host, token)
	if err == nil && status == http.StatusContinue {
		return h, nil
	}
	if err == nil && status != http.StatusTooManyRequests {
		err = fmt.Errorf("answer %d before the body, want 100 or 429", status)
	}
	return nil, errors.Join(err, conn.Close())
}

func (h *held) begin(host, token string) (int, error) {
	if err := h.conn.SetDeadline(time.Now().Add(answerWait)); err != nil {
		return 0, err
	}
	if _, err := fmt.Fprintf(h.conn, "POST /api/v1/agents/nobody/versions/rollback HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", host, token, len(slotBody)); err != nil {
		return 0, err
	}
	return h.status()
}

func (h *held) status() (int, error) {
	resp, err := http.ReadResponse(h.answers, nil)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// stay keeps the slot for a while. It reports whether the replica died meanwhile.
func (h *held) stay(d time.Duration) (died bool, err error) {
	if err := h.conn.SetDeadline(time.Now().Add(d)); err != nil {
		return false, err
	}
	_, err = h.answers.Peek(1)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return false, nil
	case err == nil:
		return false, errors.New("the service answered before the body was sent")
	}
	return true, h.conn.Close()
}

// finish sends the body and wants the answer.
func (h *held) finish() error {
	if err := h.conn.SetDeadline(time.Now().Add(answerWait)); err != nil {
		return err
	}
	if _, err := fmt.Fprint(h.conn, slotBody); err != nil {
		return err
	}
	if status, err := h.status(); err != nil || status != http.StatusNotFound {
		return fmt.Errorf("answer %d, %w, want 404", status, err)
	}
	return h.conn.Close()
}

// leave closes the connection in the middle of the request.
func (h *held) leave() error { return h.conn.Close() }

// holders are clients that want slots of one subject.
type holders struct {
	c        *cluster
	longest  time.Duration // that a slot is held
	running  atomic.Int32
	attempts atomic.Int64
	held     atomic.Int64
	most     atomic.Int32
}

// work takes slots, holds them, and gives them back in one way or another.
func (hs *holders) work(rng *rand.Rand, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case <-time.After(upTo(rng, 100*time.Millisecond)):
		}
		hs.attempts.Add(1)
		h, err := takeSlot(hs.c.replicas[rng.IntN(len(hs.c.replicas))], hs.c.token)
		if err != nil {
			return err
		}
		if h != nil {
			if err := hs.hold(rng, h); err != nil {
				return err
			}
		}
	}
}

func (hs *holders) hold(rng *rand.Rand, h *held) error {
	n := hs.running.Add(1)
	hs.held.Add(1)
	for most := hs.most.Load(); n > most && !hs.most.CompareAndSwap(most, n); {
		most = hs.most.Load()
	}
	d := 100 * time.Millisecond
	if rng.IntN(10) == 0 {
		d += upTo(rng, hs.longest)
	}
	_, err := h.stay(d)
	hs.running.Add(-1) // from now on the service may give the slot to somebody else
	if err != nil {
		return err
	}
	if rng.IntN(3) == 0 {
		return h.leave()
	}
	return h.finish()
}

// TestReplicasNeverRunMoreAtOnce lets many clients hold slots through all
// replicas, for short and long times; some of them leave without an answer. Then
// a replica dies that holds all slots.
func TestReplicasNeverRunMoreAtOnce(t *testing.T) {
	t.Parallel()
	const clients = 40
	least := int64(size(5_000, 100_000))
	seeds := seed.Rand(t)
	c := startLimited(t, clusterSize, redisserver.Shared(t), "--limit-at-once", fmt.Sprintf("agents.rollback=%d", atOnce))
	hs := &holders{c: c, longest: time.Duration(size(1, 13)) * time.Second}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range clients {
		rng := rand.New(rand.NewPCG(seeds.Uint64(), 0))
		wg.Go(func() {
			if err := hs.work(rng, stop); err != nil {
				t.Errorf("client %d: %v", i, err)
			}
		})
	}
	for hs.attempts.Load() < least && !t.Failed() {
		time.Sleep(100 * time.Millisecond)
	}
	close(stop)
	wg.Wait()
	took := time.Since(begin)
	if n := hs.most.Load(); n != atOnce {
		t.Errorf("%d requests ran at once, want up to %d", n, atOnce)
	}
	given := c.takeAllSlots(slotFree)
	for _, h := range given {
		if err := h.leave(); err != nil {
			t.Error(err)
		}
	}
	freed := c.slotsOfTheDead()
	c.wantShared(time.Since(begin))
	t.Logf("R8: %d attempts in %s, %d of them ran, up to %d at once; all slots free %s after the crash of their replica",
		hs.attempts.Load(), took.Round(time.Millisecond), hs.held.Load(), hs.most.Load(), freed.Round(time.Millisecond))
}

// takeAllSlots takes every slot, and one more in vain.
func (c *cluster) takeAllSlots(within time.Duration) []*held {
	c.t.Helper()
	var all []*held
	for begin := time.Now(); len(all) < atOnce; time.Sleep(20 * time.Millisecond) {
		h, err := takeSlot(c.replicas[len(all)%len(c.replicas)], c.token)
		if err != nil {
			c.t.Fatal(err)
		}
		took := time.Since(begin)
		if h != nil {
			all = append(all, h)
		} else if took > within+patience {
			c.t.Fatalf("%d slots are free after %s, want %d", len(all), took, atOnce)
		}
		if len(all) == atOnce && took > within {
			c.late(took, "all slots are free after %s, want at most %s", took, within)
		}
	}
	if h, err := takeSlot(c.replicas[0], c.token); h != nil || err != nil {
		c.t.Errorf("one more request = %v, %v, want it refused", h, err)
	}
	return all
}

// slotsOfTheDead lets a replica take all slots and kills it. It returns how long
// it took until they were free.
func (c *cluster) slotsOfTheDead() time.Duration {
	c.t.Helper()
	survivors := *c
	survivors.replicas = c.replicas[:len(c.replicas)-1]
	dying := *c
	dying.replicas = c.replicas[len(c.replicas)-1:]
	taken := dying.takeAllSlots(slotFree)
	begin := time.Now()
	dying.replicas[0].Kill()
	for _, h := range taken {
		if died, err := h.stay(time.Second); !died || err != nil {
			c.t.Errorf("a connection to the dead replica: %v, %v, want it closed", died, err)
		}
	}
	free := survivors.takeAllSlots(crashFree - time.Since(begin))
	freed := time.Since(begin)
	for _, h := range free {
		if err := h.finish(); err != nil {
			c.t.Error(err)
		}
	}
	return freed
}

// TestStreamsKeepTheirSlots holds all slots for longer than a lease lasts that
// nobody renews. Nobody else gets one meanwhile, through whichever replica.
func TestStreamsKeepTheirSlots(t *testing.T) {
	t.Parallel()
	lasts := time.Duration(size(20, 35)) * time.Second
	c := startLimited(t, clusterSize, redisserver.Shared(t), "--limit-at-once", fmt.Sprintf("activities.stream=%d", atOnce))
	clients := c.clients(c.token, 0)
	streams := make([]*api.Events, atOnce)
	for i := range streams {
		var err error
		if streams[i], err = clients[i%clusterSize].Follow(t.Context(), streamPath, ""); err != nil {
			t.Fatalf("stream %d: %v", i, err)
		}
	}
	attempts := 0
	for begin := time.Now(); time.Since(begin) < lasts; time.Sleep(50 * time.Millisecond) {
		more, err := clients[attempts%clusterSize].Follow(t.Context(), streamPath, "")
		if attempts++; err == nil {
			t.Errorf("one more stream began %s later: %v", time.Since(begin), more.Close())
			break
		}
		if !strings.Contains(err.Error(), "429/5002") {
			t.Fatalf("one more stream = %v, want 429/5002", err)
		}
	}
	for i, s := range streams {
		if err := s.Close(); err != nil {
			t.Errorf("leave stream %d: %v", i, err)
		}
	}
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		next, err := clients[0].Follow(t.Context(), streamPath, "")
		since := time.Since(begin)
		if err == nil {
			if since > slotFree {
				c.late(since, "a stream begins %s after the others ended, want at most %s", since, slotFree)
			}
			if err := next.Close(); err != nil {
				t.Errorf("leave the last stream: %v", err)
			}
			break
		}
		if since > slotFree+patience {
			t.Fatalf("no stream begins %s after the others ended: %v", since, err)
		}
	}
	c.wantShared(2 * lasts)
	t.Logf("R8: %d streams kept their slots for %s against %d attempts", atOnce, lasts, attempts)
}
