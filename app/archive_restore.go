package app

import (
	"context"
	"fmt"
	"io"
	"slices"

	"orgd/domain/archive"
	"orgd/domain/webhook"
	"orgd/ports"
)

// RestoreArchive says what to restore and where.
type RestoreArchive struct {
	From       io.Reader
	To         ports.Archive
	Passphrase string                              // "" if the secrets were left out
	Progress   func(p archive.Part, records int64) // as that of CreateArchive
}

// RestoredArchive is what was restored.
type RestoredArchive struct {
	Header archive.Header
	Sums   []archive.Sum
	// Disabled are the webhooks whose secrets were not in the archive. They have new ones.
	Disabled []webhook.Webhook
}

// A batch ends at one of these.
const (
	batchRecords = 4000
	batchBytes   = 1 << 20
)

// Restore fills an empty storage with an archive, and reads all of it back to see that it is
// the same. A restore that was cut short goes on where it was when it is run again. It returns
// archive.ErrDamaged, archive.ErrPassphrase, ports.ErrNotEmpty or ports.ErrRestoring.
func (s *Archives) Restore(ctx context.Context, in RestoreArchive) (RestoredArchive, error) {
	lines, err := openArchive(in.From)
	if err != nil {
		return RestoredArchive{}, err
	}
	l := loading{random: s.random, to: in.To, disabled: []webhook.Webhook{}, webhooks: newSummer(nil, nil)}
	if l.sealer, err = sealerOf(lines.header, in.Passphrase); err != nil {
		return RestoredArchive{}, err
	}
	if l.skip, err = in.To.Begin(ctx, lines.header.ID); err != nil {
		return RestoredArchive{}, err
	}
	sums, err := l.load(ctx, lines, in.Progress)
	if err != nil {
		return RestoredArchive{}, err
	}
	if err := verify(ctx, in, l.expected(sums)); err != nil {
		return RestoredArchive{}, err
	}
	return RestoredArchive{lines.header, sums, l.disabled}, in.To.End(ctx)
}

func sealerOf(h archive.Header, passphrase string) (*archive.Sealer, error) {
	switch {
	case h.Secrets == nil:
		return nil, nil
	case passphrase == "":
		return nil, archive.ErrPassphrase.With("the archive holds the secrets of webhooks, and needs the passphrase that it was made with")
	}
	return h.Secrets.OpenSealer(passphrase)
}

// loading loads the records of an archive.
type loading struct {
	random   ports.Random
	to       ports.Archive
	sealer   *archive.Sealer
	skip     int64 // records that are loaded already
	disabled []webhook.Webhook
	webhooks *summer // of what is loaded: secrets are no part of it
}

// batch are records of one part.
type batch struct {
	records []archive.Record
	loaded  int64 // before them
	bytes   int
}

// load reads lines while the storage stores those before.
func (l *loading) load(ctx context.Context, lines *archiveLines, progress func(archive.Part, int64)) ([]archive.Sum, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	batches, stored := make(chan batch, 1), make(chan error, 1)
	go func() {
		err := l.store(ctx, batches)
		stop(err)
		stored <- err
	}()
	sums, err := l.read(ctx, lines, progress, batches)
	close(batches)
	if failed := <-stored; failed != nil && (err == nil || ctx.Err() != nil) {
		err = failed
	}
	return sums, err
}

func (l *loading) store(ctx context.Context, batches <-chan batch) error {
	for b := range batches {
		if err := l.to.Load(ctx, b.records, b.loaded); err != nil {
			return err
		}
	}
	return nil
}

// read makes batches of the lines behind those that are loaded.
func (l *loading) read(ctx context.Context, lines *archiveLines, progress func(archive.Part, int64), batches chan<- batch) ([]archive.Sum, error) {
	var b batch
	read := int64(0)
	flush := func() error {
		if len(b.records) == 0 {
			return nil
		}
		select {
		case batches <- b:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		b = batch{loaded: read}
		return nil
	}
	sums, err := lines.each(ctx, progress, func(p archive.Part, line []byte) error {
		if len(b.records) > 0 && (b.records[0].Part() != p || len(b.records) == batchRecords || b.bytes+len(line) > batchBytes) {
			if err := flush(); err != nil {
				return err
			}
		}
		record, err := l.parse(p, line, read < l.skip)
		if read++; record == nil || err != nil {
			b.loaded = read
			return err
		}
		b.records, b.bytes = append(b.records, record), b.bytes+len(line)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sums, flush()
}

// parse reads a record, nil if it is loaded already.
func (l *loading) parse(p archive.Part, line []byte, loaded bool) (archive.Record, error) {
	if loaded && p != archive.Webhooks {
		return nil, nil
	}
	record, err := archive.Parse(p, line)
	if err != nil {
		return nil, err
	}
	if w, ok := record.(*archive.Webhook); ok {
		if err := l.unseal(w); err != nil {
			return nil, err
		}
		if err := l.webhooks.add(p, archive.Append(nil, w)); err != nil || loaded {
			return nil, err
		}
	}
	return record, nil
}

// unseal gives a webhook its secrets, or a new one.
func (l *loading) unseal(w *archive.Webhook) (err error) {
	if l.sealer != nil {
		w.Secrets, err = l.sealer.Open(w.ID, w.Sealed)
	} else {
		w.Secrets = webhook.Secrets{Current: l.random.Key()}
		l.disabled = append(l.disabled, w.Webhook)
	}
	w.Sealed = ""
	return err
}

// expected are the sums of what is read back.
func (l *loading) expected(sums []archive.Sum) []archive.Sum {
	sums = slices.Clone(sums)
	_ = l.webhooks.finish() // it has nobody to tell
	for i := range sums {
		if sums[i].Part == archive.Webhooks {
			sums[i] = l.webhooks.done[i]
		}
	}
	return sums
}

// verify reads back what was loaded.
func verify(ctx context.Context, in RestoreArchive, want []archive.Sum) error {
	got := newSummer(nil, func(end archive.Sum) error {
		for _, w := range want {
			if w.Part == end.Part && w != end {
				return fmt.Errorf("the storage does not hold what the archive does: %s has %d records with the SHA-256 %s, and should have %d with %s; "+
					"begin again with an empty storage", end.Part, end.Count, end.SHA256, w.Count, w.SHA256)
			}
		}
		return nil
	})
	var line []byte
	err := in.To.Read(ctx, func(r archive.Record) error {
		line = archive.Append(line[:0], r)
		return got.add(r.Part(), line)
	})
	if err == nil {
		err = got.finish()
	}
	return err
}
