package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// maxBlock bounds one event of a stream in bytes. The service's have less.
const maxBlock = 1 << 20

// errBlock is an event that is too long.
var errBlock = errors.New("an event of the stream is too long")

// block is one event of Server-Sent Events. What it does not have is empty.
type block struct {
	id, event string
	data      []byte
	retry     time.Duration
}

// blockReader reads the blocks of a stream.
type blockReader struct{ lines *bufio.Scanner }

func newBlockReader(in io.Reader) blockReader {
	s := bufio.NewScanner(in)
	s.Buffer(nil, maxBlock)
	return blockReader{s}
}

// next reads up to the next empty line. A block without it is not complete and
// does not count.
func (r blockReader) next() (block, error) {
	var b block
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if len(line) == 0 {
			return b, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			b.id = string(value)
		case "event":
			b.event = string(value)
		case "data":
			if len(b.data)+len(value) > maxBlock {
				return block{}, errBlock
			}
			if b.data != nil {
				b.data = append(b.data, '\n')
			}
			b.data = append(b.data, value...)
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				b.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
	if err := r.lines.Err(); err != nil {
		return block{}, err
	}
	return block{}, io.ErrUnexpectedEOF
}
