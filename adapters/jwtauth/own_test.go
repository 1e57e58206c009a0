package jwtauth_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
)

func TestOwnToken(t *testing.T) {
	auth, own := open(t, newClock(), keyFile(t, edKey(t)))
	s := ownSession(t, time.Hour)
	token := issue(t, own, s)
	if issue(t, own, s) == token {
		t.Error("Issue = the same token twice")
	}
	for range 2 { // the second time from the cache
		if diff := cmp.Diff(s, wantAccepted(t, auth, "own token", token)); diff != "" {
			t.Errorf("Authenticate (-want +got):\n%s", diff)
		}
	}
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(token, claims); err != nil {
		t.Fatalf("ParseUnverified = %v", err)
	}
	if claims["jti"] == "" {
		t.Error("jti is empty")
	}
	delete(claims, "jti")
	want := jwt.MapClaims{
		"iss": "orgd", "aud": "orgd", "sub": "ann", "sid": s.ID, "role": "department_admin",
		"departments": []any{"Design", "Sales & More"},
		"iat":         float64(noon.Unix()), "nbf": float64(noon.Unix() - 30), "exp": float64(noon.Unix() + 3600),
	}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

func TestOwnTokenOfAnAgent(t *testing.T) {
	auth, own := open(t, newClock(), keyFile(t, edKey(t)))
	s := ownSession(t, time.Hour)
	s.Role, s.Subject, s.Departments = access.Agent, "0190a5c4-0000-7000-8000-000000000001", nil
	if got := wantAccepted(t, auth, "agent", issue(t, own, s)); got.Agent != s.Subject {
		t.Errorf("Authenticate = agent %q, want %q", got.Agent, s.Subject)
	}
}

// A token says how its session began, and what it is for.
func TestOwnTokenWithLabel(t *testing.T) {
	auth, own := open(t, newClock(), keyFile(t, edKey(t)))
	s := ownSession(t, time.Hour)
	s.Label = strings.Repeat("🌙", 128)
	if diff := cmp.Diff(s, wantAccepted(t, auth, "label", issue(t, own, s))); diff != "" {
		t.Errorf("Authenticate (-want +got):\n%s", diff)
	}
}

// A token of a browser says what it goes back to, also if that was another issuer's.
func TestOwnTokenOfABrowser(t *testing.T) {
	auth, own := open(t, newClock(), keyFile(t, edKey(t)))
	theirs := ownSession(t, 20*time.Hour)
	theirs.Kind, theirs.Subject = session.External, session.Subject("https://idp", strings.Repeat("ä", 256))
	theirs.Role, theirs.Agent = access.Agent, "0190a5c4-0000-7000-8000-000000000001"
	s, err := theirs.SignIn("s2", "orgd", noon)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, wantAccepted(t, auth, "browser", issue(t, own, s))); diff != "" {
		t.Errorf("Authenticate (-want +got):\n%s", diff)
	}
	if s, err = s.SignIn("s3", "orgd", noon); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, wantAccepted(t, auth, "browser of a browser", issue(t, own, s))); diff != "" {
		t.Errorf("Authenticate one generation later (-want +got):\n%s", diff)
	}
}

func TestOwnTokenEnds(t *testing.T) {
	c := newClock()
	auth, own := open(t, c, keyFile(t, edKey(t)))
	token := issue(t, own, ownSession(t, time.Second))
	wantAccepted(t, auth, "at once", token)
	c.advance(999 * time.Millisecond)
	wantAccepted(t, auth, "just before the end", token)
	c.advance(time.Millisecond)
	wantRefused(t, auth, "at the end, although cached", token)
}

func TestOwnTokenTooLarge(t *testing.T) {
	_, own := open(t, newClock(), keyFile(t, edKey(t)))
	s := ownSession(t, time.Hour)
	s.Departments = slices.Repeat([]name.Name{{Text: strings.Repeat("d", 128)}}, 100)
	if token, err := own.Issue(s); !errors.Is(err, session.ErrTooLarge) {
		t.Errorf("Issue = %d bytes, %v, want ErrTooLarge", len(token), err)
	} else if !regexp.MustCompile(`^departments: make a token of \d{5} bytes, which may have at most \d{4}$`).MatchString(err.Error()) {
		t.Errorf("Issue = %v, want both sizes", err)
	}
}

// ownClaims are those of a good own token.
func ownClaims(change jwt.MapClaims) jwt.MapClaims {
	return changed(jwt.MapClaims{
		"iss": "orgd", "aud": "orgd", "sub": "ann", "sid": "s1", "jti": "j1", "role": "admin",
		"iat": noon.Unix(), "nbf": noon.Unix(), "exp": noon.Add(time.Hour).Unix(), "departments": []string{},
	}, change)
}

