package sqlitestore

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/company"
)

func TestFreshCompanyIsTheDefault(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	got, err := openOrg(t, t.TempDir()).db.Stores().Company.Company(context.Background())
	if err != nil || got.UpdatedAt.Before(before) || got.UpdatedAt.After(time.Now()) {
		t.Errorf("Company = updated at %v, %v, want now", got.UpdatedAt, err)
	}
	if diff := cmp.Diff(company.Default(got.UpdatedAt), got); diff != "" {
		t.Errorf("Company (-want +got):\n%s", diff)
	}
}
