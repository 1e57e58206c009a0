package yamldoc_test

import (
	"strings"
	"testing"
	"time"

	"orgd/adapters/httpapi/internal/document/yamldoc"
)

// No text of the size of an entry keeps the reader busy for long.
func TestHostileTexts(t *testing.T) {
	const size = 128 << 10
	for _, piece := range []string{
		"[", "{", "- ", "? ", "{a: ", "[{", "a: ", "# c\n", "\n", "-\n", "a:\n ", "&a ", "!!a ", "'", "''", "\\", "|\n", "a: |\n", "- - \n", ", ", "#", " #\n", "{}\n", "---\n", "? a\n", "x", "x\n", "\"\\\n",
	} {
		text := strings.Repeat(piece, size/len(piece))
		began := time.Now()
		_, _ = yamldoc.Parse([]byte(text), 1, deep)
		took := time.Since(began)
		if took > 20*time.Second {
			t.Errorf("Parse of %q again and again took %v", piece, took)
		}
	}
}
