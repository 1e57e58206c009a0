package app

import (
	"context"
	"io"

	"orgd/domain/archive"
	"orgd/domain/webhook"
	"orgd/ports"
)

// Archives carry everything of a storage to another one, of the same kind or not.
type Archives struct {
	clock  ports.Clock
	ids    ports.IDs
	random ports.Random
}

// NewArchives returns the use cases of archives.
func NewArchives(clock ports.Clock, ids ports.IDs, random ports.Random) *Archives {
	return &Archives{clock, ids, random}
}

// CreateArchive says what an archive is made of.
type CreateArchive struct {
	From    ports.ArchiveReader
	To      io.Writer
	Version string // of the program
	Storage string // the kind of From
	// Passphrase encrypts the secrets of webhooks. If it is "" they are left out, and enabled
	// webhooks are in the archive as disabled ones.
	Passphrase string
	// Progress is called with each part and, again and again, how many of its records are
	// done; it may be nil.
	Progress func(p archive.Part, records int64)
}

// Create writes an archive, and returns what it holds.
func (s *Archives) Create(ctx context.Context, in CreateArchive) ([]archive.Sum, error) {
	h := archive.Header{ID: s.ids.NewID(), Version: in.Version, Storage: in.Storage, CreatedAt: s.clock.Now()}
	var sealer *archive.Sealer
	if in.Passphrase != "" {
		salt, nonce := s.random.Key(), s.random.Key()
		var err error
		if sealer, err = archive.NewSealer(in.Passphrase, salt[:]); err != nil {
			return nil, err
		}
		h.Secrets = sealer.Sealed(nonce[:])
	}
	return s.write(ctx, in, h, sealer)
}

// write writes the lines of an archive.
func (s *Archives) write(ctx context.Context, in CreateArchive, h archive.Header, sealer *archive.Sealer) ([]archive.Sum, error) {
	line := h.Append(nil)
	if _, err := in.To.Write(line); err != nil {
		return nil, err
	}
	sums := newSummer(in.Progress, func(end archive.Sum) error {
		_, err := in.To.Write(end.Append(nil))
		return err
	})
	err := in.From.Read(ctx, func(r archive.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w, ok := r.(*archive.Webhook); ok {
			r = s.seal(*w, sealer)
		}
		line = archive.Append(line[:0], r)
		if err := sums.add(r.Part(), line); err != nil {
			return err
		}
		_, err := in.To.Write(line)
		return err
	})
	if err == nil {
		err = sums.finish()
	}
	if err == nil {
		_, err = in.To.Write(archive.AppendManifest(nil, sums.done))
	}
	return sums.done, err
}

// seal returns a webhook as it is in an archive.
func (s *Archives) seal(w archive.Webhook, sealer *archive.Sealer) *archive.Webhook {
	if sealer != nil {
		nonce := s.random.Key()
		w.Sealed = sealer.Seal(w.Webhook, nonce[:])
	} else if w.Enabled() {
		w.Disabled = webhook.Requested
	}
	return &w
}

// Check reads an archive to its end, and returns what it holds. It returns archive.ErrDamaged
// if any of it is not as it was written.
func (s *Archives) Check(ctx context.Context, from io.Reader) (archive.Header, []archive.Sum, error) {
	r, err := openArchive(from)
	if err != nil {
		return archive.Header{}, nil, err
	}
	sums, err := r.each(ctx, nil, func(archive.Part, []byte) error { return nil })
	return r.header, sums, err
}
