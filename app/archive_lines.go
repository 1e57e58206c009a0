package app

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"orgd/domain/archive"
)

// summer adds up the parts of an archive.
type summer struct {
	progress func(archive.Part, int64) // may be nil
	end      func(archive.Sum) error   // of a part; may be nil
	hash     hash.Hash
	count    int64
	done     []archive.Sum
}

func newSummer(progress func(archive.Part, int64), end func(archive.Sum) error) *summer {
	if progress == nil {
		progress = func(archive.Part, int64) {}
	}
	return &summer{progress: progress, end: end, hash: sha256.New()}
}

const progressEvery = 1000 // records

// part is the one that is being added up, "" behind the last.
func (s *summer) part() archive.Part {
	if all := archive.Parts(); len(s.done) < len(all) {
		return all[len(s.done)]
	}
	return ""
}

// add adds the line of a record.
func (s *summer) add(p archive.Part, line []byte) error {
	for s.part() != p {
		if s.part() == "" {
			return archive.Damaged(p, "its records are not in their place")
		}
		if err := s.next(); err != nil {
			return err
		}
	}
	s.hash.Write(line) // never fails
	if s.count++; s.count%progressEvery == 0 {
		s.progress(p, s.count)
	}
	return nil
}

// next ends a part.
func (s *summer) next() error {
	sum := archive.Sum{Part: s.part(), Count: s.count, SHA256: hex.EncodeToString(s.hash.Sum(nil))}
	s.progress(sum.Part, sum.Count)
	s.done, s.count = append(s.done, sum), 0
	s.hash.Reset()
	if s.end == nil {
		return nil
	}
	return s.end(sum)
}

// finish ends all parts that are left.
func (s *summer) finish() error {
	for s.part() != "" {
		if err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

// maxLine bounds a line of an archive, in bytes: a record has 2 MiB at most.
const maxLine = 16 << 20

// archiveLines reads the lines of an archive, and makes sure that they are as they were
// written.
type archiveLines struct {
	in     *bufio.Reader
	line   []byte
	header archive.Header
}

// openArchive reads the first line.
func openArchive(from io.Reader) (*archiveLines, error) {
	r := &archiveLines{in: bufio.NewReaderSize(from, 64<<10)}
	if err := r.next(); err != nil {
		return nil, archive.ErrFormat.With("the file is no archive: %v", err)
	}
	var err error
	r.header, err = archive.ParseHeader(r.line)
	return r, err
}

// next reads a line, with its end.
func (r *archiveLines) next() error {
	r.line = r.line[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.line = append(r.line, part...)
		switch {
		case err == nil:
			return nil
		case len(r.line) > maxLine:
			return errors.New("a line is too long")
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		default:
			return err
		}
	}
}

// each calls do with the line of every record, which is valid until do returns.
func (r *archiveLines) each(ctx context.Context, progress func(archive.Part, int64), do func(archive.Part, []byte) error) ([]archive.Sum, error) {
	sums := newSummer(progress, nil)
	for sums.part() != "" {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := sums.part()
		if err := r.next(); err != nil {
			return nil, cutShort(part, err)
		}
		if archive.PartOf(r.line) == part {
			if err := sums.add(part, r.line); err != nil {
				return nil, err
			}
			if err := do(part, r.line); err != nil {
				return nil, err
			}
			continue
		}
		want, ok := archive.ParseSum(r.line)
		if !ok || want.Part != part {
			return nil, archive.Damaged(part, "a line of it is of something else")
		}
		if err := sums.next(); err != nil {
			return nil, err
		}
		if got := sums.done[len(sums.done)-1]; got != want {
			return nil, archive.Damaged(part, "it has %d records with the SHA-256 %s, and %d with %s were written", got.Count, got.SHA256, want.Count, want.SHA256)
		}
	}
	return sums.done, r.end(sums.done)
}

const endOfArchive archive.Part = "manifest"

// end makes sure that the manifest is the last line.
func (r *archiveLines) end(sums []archive.Sum) error {
	if err := r.next(); err != nil {
		return cutShort(endOfArchive, err)
	}
	if !bytes.Equal(r.line, archive.AppendManifest(nil, sums)) {
		return archive.Damaged(endOfArchive, "it is not that of the parts")
	}
	if _, err := r.in.ReadByte(); err == nil {
		return archive.Damaged(endOfArchive, "something follows it")
	} else if !errors.Is(err, io.EOF) { // such as a check sum of the compression
		return cutShort(endOfArchive, err)
	}
	return nil
}

// cutShort is an error of reading an archive.
func cutShort(in archive.Part, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return archive.Damaged(in, "the file ends early")
	}
	return archive.Damaged(in, "%v", err)
}
