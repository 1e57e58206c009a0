package jwtauth

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"orgd/domain/session"
)

const (
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
	// usualInterval is the time between two questions if the issuer does not say, and what is
	// added to it if it asks for that (RFC 8628, sections 3.2 and 3.5).
	usualInterval = 5 * time.Second
	maxInterval   = 60 // in seconds
)

// device returns how this service is a client of the issuer, with its secret.
func (p *Provider) device() (oauth2.Config, error) {
	c, f, err := p.config()
	if err == nil && f.DeviceURL == "" {
		err = session.ErrNoDevices.With("%s does not sign people in with another device", p.Name())
	}
	if err != nil {
		return c, err
	}
	c.Endpoint.DeviceAuthURL = f.DeviceURL
	if file := p.remote.config.ClientSecretFile; file != "" {
		c.ClientSecret, err = readClientSecret(file)
	}
	return c, err
}

// BeginDevice implements [ports.IdentityProvider].
func (p *Provider) BeginDevice(ctx context.Context) (session.Device, error) {
	c, err := p.device()
	if err != nil {
		return session.Device{}, err
	}
	client := *p.client
	client.Timeout = redeemTimeout // the context does not end this request
	var secret []oauth2.AuthCodeOption
	if c.ClientSecret != "" {
		secret = append(secret, oauth2.SetAuthURLParam("client_secret", c.ClientSecret))
	}
	d, err := c.DeviceAuth(context.WithValue(ctx, oauth2.HTTPClient, &client), secret...)
	if err != nil {
		return session.Device{}, p.deviceFailed(err)
	}
	if d.DeviceCode == "" || d.UserCode == "" || d.VerificationURI == "" {
		return session.Device{}, session.ErrProvider.With("%s does not say where to sign in", p.Name())
	}
	return session.Device{
		Code: d.DeviceCode, UserCode: d.UserCode, Address: d.VerificationURI, Complete: d.VerificationURIComplete,
		Interval: cmp.Or(time.Duration(max(0, min(d.Interval, maxInterval)))*time.Second, usualInterval),
	}, nil
}

// RedeemDevice implements [ports.IdentityProvider].
func (p *Provider) RedeemDevice(ctx context.Context, code string) (session.Session, string, error) {
	c, err := p.device()
	if err != nil {
		return session.Session{}, "", err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, p.client), redeemTimeout)
	defer cancel()
	// One question: oauth2.Config.DeviceAccessToken would ask until there is an answer.
	once := clientcredentials.Config{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Endpoint.TokenURL, AuthStyle: c.Endpoint.AuthStyle,
		EndpointParams: url.Values{"grant_type": {deviceGrant}, "device_code": {code}},
	}
	token, err := once.Token(ctx)
	if err != nil {
		return session.Session{}, "", p.deviceFailed(err)
	}
	text, _ := token.Extra("id_token").(string)
	return p.verify(ctx, text, "")
}

// deviceFailed says what came of a question (RFC 8628, section 3.5).
func (p *Provider) deviceFailed(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return p.codeRefused(err)
	}
	switch refused.ErrorCode {
	case "authorization_pending":
		return session.ErrPending
	case "slow_down":
		return session.ErrPending.After(2 * usualInterval)
	case "access_denied":
		return session.ErrProviderRefused.With("this sign-in was refused at %s", p.Name())
	case "expired_token":
		return session.ErrProviderRefused.With("nobody has approved this sign-in at %s in time: begin again", p.Name())
	case "unauthorized_client", "unsupported_grant_type":
		return session.ErrNoDevices.With("%s does not let this service sign people in with another device (%s)", p.Name(), refused.ErrorCode)
	}
	return p.codeRefused(err)
}
