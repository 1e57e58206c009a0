package load

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
)

// thinRole is the environment variable that makes this program serve [thin], from a new database
// in the directory that it names.
const thinRole = "ORGD_LOAD_THIN"

// startThin runs [thin] in a process of its own until the benchmark ends.
func startThin(b *testing.B) side {
	b.Helper()
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), thinRole+"="+b.TempDir())
	cmd.Stderr = os.Stderr
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
		b.Fatalf("the thin handler does not say where it serves: %v", err)
	}
	return side{strings.TrimSpace(line), cmd.Process.Pid}
}

// serveThin serves [thin], and prints where.
func serveThin(dir string) error {
	gin.SetMode(gin.ReleaseMode)
	handler, err := thinHandler(dir)
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
