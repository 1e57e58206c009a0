package webhook

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"orgd/domain/activity"
	"orgd/domain/domaintest"
)

// Nobody but hosts on the public internet is reached, unless the operator says
// so.
func TestReaches(t *testing.T) {
	public := `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
		172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
		2000:: 2001:200:: 2606:4700::1111 2a00:1450:4001::1 3ffe:: 3fff:1000:: 2003::1`
	private := `0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255
		192.0.0.1 192.0.0.170 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
		:: ::1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b::127.0.0.1 64:ff9b:1::1 100::1
		2001::1 2001:1ff::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 4000::1 5f00::1 fc00::1 fd00::1 fe80::1 fe80::1%eth0 2606:4700::1%eth0 fec0::1 ff02::1 ffff::`
	for want, list := range map[bool]string{true: public, false: private} {
		for _, text := range strings.Fields(list) {
			a := netip.MustParseAddr(text)
			if got := (Policy{}).Reaches(a); got != want {
				t.Errorf("Reaches(%s) = %t, want %t", a, got, want)
			}
			if !(Policy{AllowPrivate: true}).Reaches(a) {
				t.Errorf("Reaches(%s) = false where all are allowed", a)
			}
		}
	}
	if (Policy{}).Reaches(netip.Addr{}) {
		t.Error("an address that is none is reached")
	}
}

// An address in a form that not every resolver reads alike is refused whatever is
// allowed, and a name is none.
func TestUncommonAddresses(t *testing.T) {
	for _, host := range strings.Fields(`2130706433 0x7f000001 0X7F000001 017700000001 0177.0.0.1 0177.0.0.01 127.1 127.0.1 0x7f.1 0x7f.0.0.0x1 0 00 0x 1.0x 127.0.0.1.
		127.0.0.1.. 8.8.8.8. 134744072 8.8.2056 08.8.8.8 1.2.3.4.5 256.0.0.1 example.1 example.0x1f example.com.1. 99999999999999999999`) {
		for _, p := range []Policy{{}, {AllowHTTP: true}, {AllowHTTP: true, AllowPrivate: true}} {
			_, err := patch(t, `{"url":"https://`+host+`:8443/x"}`).Under(p)
			if !errors.Is(err, ErrURL) || domaintest.Code(err) != 2001 || !strings.Contains(err.Error(), "address in an uncommon form; write it as") {
				t.Errorf("Check of %s under %+v = %v, want it refused", host, p, err)
			}
		}
	}
	for _, host := range strings.Fields(`example.com example.com. 1.example.com 127.0.0.1.example.com 0x7f.example 1e100.net 0xg.example x0x1 8.8.8.8 [2a00:1450:4001::1] 7.a`) {
		if _, err := patch(t, `{"url":"https://`+host+`/"}`).Under(Policy{}); err != nil {
			t.Errorf("Check of %s = %v", host, err)
		}
	}
}

// A webhook keeps what was allowed when its URL was set, and is stored with it.
func TestAllowedGoesWithTheURL(t *testing.T) {
	under := func(text string, p Policy) Patch {
		t.Helper()
		got, err := patch(t, text).Under(p)
		if err != nil {
			t.Fatalf("Under(%+v) of %s = %v", p, text, err)
		}
		return got
	}
	all := Policy{AllowHTTP: true, AllowPrivate: true}
	w := start(t, "")
	for _, step := range []struct {
		patch    Patch
		want     Policy
		revision int64
	}{
		{under(`{"url":"https://10.0.0.1"}`, all), all, 2},
		{under(`{"enabled":false}`, Policy{}), all, 3},
		{under(`{"url":"https://10.0.0.1"}`, all), all, 3},
		{under(`{"url":"https://example.com"}`, all), all, 4},
		{under(`{"url":"https://example.com"}`, Policy{}), Policy{}, 5},
		{under(`{"url":"https://example.com"}`, Policy{AllowPrivate: true}), Policy{AllowPrivate: true}, 6},
	} {
		var err error
		if w, err = w.Change(step.patch, 9, after(1)); err != nil || w.Allowed != step.want || w.Revision != step.revision {
			t.Fatalf("Change = %+v, %v, want %+v and revision %d", w, err, step.want, step.revision)
		}
		if back, err := Parse(w.Canonical()); err != nil || back.Allowed != step.want {
			t.Errorf("Parse of %s = %+v, %v", w.Canonical(), back.Allowed, err)
		}
		if m := w.Subscriber().Message(activity.Logged{}, dawn); m.Allowed != step.want {
			t.Errorf("a message allows %+v, want %+v", m.Allowed, step.want)
		}
	}
	made, err := New(hookID, under(`{"url":"https://10.0.0.1"}`, all), secret(1), 7, dawn)
	if err != nil || made.Allowed != all {
		t.Errorf("New = %+v, %v, want what is allowed", made, err)
	}
}

// What a URL tells by itself is told when it is written.
func TestPolicyChecks(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.com/hook":       "",
		"https://8.8.8.8/":               "",
		"https://localhost.example.com/": "",
		"http://example.com/hook":        "https",
		"https://127.0.0.1/":             "public",
		"https://10.1.2.3:8443/x":        "public",
		"https://[::1]/":                 "public",
		"https://[::ffff:8.8.8.8]/":      "public",
		"https://[64:ff9b::808:808]/":    "public",
		"https://169.254.169.254/latest": "public",
		"https://localhost/":             "public",
		"https://LOCALHOST.:443/":        "public",
		"https://a.localhost/":           "public",
		"https://[::ffff:127.0.0.1]/":    "public",
		"https://[::ffff:7f00:1]/":       "public",
	} {
		_, err := patch(t, `{"url":"`+text+`"}`).Under(Policy{})
		if want == "" && err != nil || want != "" && (!errors.Is(err, ErrURL) || domaintest.Code(err) != 2001 || !strings.Contains(err.Error(), want)) {
			t.Errorf("Check(%s) = %v, want %q", text, err, want)
		}
		if _, err := patch(t, `{"url":"`+text+`"}`).Under(Policy{AllowHTTP: true, AllowPrivate: true}); err != nil {
			t.Errorf("Check(%s) where all is allowed = %v", text, err)
		}
	}
	if err := (Policy{AllowPrivate: true}).Check("http://10.0.0.1"); err == nil {
		t.Error("a private address without TLS is allowed where only private addresses are")
	}
	if err := (Policy{AllowHTTP: true}).Check("http://10.0.0.1"); err == nil {
		t.Error("a private address is allowed where only http is")
	}
	if _, err := patch(t, `{"enabled":true}`).Under(Policy{}); err != nil {
		t.Errorf("Check of a patch without URL = %v", err)
	}
	if err := (Policy{}).Check(":"); !errors.Is(err, ErrURL) {
		t.Errorf("Check(:) = %v, want ErrURL", err)
	}
}