// kidOf reads the kid that the service gives to a key.
func kidOf(t *testing.T, token string) string {
	t.Helper()
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Fatalf("ParseUnverified = %v", err)
	}
	return parsed.Header["kid"].(string)
}

func TestOwnTokenClaims(t *testing.T) {
	key := edKey(t)
	auth, own := open(t, newClock(), keyFile(t, key))
	id := kidOf(t, issue(t, own, ownSession(t, time.Hour)))
	for what, change := range map[string]jwt.MapClaims{
		"unchanged":         nil,
		"list of audiences": {"aud": []string{"other", "orgd"}},
		"no departments":    {"departments": nil},
	} {
		wantAccepted(t, auth, what, sign(t, jwt.SigningMethodEdDSA, key, ownClaims(change), kid(id)))
	}
	for what, change := range map[string]jwt.MapClaims{
		"expired":                   {"exp": noon.Unix()},
		"expired long ago":          {"exp": 1},
		"no exp":                    {"exp": nil},
		"exp null":                  {"exp": json.RawMessage("null")},
		"exp zero":                  {"exp": 0},
		"exp is text":               {"exp": "9999999999"},
		"exp far beyond time":       {"exp": 1e300},
		"exp beyond year 9999":      {"exp": 253402300800},
		"exp negative":              {"exp": -1},
		"not valid yet":             {"nbf": noon.Unix() + 1},
		"no nbf":                    {"nbf": nil},
		"wrong issuer":              {"iss": "orgd2"},
		"issuer in another case":    {"iss": "Orgd"},
		"no issuer":                 {"iss": nil},
		"issuer is a list":          {"iss": []string{"orgd"}},
		"wrong audience":            {"aud": "other"},
		"empty audience":            {"aud": ""},
		"empty list of audiences":   {"aud": []string{}},
		"audience is a number":      {"aud": 1},
		"no audience":               {"aud": nil},
		"no sid":                    {"sid": nil},
		"sid with a space":          {"sid": "a b"},
		"no subject":                {"sub": nil},
		"subject of another issuer": {"sub": "https://idp|ann"},
		"label of two lines":        {"label": "a\nb"},
		"empty label":               {"label": ""},
		"label is a number":         {"label": 1},
		"long label":                {"label": strings.Repeat("x", 129)},
		"no role":                   {"role": nil},
		"unknown role":              {"role": "root"},
		"role in another case":      {"role": "Admin"},
		"list of roles":             {"role": []string{"admin"}},
	} {
		wantRefused(t, auth, what, sign(t, jwt.SigningMethodEdDSA, key, ownClaims(change), kid(id)))
	}
}

