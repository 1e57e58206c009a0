package test

import (
	"database/sql"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
)

// private are words of our own for ideas that have a word in the field, which stands
// behind each. A name of ours has none of them.
var private = map[string]string{
	"bell":      "notify, broadcast",
	"chore":     "job",
	"chores":    "jobs",
	"debt":      "retry, rollback",
	"exchange":  "request",
	"forget":    "delete, expire",
	"founding":  "create",
	"grown":     "changed",
	"kit":       "dependencies, by their own names",
	"lane":      "shard",
	"lanes":     "shards",
	"note":      "audit entry",
	"occasion":  "change, request",
	"outside":   "input, untrusted",
	"patience":  "backoff, timeout",
	"patiently": "retry, timeout",
	"receipt":   "idempotency record",
	"receipts":  "idempotency records",
	"seat":      "lease, slot",
	"seats":     "leases, slots",
	"settle":    "commit",
	"shown":     "response, encoded",
	"stretch":   "batch, interval",
	"sweep":     "expire, delete",
	"tally":     "rollup, counts",
	"wish":      "options",
}

// plain are those of them that sentences may have: there they mean what everybody means.
var plain = []string{"exchange", "forget", "grown", "note", "occasion", "outside", "shown"}

// TestWords looks at the names that the product declares: packages, types, functions,
// fields, constants, variables and parameters. It also looks at comments, and at the names
// of metrics.
func TestWords(t *testing.T) {
	out, err := exec.Command("go", "list", "-C", "..", "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}}", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path, line, _ := strings.Cut(line, " ")
		if strings.HasPrefix(path, module+"/test/") {
			continue
		}
		words := strings.Fields(line)
		for _, name := range words[1:] {
			checkWords(t, filepath.Join(words[0], name))
		}
	}
}

// checkWords reports the private words in the names that a file declares.
func checkWords(t *testing.T, path string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Comments {
		for _, word := range parts(c.Text()) {
			if better, ok := private[word]; ok && !slices.Contains(plain, word) {
				t.Errorf("%s: in a comment: for %q say %s", files.Position(c.Pos()), word, better)
			}
		}
	}
	check := func(id *ast.Ident) {
		for _, word := range parts(id.Name) {
			if better, ok := private[word]; ok {
				t.Errorf("%s: %s: for %q say %s", files.Position(id.Pos()), id.Name, word, better)
			}
		}
	}
	check(file.Name)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			check(n.Name)
		case *ast.TypeSpec:
			check(n.Name)
		case *ast.ValueSpec:
			each(n.Names, check)
		case *ast.Field:
			each(n.Names, check)
		case *ast.BasicLit:
			if metric.MatchString(n.Value) {
				check(&ast.Ident{NamePos: n.Pos(), Name: n.Value})
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok {
						check(id)
					}
				}
			}
		}
		return true
	})
}

// metric is a text that is the name of a metric.
var metric = regexp.MustCompile(`^"orgd_[a-z_]+"$`)

func each(ids []*ast.Ident, do func(*ast.Ident)) {
	for _, id := range ids {
		do(id)
	}
}

var part = regexp.MustCompile(`[A-Z]+(?:[a-z]+|$)?|[a-z]+`)

// parts are the words of a name, in small letters.
func parts(name string) []string {
	all := part.FindAllString(name, -1)
	for i := range all {
		all[i] = strings.ToLower(all[i])
	}
	return all
}

// TestColumns looks at the tables and columns of the embedded store.
func TestColumns(t *testing.T) {
	dir := t.TempDir()
	cfg := sqlitestore.Default()
	cfg.Dir = dir
	if _, err := sqlitestore.Migrate(t.Context(), cfg, zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "orgd.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found, err := db.Query("SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	n := 0
	for ; found.Next(); n++ {
		var table, column string
		if err := found.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		for _, word := range slices.Concat(parts(table), parts(column)) {
			better := private[word]
			if word == "place" {
				better = "order key, position"
			}
			if better != "" {
				t.Errorf("column %s of table %s: for %q say %s", column, table, word, better)
			}
		}
	}
	if err := found.Err(); err != nil || n < 100 {
		t.Errorf("%d columns were found, %v, want more", n, err)
	}
}

func TestParts(t *testing.T) {
	for name, want := range map[string][]string{
		"receipt":       {"receipt"},
		"newKit":        {"new", "kit"},
		"ErrNoteOfSeat": {"err", "note", "of", "seat"},
		"selectURL":     {"select", "url"},
	} {
		if got := parts(name); !slices.Equal(got, want) {
			t.Errorf("parts(%q) = %v, want %v", name, got, want)
		}
	}
}
