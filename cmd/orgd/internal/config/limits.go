package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/limit"
)

// maxCap bounds a cap. What needs more needs no limit.
const maxCap = 1_000_000_000

// maxWindow bounds the period of a limit, because what it counts is kept in
// memory for so long.
const maxWindow = 24 * time.Hour

var errNoLimit = errors.New("there is no such limit; orgd config check lists them")

// applyLimits switches all limits on or off and then sets single ones.
func (in *input) applyLimits(values map[string]any) error {
	caps := &in.Config.Limits
	var errSwitch error
	if v, ok := values["limits"]; ok {
		on, err := read(v, boolean)
		if err != nil {
			errSwitch = mistake("limits", errors.New("must be on or off"))
		} else if !on {
			*caps = limit.Caps{Operations: map[string]limit.Rate{}, Slots: map[string]int{}}
		}
	}
	return errors.Join(errSwitch,
		eachPair(in.Rates, func(name, value string) error {
			rate, err := parseRate(value)
			if err == nil {
				err = setRate(caps, name, rate)
			}
			return mistake(pairName("limit", name), within(name, err))
		}),
		eachPair(in.Slots, func(name, value string) error {
			n, err := parseCap(value)
			if _, ok := limit.Defaults().Slots[name]; !ok {
				err = errNoLimit
			} else {
				caps.Slots[name] = n
			}
			return mistake(pairName("limit-at-once", name), within(name, err))
		}))
}

func setRate(caps *limit.Caps, name string, rate limit.Rate) error {
	_, known := limit.Defaults().Operations[name]
	if r := general(caps)[name]; r != nil {
		*r = rate
	} else if known {
		caps.Operations[name] = rate
	} else {
		return errNoLimit
	}
	return nil
}

// general returns the limits that are not about one operation, by name.
func general(caps *limit.Caps) map[string]*limit.Rate {
	return map[string]*limit.Rate{
		limit.AddressName: &caps.Address, limit.AuthFailuresName: &caps.AuthFailures, limit.SubjectName: &caps.Subject,
		limit.SignInsName: &caps.SignIns, limit.AllSignInsName: &caps.AllSignIns,
	}
}

// parseRate reads "100/60s", "0" or "off".
func parseRate(s string) (limit.Rate, error) {
	if s == "off" || s == "0" {
		return limit.Rate{}, nil
	}
	number, period, ok := strings.Cut(s, "/")
	n, err := parseCap(number)
	length, err2 := terminal.ParseDuration(period)
	if !ok || errors.Join(err, err2) != nil {
		return limit.Rate{}, fmt.Errorf("%q must be a cap and a period such as 100/60s, or off", s)
	}
	if length < time.Second || length > maxWindow {
		return limit.Rate{}, fmt.Errorf("%q must have a period of 1s to %s", s, terminal.DurationText(maxWindow))
	}
	return limit.Rate{Cap: n, Length: length}, nil
}

// parseCap reads "2", "0" or "off".
func parseCap(s string) (int, error) {
	if s == "off" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxCap {
		return 0, fmt.Errorf("%q must be a whole number up to %d, or off", s, maxCap)
	}
	return n, nil
}

// rateText writes a rate so that parseRate reads it.
func rateText(r limit.Rate) string {
	if r.Cap <= 0 {
		return "off"
	}
	return strconv.Itoa(r.Cap) + "/" + terminal.DurationText(r.Length)
}
