package protocol

import (
	"net/http"
	"testing"
)

func TestClientAddress(t *testing.T) {
	for what, tt := range map[string]struct {
		proxies   []string
		peer      string
		forwarded []string
		want      string
	}{
		"direct":                 {nil, "203.0.113.9:1234", nil, "203.0.113.9"},
		"direct IPv6":            {nil, "[2001:db8:1:2:3:4:5:6]:1234", nil, "2001:db8:1:2::/64"},
		"same block":             {nil, "[2001:db8:1:2:ffff::]:1234", nil, "2001:db8:1:2::/64"},
		"next block":             {nil, "[2001:db8:1:3::]:1234", nil, "2001:db8:1:3::/64"},
		"IPv4 in IPv6":           {nil, "[::ffff:203.0.113.9]:1234", nil, "203.0.113.9"},
		"zone":                   {nil, "[fe80::1%eth0]:1234", nil, "fe80::/64"},
		"no address":             {nil, "@", nil, "@"},
		"forged":                 {nil, "203.0.113.9:1", []string{"10.1.1.1"}, "203.0.113.9"},
		"forged, other proxy":    {[]string{"10.0.0.0/8"}, "203.0.113.9:1", []string{"1.1.1.1"}, "203.0.113.9"},
		"proxy":                  {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"proxy by address":       {[]string{"10.0.0.1"}, "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"not this proxy":         {[]string{"10.0.0.1"}, "10.0.0.2:1", []string{"203.0.113.9"}, "10.0.0.2"},
		"proxy in IPv6 form":     {[]string{"::ffff:10.0.0.1"}, "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"proxies in IPv6 form":   {[]string{"::ffff:10.0.0.0/104"}, "10.0.0.1:1", []string{"203.0.113.9, 10.9.9.9"}, "203.0.113.9"},
		"not those proxies":      {[]string{"::ffff:10.0.0.0/104"}, "11.0.0.1:1", []string{"203.0.113.9"}, "11.0.0.1"},
		"all of IPv4":            {[]string{"::ffff:0.0.0.0/96"}, "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"proxy on a link":        {[]string{"fe80::/10"}, "[fe80::1%eth0]:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"proxy without header":   {[]string{"10.0.0.0/8"}, "10.0.0.1:1", nil, "10.0.0.1"},
		"proxy, empty header":    {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{""}, "10.0.0.1"},
		"client's own entries":   {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"6.6.6.6, 203.0.113.9"}, "203.0.113.9"},
		"chain":                  {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"6.6.6.6, 203.0.113.9, 10.0.0.2,10.0.0.3"}, "203.0.113.9"},
		"two headers":            {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"6.6.6.6", "203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		"all are proxies":        {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"unreadable at the end":  {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"203.0.113.9, unknown"}, "10.0.0.1"},
		"unreadable in between":  {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"203.0.113.9, unknown, 10.0.0.2"}, "10.0.0.2"},
		"with a port":            {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		"IPv6":                   {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"2001:db8:1:2:3::1"}, "2001:db8:1:2::/64"},
		"IPv6 in brackets":       {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"[2001:db8:1:2:3::1]"}, "2001:db8:1:2::/64"},
		"IPv6 with a port":       {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"[2001:db8:1:2:3::1]:80"}, "2001:db8:1:2::/64"},
		"IPv4 in IPv6 forwarded": {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
	} {
		c, err := NewClients(tt.proxies)
		if err != nil {
			t.Fatalf("%s: NewClients(%q) = %v", what, tt.proxies, err)
		}
		r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
		if got := c.Address(r); got != tt.want {
			t.Errorf("%s: address = %q, want %q", what, got, tt.want)
		}
	}
}

func TestNewClientsRefuses(t *testing.T) {
	for _, p := range []string{"", "proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0", "::ffff:10.0.0.0/95", "::ffff:0:0/0"} {
		if _, err := NewClients([]string{p}); err == nil {
			t.Errorf("NewClients(%q) succeeded", p)
		}
	}
}
