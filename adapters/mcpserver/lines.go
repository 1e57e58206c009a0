package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine bounds a message of standard input, in bytes, as the API bounds a body.
const maxLine = 1 << 20

// lines are the input and output of a session. Of the input it passes on the lines that are
// messages, and answers others with an error: the library would end the session.
type lines struct {
	in      *bufio.Reader
	rest    []byte // of a line of in
	writing sync.Mutex
	out     io.Writer
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.in.ReadSlice('\n')
		problem := readable(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			problem = fmt.Errorf("it has more than %d bytes", maxLine)
			_, err = l.in.ReadSlice('\n')
		}
		if problem == nil {
			l.rest = line
		} else if text, _ := encode(object{"jsonrpc": "2.0", "id": nil, "error": object{
			"code": jsonrpc.CodeParseError, "message": "this line is no message: " + problem.Error(),
		}}); err == nil {
			_, err = io.WriteString(l, text+"\n")
		}
		if err != nil && len(l.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// readable returns why a line is neither empty nor a message. A batch is none: since
// 2025-06-18 the protocol has no more of them, and one would end the session too.
func readable(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	// DecodeMessage reads no further than the first value.
	if _, err := jsonrpc.DecodeMessage(line); err != nil || !json.Valid(line) {
		return errors.New("it is not one of JSON-RPC 2.0")
	}
	return nil
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.out.Write(p)
}

// Close leaves in and out open: they are the caller's.
func (*lines) Close() error { return nil }
