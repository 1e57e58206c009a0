package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"orgd/client"
	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
)

// slower is what is added to the time between two questions if the provider asks for that
// (RFC 8628, section 3.5).
const slower = 5 * time.Second

// otherWays are for who cannot sign in with an identity provider.
const otherWays = "log in with a token (orgd login --with-token); an admin makes links for browsers (orgd login --link)"

// signInDevice returns the token of who signs in with a browser on another device.
func signInDevice(ctx context.Context, t *terminal.Terminal, service *client.Client) (string, error) {
	d, err := service.BeginDevice(ctx)
	if err != nil {
		return "", deviceFailed(err)
	}
	t.Say("Open %s in a browser on any device, and type this code there:\n\n  %s\n", d.VerificationURI, d.UserCode)
	if d.VerificationURIComplete != nil {
		t.Say("This address has the code in it: %s\n", *d.VerificationURIComplete)
	}
	every := time.Duration(d.Interval) * time.Second
	for remote.Sleep(ctx, every) {
		issued, err := service.SignInDevice(ctx, d.Code)
		pending, ok := errors.AsType[*client.Error](err)
		switch {
		case err == nil:
			return issued.Token, nil
		case !ok || pending.Code != client.ErrConflict:
			return "", deviceFailed(err)
		case pending.RetryAfter > 0:
			every += slower
		}
	}
	return "", context.Cause(ctx)
}

// deviceFailed says what to do if nobody can sign in so.
func deviceFailed(err error) error {
	refused, ok := errors.AsType[*client.Error](err)
	switch {
	case ok && refused.Code == client.ErrUnauthorized: // of which the token is no cause
		return errors.New(refused.Detail)
	case ok && refused.Code == client.ErrRouteNotFound:
		return fmt.Errorf("%s: %s", refused.Detail, otherWays)
	}
	return err
}
