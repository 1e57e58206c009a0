package orgd

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/mongostore"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/ports"
	"orgd/test/golden"
)

// Each method of both storages is measured once, under the name that dashboards and
// alerts know.
func TestOperationsAreMeasured(t *testing.T) {
	m := telemetry.NewMetrics("v", "c")
	embedded := sqlitestore.Default()
	embedded.Dir, embedded.Observer.Metrics = t.TempDir(), m
	db, closeDB, err := sqlitestore.Open(t.Context(), embedded, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	closeDB()
	golden.File(t, "testdata/operations.txt", operations(t, m, db.Stores()))
	shared := mongostore.Default()
	shared.URI, shared.OperationTimeout, shared.Observer.Metrics = "mongodb://127.0.0.1:1", 100*time.Millisecond, m
	replica, closeReplica, err := mongostore.Open(shared, system.Clock{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeReplica()
	golden.File(t, "testdata/operations.txt", operations(t, m, replica.Stores()))
}

// operations calls every method and returns what each is measured as. The context has
// ended and the storage is out of reach, so nothing happens.
func operations(t *testing.T, m *telemetry.Metrics, s ports.Stores) string {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var list strings.Builder
	before := measured(m)
	stores := reflect.ValueOf(s)
	for i := range stores.NumField() {
		for method, v := range stores.Field(i).Methods() {
			if v.Type().NumIn() == 0 || v.Type().In(0) != reflect.TypeFor[context.Context]() { // not an operation
				continue
			}
			args := []reflect.Value{reflect.ValueOf(ctx)}
			for n := 1; n < v.Type().NumIn(); n++ {
				args = append(args, reflect.Zero(v.Type().In(n)))
			}
			v.Call(args)
			after := measured(m)
			fmt.Fprintf(&list, "%s.%s", stores.Type().Field(i).Name, method.Name)
			for name, n := range after {
				list.WriteString(strings.Repeat(" "+name, n-before[name]))
			}
			list.WriteString("\n")
			before = after
		}
	}
	return list.String()
}

var operationCount = regexp.MustCompile(`(?m)^orgd_store_operation_duration_seconds_count\{operation="([^"]+)",outcome="[^"]+"\} (\d+)$`)

// measured is how often each operation was measured, whatever its outcome.
func measured(m *telemetry.Metrics) map[string]int {
	counts := map[string]int{}
	for _, c := range operationCount.FindAllStringSubmatch(shown(m), -1) {
		n, _ := strconv.Atoi(c[2]) // only digits
		counts[c[1]] += n
	}
	return counts
}
