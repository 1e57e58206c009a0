package load

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/zap"

	"orgd"
	"orgd/adapters/archivefile"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/ports/portstest"
)

// BenchmarkArchive restores an archive of 10 000 agents, 100 000 versions and a million events,
// and creates one of what was restored: in a data directory and, if ORGD_TEST_MONGO_URI names
// one, in a MongoDB, whose database it leaves.
func BenchmarkArchive(b *testing.B) {
	file := filepath.Join(b.TempDir(), "archive")
	if err := archivefile.Create(file, func(w io.Writer) error {
		_, err := app.NewArchives(system.Clock{}, system.IDs{}, system.Random{}).Create(b.Context(),
			app.CreateArchive{From: portstest.MadeArchive{Agents: 10_000, Versions: 10, Events: 100}, To: w})
		return err
	}); err != nil {
		b.Fatal(err)
	}
	b.Run("SQLite", func(b *testing.B) {
		for b.Loop() {
			cfg := orgd.Default()
			cfg.SQLite.Dir = b.TempDir()
			carryArchive(b, cfg, file)
		}
	})
	b.Run("MongoDB", func(b *testing.B) {
		uri := os.Getenv("ORGD_TEST_MONGO_URI")
		if uri == "" {
			b.Skip("ORGD_TEST_MONGO_URI is not set")
		}
		for b.Loop() {
			cfg := orgd.Default()
			cfg.Storage, cfg.Mongo.URI, cfg.Mongo.Database = orgd.MongoDB, uri, "orgd_bench_"+bson.NewObjectID().Hex()
			cfg.Mongo.OperationTimeout = 10 * time.Second
			carryArchive(b, cfg, file)
		}
	})
}

// carryArchive restores an archive into an empty storage, and creates one of that.
func carryArchive(b *testing.B, cfg orgd.Config, file string) {
	b.Helper()
	begin := time.Now()
	if err := archivefile.Read(file, func(r io.Reader) error {
		_, err := orgd.RestoreArchive(context.Background(), cfg, r, orgd.ArchiveOptions{}, zap.NewNop())
		return err
	}); err != nil {
		b.Fatal(err)
	}
	restored := time.Now()
	if err := archivefile.Create(filepath.Join(b.TempDir(), "again"), func(w io.Writer) error {
		_, err := orgd.CreateArchive(context.Background(), cfg, w, orgd.ArchiveOptions{})
		return err
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(restored.Sub(begin).Seconds(), "s/restore")
	b.ReportMetric(time.Since(restored).Seconds(), "s/create")
}