func TestOwnTokenForged(t *testing.T) {
	key, foreign := edKey(t), edKey(t)
	auth, own := open(t, newClock(), keyFile(t, key))
	good := issue(t, own, ownSession(t, time.Hour))
	id := kidOf(t, good)
	public := key.Public().(ed25519.PublicKey)
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	jwk := map[string]any{"kty": "OKP", "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(foreign.Public().(ed25519.PublicKey))}
	claims := ownClaims(nil)
	parts := strings.Split(good, ".")
	rsa := rsaKey(t, 2048)

	for what, token := range map[string]string{
		"signed by another key":          sign(t, jwt.SigningMethodEdDSA, foreign, claims, kid(id)),
		"unknown kid":                    sign(t, jwt.SigningMethodEdDSA, key, claims, kid("other")),
		"no kid":                         sign(t, jwt.SigningMethodEdDSA, key, claims, nil),
		"kid is a number":                sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": 1}),
		"kid is a path":                  sign(t, jwt.SigningMethodHS256, []byte{}, claims, kid("../../dev/null")),
		"HS256 with the public key":      sign(t, jwt.SigningMethodHS256, []byte(public), claims, kid(id)),
		"HS256 with the public PEM":      sign(t, jwt.SigningMethodHS256, publicPEM, claims, kid(id)),
		"HS512 with the public DER":      sign(t, jwt.SigningMethodHS512, der, claims, kid(id)),
		"HS256 that says EdDSA":          sign(t, jwt.SigningMethodHS256, []byte(public), claims, map[string]any{"kid": id, "alg": "EdDSA"}),
		"RS256":                          sign(t, jwt.SigningMethodRS256, rsa, claims, kid(id)),
		"embedded jwk":                   sign(t, jwt.SigningMethodEdDSA, foreign, claims, map[string]any{"jwk": jwk}),
		"embedded jwk and a good key":    sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": id, "jwk": jwk}),
		"jku and a good key":             sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": id, "jku": "http://127.0.0.1/"}),
		"x5u and a good key":             sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": id, "x5u": "http://127.0.0.1/"}),
		"x5c and a good key":             sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": id, "x5c": []string{"AAAA"}}),
		"crit and a good key":            sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": id, "crit": []string{"exp"}}),
		"no alg":                         sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": id, "alg": nil}),
		"alg in another case":            sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": id, "alg": "eddsa"}),
		"alg is a list":                  sign(t, jwt.SigningMethodEdDSA, key, claims, map[string]any{"kid": id, "alg": []string{"EdDSA"}}),
		"without signature":              parts[0] + "." + parts[1] + ".",
		"two parts":                      parts[0] + "." + parts[1],
		"four parts":                     good + ".",
		"empty":                          "",
		"dots":                           "..",
		"null":                           "bnVsbA.bnVsbA.",
		"the scheme again":               "Bearer " + good,
		"space before":                   " " + good,
		"line break after":               good + "\n",
		"line break inside":              good[:10] + "\r\n" + good[10:],
		"padded":                         good + "=",
		"1 MiB":                          strings.Repeat("a", 1<<20),
		"1 MiB of dots":                  strings.Repeat(".", 1<<20),
		"too long by one":                good + strings.Repeat("A", 8<<10+1-len(good)),
		"another payload, old signature": parts[0] + "." + strings.Split(sign(t, jwt.SigningMethodEdDSA, foreign, claims, nil), ".")[1] + "." + parts[2],
	} {
		wantRefused(t, auth, what, token)
	}
	wantAccepted(t, auth, "the good token", good)
}

func TestAlgNone(t *testing.T) {
	auth, own := open(t, newClock(), keyFile(t, edKey(t)))
	good := issue(t, own, ownSession(t, time.Hour))
	parts := strings.Split(good, ".")
	for _, alg := range []string{`"none"`, `"None"`, `"NONE"`, `"nOnE"`, `"none "`, `""`, `null`, `false`, `"ｎone"`, `"no\u006ee"`} {
		header := base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"JWT","kid":"` + kidOf(t, good) + `","alg":` + alg + `}`))
		wantRefused(t, auth, alg, header+"."+parts[1]+".")
		wantRefused(t, auth, alg+" with signature", header+"."+parts[1]+"."+parts[2])
	}
}

// No token but the good one is accepted, however close it is.
func TestMutations(t *testing.T) {
	auth, own := open(t, newClock(), keyFile(t, edKey(t)))
	good := issue(t, own, ownSession(t, time.Hour))
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\x00"
	random := rand.New(rand.NewPCG(1, 2))
	tried, n := 0, size(5000, 100_000)
	for tried < n {
		token := []byte(good)
		i := random.IntN(len(token))
		switch random.IntN(4) {
		case 0:
			token[i] = letters[random.IntN(len(letters))]
		case 1:
			token[i] ^= 1 << random.IntN(8)
		case 2:
			token = slices.Delete(token, i, i+1)
		case 3:
			token = slices.Insert(token, i, letters[random.IntN(len(letters))])
		}
		if string(token) == good {
			continue
		}
		tried++
		wantRefused(t, auth, string(token), string(token))
	}
	for i := range 64 { // the last character has two bits that decoders like to ignore
		token := good[:len(good)-1] + letters[i:i+1]
		if token != good {
			wantRefused(t, auth, token, token)
		}
	}
	t.Logf("R17: %d mutations of a token refused", n)
}

func TestOwnKeysRotate(t *testing.T) {
	c, first, second := newClock(), edKey(t), edKey(t)
	_, before := open(t, c, keyFile(t, first))
	during, between := open(t, c, keyFile(t, second, first))
	after, _ := open(t, c, keyFile(t, second))
	s := ownSession(t, time.Hour)
	old, fresh := issue(t, before, s), issue(t, between, s)
	wantAccepted(t, during, "old key, both trusted", old)
	wantAccepted(t, during, "new key, both trusted", fresh)
	wantAccepted(t, after, "new key", fresh)
	wantRefused(t, after, "old key after its removal", old)
}

func BenchmarkAuthenticate(b *testing.B) {
	auth, own := open(b, newClock(), keyFile(b, edKey(b)))
	token := issue(b, own, ownSession(b, time.Hour))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := auth.Authenticate(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
