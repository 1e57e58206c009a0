package operate

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"orgd"
	"orgd/adapters/archivefile"
	"orgd/app"
	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/archive"
)

// Archive carries everything of a service to another storage.
type Archive struct {
	Create  ArchiveCreate  `cmd:"" help:"Write an archive of the storage, also while the service runs."`
	Check   ArchiveCheck   `cmd:"" help:"Make sure that an archive is as it was written."`
	Restore ArchiveRestore `cmd:"" help:"Fill an empty storage, of any kind, with an archive."`
}

// MongoFlags are the flags of the settings that commands need for MongoDB.
func MongoFlags() kong.Plugins {
	return config.Flags("mongo-uri", "mongo-database", "mongo-connect-timeout", "mongo-operation-timeout", "mongo-max-pool")
}

// archiveFlags are those of the commands that work on a storage.
type archiveFlags struct {
	PassphraseFile string `placeholder:"FILE" help:"File with the passphrase that encrypts the secrets of webhooks. ($$ORGD_ARCHIVE_PASSPHRASE_FILE)"`
	Storage        string `placeholder:"KIND" help:"sqlite or mongodb."`
	config.FileFlag
	config.DirectoryFlag
	kong.Plugins // of MongoDB
}

// load reads the configuration, and the passphrase if there is one.
func (f archiveFlags) load(given config.Given, getenv func(string) string) (cfg orgd.Config, passphrase string, err error) {
	if cfg, err = loadStorage(given, getenv); err != nil {
		return cfg, "", err
	}
	path := f.PassphraseFile
	if path == "" {
		path = getenv("ORGD_ARCHIVE_PASSPHRASE_FILE")
	}
	if path == "" {
		return cfg, "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return cfg, "", fmt.Errorf("read the passphrase: %w", err)
	}
	if passphrase = strings.TrimRight(string(text), "\r\n"); passphrase == "" {
		return cfg, "", fmt.Errorf("the file %s with the passphrase is empty", path)
	}
	return cfg, passphrase, nil
}

// ArchiveCreate writes an archive.
type ArchiveCreate struct {
	File string `arg:"" help:"File to write; it must not exist. - is standard output."`
	archiveFlags
}

// Help implements kong.HelpProvider.
func (ArchiveCreate) Help() string {
	return `Writes one state of everything that the service keeps to a file that only its owner may read, for a storage of any kind: company, departments, agents with all versions, labels, events, figures, projects, audit trail, webhooks, revoked tokens. The service may run meanwhile.

Not in it: keys, sessions, sign-in links, idempotency records, and what is still to be delivered to webhooks. The secrets of webhooks are in it only with a passphrase; without, enabled webhooks are in it as disabled ones.

An exact copy of a data directory, with its keys, is made by "orgd backup".

Examples:

    orgd archive create --data-dir ./data pilot.orgd-archive

    # with the secrets of webhooks
    orgd archive create --passphrase-file ./passphrase --data-dir ./data pilot-2.orgd-archive

    # what is in it
    orgd archive create --data-dir ./data - | zstd -dc | jq -r .part | uniq -c

    ORGD_MONGO_URI_FILE=/run/secrets/mongo-uri orgd archive create --storage mongodb production.orgd-archive`
}

// collectAt is how much garbage, in percent of what is in use, an archive leaves in memory.
const collectAt = 50

// Run writes the archive.
func (c *ArchiveCreate) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	cfg, passphrase, err := c.load(given, t.Getenv)
	if err != nil {
		return err
	}
	begin := time.Now()
	var sums []archive.Sum
	progress := newArchiveProgress(t)
	write := func(w io.Writer) error {
		sums, err = orgd.CreateArchive(ctx, cfg, w, orgd.ArchiveOptions{Passphrase: passphrase, Progress: progress.show})
		return err
	}
	to := c.File
	if c.File == terminal.StdFile {
		to, err = "standard output", archivefile.Compress(t.Stdout, write)
	} else {
		err = archivefile.Create(c.File, write)
	}
	progress.end()
	if err != nil {
		return err
	}
	t.Say("Archive of %s written to %s in %s: %s.", cfg.Place(), to, since(begin), contentOf(sums))
	if n := countOf(sums, archive.Webhooks); n > 0 && passphrase == "" {
		t.Say("The secrets of %d webhooks are not in it: where it is restored they are disabled. --passphrase-file takes them along.", n)
	}
	return nil
}

// ArchiveCheck reads an archive.
type ArchiveCheck struct {
	File string `arg:"" help:"Archive to check; - is standard input."`
}

// Help implements kong.HelpProvider.
func (ArchiveCheck) Help() string {
	return `Reads an archive to its end and compares every part with the number of its records and their SHA-256. It needs neither a storage nor a passphrase.

Example:

    orgd archive create --data-dir ./data checked.orgd-archive && orgd archive check checked.orgd-archive`
}

