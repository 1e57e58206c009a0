// Package stored opens what earlier releases have stored, and compares what it answers
// with what they have answered.
//
// Each directory of testdata is of a release. It has, made by make/main.go:
//
//	orgd.db.gz           the database of a data directory
//	sqlite.json.gz       what the release answered of it, by path
//	mongodb.jsonl.gz     every document of a database, in MongoDB's extended JSON
//	mongodb.json.gz      what the release answered of it, by path
//
// and, made by make/backup.sh with the commands of a release:
//
//	backup.orgd.gz       a backup of the embedded store
//	orgd-archive         an archive of it
//	answers.jsonl.gz     what the release answered of it: a line for each path
//	time                 when it did so
//
// A release that changes what is stored gets a directory, made once in its own tree:
//
//	go run ./test/servers go run ./test/stored/make test/stored/testdata/NAME
//	make build && test/stored/make/backup.sh bin/orgd test/stored/testdata/NAME
package stored

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.uber.org/zap"

	"orgd"
	"orgd/adapters/system"
	"orgd/domain/access"
	"orgd/ports"
	"orgd/test/api"
)

// MongoVariable names the server that has the databases.
const MongoVariable = "ORGD_TEST_MONGO_URI"

// Service is a service over a storage of its own.
type Service struct {
	*api.Client
	Config orgd.Config
	Close  func()
}

// SQLite returns the configuration of a service on a data directory.
func SQLite(dir string) orgd.Config {
	cfg := orgd.Default()
	cfg.SQLite.Dir = dir
	return cfg
}

// Mongo returns the configuration of a service on a database that is not there yet.
func Mongo() orgd.Config {
	cfg := orgd.Default()
	cfg.Storage = orgd.MongoDB
	cfg.Mongo.URI, cfg.Mongo.Database = os.Getenv(MongoVariable), "orgd_test_"+bson.NewObjectID().Hex()
	return cfg
}

// Open brings the storage to the schema of this program and serves it. The keys are
// made in dir. No background job runs, so nothing expires.
func Open(ctx context.Context, cfg orgd.Config, dir string) (*Service, error) {
	return OpenAt(ctx, cfg, dir, system.Clock{})
}

// OpenAt is [Open] for a service whose time is that of clock.
func OpenAt(ctx context.Context, cfg orgd.Config, dir string, clock ports.Clock) (*Service, error) {
	cfg.Auth.KeyFile, cfg.CursorKeyFile = filepath.Join(dir, "signing.key"), filepath.Join(dir, "cursor.key")
	if _, err := orgd.CreateKeys(cfg); err != nil {
		return nil, err
	}
	if _, err := orgd.Migrate(ctx, cfg, 0, zap.NewNop()); err != nil {
		return nil, err
	}
	app, stop, err := orgd.BuildAt(ctx, cfg, zap.NewNop(), clock)
	if err != nil {
		return nil, err
	}
	token, _, err := app.NewToken(orgd.TokenRequest{Subject: "root", Role: access.Admin, TTL: time.Hour})
	if err != nil {
		stop()
		return nil, err
	}
	server := httptest.NewServer(app.Handler())
	client := api.New(server.URL, token, 1)
	return &Service{client, cfg, func() {
		client.Close()
		server.Close()
		stop()
	}}, nil
}

// Data asks for a path and returns the data of the answer.
func (s *Service) Data(ctx context.Context, path string) (any, error) {
	var text json.RawMessage
	if _, err := s.Get(ctx, path, &text); err != nil {
		return nil, err
	}
	return Decode(text)
}

// Decode reads JSON and keeps numbers as they are written.
func Decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// Pack writes the text to a file, compressed.
func Pack(path string, text []byte) error {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o600)
}

// Unpack reads what [Pack] wrote.
func Unpack(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// document is a document of a dump.
type document struct {
	Collection string
	Document   bson.Raw
}

// Dump returns all documents of a database, each in a line.
func Dump(ctx context.Context, cfg orgd.Config) ([]byte, error) {
	var text []byte
	err := onDatabase(ctx, cfg, func(db *mongo.Database) error {
		names, err := db.ListCollectionNames(ctx, bson.D{})
		if err != nil {
			return err
		}
		for _, name := range names {
			found, err := db.Collection(name).Find(ctx, bson.D{})
			if err != nil {
				return err
			}
			var all []bson.Raw
			if err := found.All(ctx, &all); err != nil {
				return err
			}
			for _, d := range all {
				line, err := bson.MarshalExtJSON(document{name, d}, true, false)
				if err != nil {
					return err
				}
				text = append(append(text, line...), '\n')
			}
		}
		return nil
	})
	return text, err
}

// Load writes the documents of a dump into a database.
func Load(ctx context.Context, cfg orgd.Config, dump []byte) error {
	return onDatabase(ctx, cfg, func(db *mongo.Database) error {
		for line := range bytes.Lines(dump) {
			var d document
			if err := bson.UnmarshalExtJSON(line, true, &d); err != nil {
				return err
			}
			if _, err := db.Collection(d.Collection).InsertOne(ctx, d.Document); err != nil {
				return fmt.Errorf("%s: %w", d.Collection, err)
			}
		}
		return nil
	})
}

// Drop removes a database.
func Drop(ctx context.Context, cfg orgd.Config) error {
	return onDatabase(ctx, cfg, func(db *mongo.Database) error { return db.Drop(ctx) })
}

func onDatabase(ctx context.Context, cfg orgd.Config, do func(*mongo.Database) error) error {
	client, err := mongo.Connect(options.Client().ApplyURI(cfg.Mongo.URI))
	if err != nil {
		return err
	}
	return errors.Join(do(client.Database(cfg.Mongo.Database)), client.Disconnect(context.WithoutCancel(ctx)))
}
