package money_test

import (
	"errors"
	"strings"
	"testing"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
)

func read(t *testing.T, text string) (money.Amount, money.Percent, error) {
	t.Helper()
	v, err := jsondoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("jsondoc.Parse(%s) = %v", text, err)
	}
	amount, percent := money.Amount(7), money.Percent(8)
	err = jsondoc.Read(v, func(r *jsondoc.Reader) {
		money.ReadAmount(r, "budget", &amount)
		money.ReadPercent(r, "share", &percent)
	})
	return amount, percent, err
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		text    string
		amount  money.Amount
		percent money.Percent
	}{
		{`{}`, 7, 8},
		{`{"budget":0,"share":0}`, 0, 0},
		{`{"budget":12.5,"share":33.3333}`, 12.5e9, 333_333},
		{`{"budget":999999999.999999999,"share":100.0000}`, money.MaxAmount, money.Hundred},
	} {
		if a, p, err := read(t, tc.text); a != tc.amount || p != tc.percent || err != nil {
			t.Errorf("read(%s) = %d, %d, %v, want %d, %d", tc.text, a, p, err, tc.amount, tc.percent)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"budget":0.0000000001}`: "budget: must have at most 9 decimals",
		`{"share":0.00001}`:       "share: must have at most 4 decimals",
		`{"budget":1000000000}`:   "budget: ",
		`{"budget":-1}`:           "budget: ",
		`{"share":100.0001}`:      "share: ",
		`{"share":1e-99999999}`:   "share: ",
		`{"budget":1e99999999}`:   "budget: ",
		`{"budget":"1"}`:          "budget: ",
		`{"budget":null}`:         "budget: ",
	} {
		_, _, err := read(t, text)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.RequestValidation {
			t.Errorf("read(%s) error = %v, want code 2001", text, err)
			continue
		}
		if !strings.HasPrefix(f.Msg, want) || strings.Contains(f.Msg, ";") {
			t.Errorf("read(%s) says %q, want one problem, %q", text, f.Msg, want)
		}
	}
}