// check reads the archive.
func (c *ArchiveCheck) check(ctx context.Context, t *terminal.Terminal) (h archive.Header, sums []archive.Sum, err error) {
	err = t.WaitFor("Checking the archive", func() error {
		return readArchive(t, c.File, func(r io.Reader) (err error) {
			h, sums, err = orgd.CheckArchive(ctx, r)
			return err
		})
	})
	return h, sums, err
}

// Run checks the archive.
func (c *ArchiveCheck) Run(ctx context.Context, t *terminal.Terminal) error {
	h, sums, err := c.check(ctx, t)
	if err != nil {
		return err
	}
	secrets := "without the secrets of webhooks"
	if h.Secrets != nil {
		secrets = "with the secrets of webhooks"
	}
	return t.Write(fmt.Sprintf("%s, made from %s by orgd %s, %s: %s.\n",
		h.CreatedAt.Format(time.RFC3339), h.Storage, h.Version, secrets, contentOf(sums)))
}

// readArchive calls read with what is in a file, or in standard input.
func readArchive(t *terminal.Terminal, file string, read func(io.Reader) error) error {
	if file == terminal.StdFile {
		return archivefile.Decompress(t.Stdin, read)
	}
	return archivefile.Read(file, read)
}

// ArchiveRestore fills a storage.
type ArchiveRestore struct {
	File string `arg:"" help:"Archive to restore; - is standard input."`
	archiveFlags
}

// Help implements kong.HelpProvider.
func (ArchiveRestore) Help() string {
	return `Fills an empty storage: a data directory that does not exist, or a MongoDB database without anything in it, whose schema it makes. A file is checked completely before anything is written. In the end everything is read back and compared with the archive.

Cut short, the same command goes on where it was; until it has ended the service does not start on the storage. Start the service afterwards with the signing key of the old one, if its tokens are to go on working.

Examples:

    orgd archive create --data-dir ./data moving.orgd-archive && orgd archive restore --data-dir ./other moving.orgd-archive

    # into a cluster; the connection string comes from a file, because it holds a password
    ORGD_MONGO_URI_FILE=/run/secrets/mongo-uri orgd archive restore --storage mongodb pilot.orgd-archive`
}

// Run restores the archive.
func (c *ArchiveRestore) Run(ctx context.Context, t *terminal.Terminal, given config.Given) error {
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	cfg, passphrase, err := c.load(given, t.Getenv)
	if err != nil {
		return err
	}
	log, err := newLogger(t, cfg.Log)
	if err != nil {
		return err
	}
	begin, from := time.Now(), "standard input"
	if c.File != terminal.StdFile {
		from = c.File
		if _, _, err := (&ArchiveCheck{c.File}).check(ctx, t); err != nil {
			return err
		}
	}
	var got app.RestoredArchive
	progress := newArchiveProgress(t)
	err = readArchive(t, c.File, func(r io.Reader) (err error) {
		got, err = orgd.RestoreArchive(ctx, cfg, r, orgd.ArchiveOptions{Passphrase: passphrase, Progress: progress.show}, log)
		return err
	})
	progress.end()
	if err != nil {
		return terminal.Interrupted(ctx, err, "the same command goes on where it was")
	}
	t.Say("Restored %s into %s in %s: %s.", from, cfg.Place(), since(begin), contentOf(got.Sums))
	for _, w := range got.Disabled {
		t.Say("Webhook %s for %s is disabled and has a new secret: \"orgd webhook rotate-secret\" prints another one for its receiver.", w.ID, w.URL)
	}
	return nil
}

// contentOf says what an archive holds most of.
func contentOf(sums []archive.Sum) string {
	var all []string
	for _, p := range []archive.Part{archive.Departments, archive.Agents, archive.Versions, archive.Events, archive.Audit} {
		noun := strings.ReplaceAll(string(p), "_", " ")
		if p == archive.Audit {
			noun = "audit entries"
		}
		all = append(all, fmt.Sprintf("%d %s", countOf(sums, p), noun))
	}
	return strings.Join(all, ", ")
}

func countOf(sums []archive.Sum, p archive.Part) (n int64) {
	for _, s := range sums {
		if s.Part == p {
			n = s.Count
		}
	}
	return n
}

func since(begin time.Time) time.Duration { return time.Since(begin).Round(100 * time.Millisecond) }

// archiveProgress shows which part of an archive is read or written, and how much of it is done.
type archiveProgress struct {
	bar  terminal.Progress
	part archive.Part
	done int64
}

func newArchiveProgress(t *terminal.Terminal) *archiveProgress {
	return &archiveProgress{bar: terminal.Progress{Out: t.Stderr, Terminal: t.StderrIsTerminal}}
}

func (p *archiveProgress) show(part archive.Part, records int64) {
	if part != p.part {
		p.bar.Begin(strings.ReplaceAll(string(part), "_", " "), 0)
		p.part, p.done = part, 0
	}
	p.bar.Add(int(records - p.done))
	p.done = records
}

func (p *archiveProgress) end() { p.bar.Stop() }
