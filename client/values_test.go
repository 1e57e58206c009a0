package client_test

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"orgd/client"
)

func TestDecimal(t *testing.T) {
	for text, want := range map[string]struct {
		rat   string
		float float64
	}{
		`0`:                     {"0", 0},
		`-0.50`:                 {"-1/2", -0.5},
		`1.5e+60`:               {"1500000000000000000000000000000000000000000000000000000000000", 1.5e60},
		`123456789.123456789`:   {"123456789123456789/1000000000", 123456789.123456789},
		`0.1234567890123456789`: {"1234567890123456789/10000000000000000000", 0.1234567890123456789},
	} {
		var d client.Decimal
		if err := json.Unmarshal([]byte(text), &d); err != nil || string(d) != text {
			t.Errorf("Unmarshal(%s) = %q, %v", text, d, err)
		}
		if back, err := json.Marshal(d); err != nil || string(back) != text {
			t.Errorf("Marshal(%q) = %s, %v", d, back, err)
		}
		wantRat, _ := new(big.Rat).SetString(want.rat)
		if r, err := d.Rat(); err != nil || r.Cmp(wantRat) != 0 {
			t.Errorf("Rat(%s) = %v, %v, want %s", d, r, err, want.rat)
		}
		if f := d.Float64(); f != want.float {
			t.Errorf("Float64(%s) = %v, want %v", d, f, want.float)
		}
	}
	if text, err := json.Marshal(client.Decimal("")); err != nil || string(text) != "0" {
		t.Errorf("Marshal of nothing = %s, %v, want 0", text, err)
	}
	if r, err := client.Decimal("").Rat(); err != nil || r.Sign() != 0 {
		t.Errorf("Rat of nothing = %v, %v, want 0", r, err)
	}
	if f := client.Decimal("1e400").Float64(); !math.IsInf(f, 1) {
		t.Errorf("Float64(1e400) = %v, want +Inf", f)
	}
	for _, bad := range []client.Decimal{"abc", "1/2", "0x10", "1_000", "NaN", "Inf", " 1", "01", ".5", "+1", `"1"`, "true"} {
		if text, err := json.Marshal(bad); err == nil {
			t.Errorf("Marshal(%q) = %s, want an error", bad, text)
		}
		if r, err := bad.Rat(); err == nil {
			t.Errorf("Rat(%q) = %v, want an error", bad, r)
		}
		if f := bad.Float64(); f != 0 {
			t.Errorf("Float64(%q) = %v, want 0", bad, f)
		}
	}
	for _, far := range []client.Decimal{"1e1001", "1e-1001", "1e99999999999999999999"} {
		if _, err := far.Rat(); err == nil {
			t.Errorf("Rat(%s) succeeded", far)
		}
	}
	var d client.Decimal
	for _, bad := range []string{`"1"`, `true`, `[1]`} {
		if err := json.Unmarshal([]byte(bad), &d); err == nil {
			t.Errorf("Unmarshal(%s) = %q, want an error", bad, d)
		}
	}
}

func TestDate(t *testing.T) {
	late := time.Date(2026, 3, 1, 0, 30, 0, 0, time.FixedZone("", 3600))
	d := client.DateOf(late)
	if at, err := d.Time(); d != "2026-02-28" || err != nil || !at.Equal(time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("DateOf(%s) = %s, its Time %s, %v", late, d, at, err)
	}
	if _, err := client.Date("2026-02-30").Time(); err == nil {
		t.Error("30 February has a Time")
	}
}

func TestObject(t *testing.T) {
	const text = `{"":0,"a.b":[1.50,{"big":123456789012345678901234567890}],"n":null}`
	var o client.Object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	want := client.Object{
		"": json.Number("0"), "a.b": []any{json.Number("1.50"), map[string]any{"big": json.Number("123456789012345678901234567890")}}, "n": nil,
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("Unmarshal = %v, want %v", o, want)
	}
	if back, err := json.Marshal(o); err != nil || string(back) != text {
		t.Errorf("Marshal = %s, %v, want %s", back, err, text)
	}
	var into struct {
		List []any `json:"a.b"`
	}
	if err := o.Decode(&into); err != nil || !reflect.DeepEqual(into.List, want["a.b"]) {
		t.Errorf("Decode = %+v, %v", into, err)
	}
	if err := (client.Object{"f": func() {}}).Decode(&into); err == nil {
		t.Error("Decode of a function succeeded")
	}
}

// TestOpenObjects are those with a few known keys.
func TestOpenObjects(t *testing.T) {
	p := client.CeremonyPolicy{Strategy: client.CeremonyHybrid, Other: client.Object{"length": json.Number("14")}}
	text, err := json.Marshal(p)
	if err != nil || string(text) != `{"strategy":"hybrid","length":14}` {
		t.Errorf("Marshal = %s, %v", text, err)
	}
	for _, text := range []string{`{}`, `{"length":14}`, `{"strategy":"hybrid"}`, `{"strategy":"hybrid","length":14}`} {
		var p client.CeremonyPolicy
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Errorf("Unmarshal(%s) = %v", text, err)
		}
		if back, err := json.Marshal(p); err != nil || string(back) != text {
			t.Errorf("Marshal of %s = %s, %v", text, back, err)
		}
	}
	p.Other["strategy"] = "calendar"
	if text, err := json.Marshal(p); err == nil || !strings.Contains(err.Error(), "strategy") {
		t.Errorf("Marshal with a key twice = %s, %v, want an error that names it", text, err)
	}
}
