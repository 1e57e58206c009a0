package load

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
)

// baselineRole is the environment variable that makes this program a baseline.
const baselineRole = "ORGD_LOAD_BASELINE"

// baseline is a process that answers every request with the same bytes, as gin
// does when nothing else is to be done, or when it asks Redis for nothing much.
type baseline struct {
	Status int
	Type   string
	Body   []byte
	Redis  string // address; empty: without
	Script bool   // EVALSHA of a script that does nothing instead of PING
	Thin   string // directory for the database of [thin], which then answers instead
}

// start runs the baseline until the benchmark ends.
func (r baseline) start(b *testing.B) side {
	b.Helper()
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	spec, err := json.Marshal(r)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), baselineRole+"=1")
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(spec)+"\n"), os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		// It serves until it is killed, which is then how it ended.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("the baseline does not say where it serves: %v", err)
	}
	return side{strings.TrimSpace(line), cmd.Process.Pid}
}

// serveBaseline is the baseline's process.
func serveBaseline() error {
	var r baseline
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		return err
	}
	gin.SetMode(gin.ReleaseMode)
	handler, err := r.handler()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, handler)
}

func (r baseline) handler() (http.Handler, error) {
	if r.Thin != "" {
		return thinHandler(r.Thin)
	}
	ask, err := r.errand()
	if err != nil {
		return nil, err
	}
	e := gin.New()
	e.Any("/api/v1/*path", func(c *gin.Context) {
		// Bodies are read, since who answers has to know what is asked.
		if _, err := io.Copy(io.Discard, c.Request.Body); err != nil {
			c.Status(http.StatusBadRequest)
			return
		}
		if err := ask(c.Request.Context()); err != nil {
			c.Status(http.StatusBadGateway)
			return
		}
		if len(r.Body) == 0 {
			c.Status(r.Status)
			return
		}
		c.Data(r.Status, r.Type, r.Body)
	})
	return e, nil
}

// errand is what is done for each request before it is answered.
func (r baseline) errand() (func(context.Context) error, error) {
	if r.Redis == "" {
		return func(context.Context) error { return nil }, nil
	}
	client := redis.NewClient(&redis.Options{Addr: r.Redis})
	if !r.Script {
		return func(ctx context.Context) error { return client.Ping(ctx).Err() }, nil
	}
	digest, err := client.ScriptLoad(context.Background(), "return 1").Result()
	return func(ctx context.Context) error { return client.EvalSha(ctx, digest, nil).Err() }, err
}
