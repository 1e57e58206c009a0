// Provider is an OpenID provider for tests: the example server of zitadel/oidc, with users,
// their groups, and one client. It is a module of its own, so that the service does not get
// its dependencies.
//
// Usage: provider -addr HOST:PORT -redirect URL -signed-out URL
//
// Its users are ann (groups admins), ed (editors), dora (department-heads, of Design) and
// nora (none); a password is the name. The client is orgd with the secret "secret".
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// groups are the groups of each user; departments those of which dora is the head.
var groups = map[string][]string{
	"ann": {"admins", "everybody"}, "ed": {"editors", "everybody"}, "dora": {"department-heads"}, "nora": nil,
}

var departments = map[string][]string{"dora": {"Design"}}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "where to listen")
	redirect := flag.String("redirect", "", "redirect address of the client")
	signedOut := flag.String("signed-out", "", "where the client leads people who have signed out")
	flag.Parse()
	if err := serve(*addr, *redirect, *signedOut); err != nil {
		log.Fatal(err)
	}
}

func serve(addr, redirect, signedOut string) error {
	users, err := userStore()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	issuer := "http://" + listener.Addr().String()
	storage.RegisterClients(storage.WebClient("orgd", "secret", redirect))
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	handler := exampleop.SetupServer(issuer, people{storage.NewStorage(users), signedOut}, quiet, false)
	fmt.Println(issuer)
	return http.Serve(listener, handler)
}

// userStore makes the users.
func userStore() (storage.UserStore, error) {
	dir, err := os.MkdirTemp("", "provider")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	users := map[string]map[string]any{}
	for name := range groups {
		users[name] = map[string]any{
			"ID": name, "Username": name, "Password": name, "FirstName": name, "LastName": "Example",
			"Email": name + "@example.com", "EmailVerified": true, "PreferredLanguage": "en",
		}
	}
	text, err := json.Marshal(users)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "users.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return storage.StoreFromFile(file)
}

// people is the storage of the example with groups, and a client that people may be led back to.
type people struct {
	*storage.Storage
	signedOut string
}

// SetUserinfoFromScopes implements op.Storage: it writes the claims of ID tokens.
func (p people) SetUserinfoFromScopes(ctx context.Context, info *oidc.UserInfo, user, client string, scopes []string) error {
	info.Subject = user
	if !slices.Contains(scopes, storage.CustomScope) {
		return nil
	}
	info.AppendClaims("email", user+"@example.com")
	if g := groups[user]; g != nil {
		info.AppendClaims("groups", g)
	}
	if d := departments[user]; d != nil {
		info.AppendClaims("departments", d)
	}
	return nil
}

// SetUserinfoFromRequest implements op.CanSetUserinfoFromRequest.
func (p people) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, token op.IDTokenRequest, scopes []string) error {
	return nil
}

// GetClientByClientID implements op.Storage.
func (p people) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := p.Storage.GetClientByClientID(ctx, id)
	return client{c, p.signedOut}, err
}

type client struct {
	op.Client
	signedOut string
}

// PostLogoutRedirectURIs implements op.Client.
func (c client) PostLogoutRedirectURIs() []string { return []string{c.signedOut} }
