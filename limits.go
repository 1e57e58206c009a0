package orgd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"orgd/domain/limit"
)

// maxCap bounds a cap. What needs more needs no limit.
const maxCap = 1_000_000_000

// maxWindow bounds the period of a limit, because what it counts is kept in
// memory for so long.
const maxWindow = day

func limitSettings() []setting {
	return []setting{
		{"limits", func(c *Config) any { return c.switchLimits }},
		{"limit", func(c *Config) any { return c.setRates }},
		{"limit-at-once", func(c *Config) any { return c.setSlots }},
	}
}

var errNoLimit = errors.New("there is no such limit; orgd config check lists them")

// switchLimits turns all limits off; those set one by one then come on top.
func (c *Config) switchLimits(v any) error {
	on, err := boolean(v)
	if err != nil {
		return errors.New("must be on or off")
	}
	if on {
		c.Limits = limit.Defaults()
	} else {
		c.Limits = limit.Caps{Operations: map[string]limit.Rate{}, Slots: map[string]int{}}
	}
	return nil
}

// setRates changes limits in a period: name to "100/60s", or to "0" or "off".
func (c *Config) setRates(v any) error {
	return eachPair(v, func(name, value string) error {
		rate, err := parseRate(value)
		if err != nil {
			return err
		}
		switch _, known := limit.Defaults().Operations[name]; {
		case name == limit.AddressName:
			c.Limits.Address = rate
		case name == limit.AuthFailuresName:
			c.Limits.AuthFailures = rate
		case name == limit.SubjectName:
			c.Limits.Subject = rate
		case known:
			c.Limits.Operations[name] = rate
		default:
			return errNoLimit
		}
		return nil
	})
}

// setSlots changes limits on requests at once: name to "2", or to "0" or "off".
func (c *Config) setSlots(v any) error {
	return eachPair(v, func(name, value string) error {
		known := limit.Defaults().Slots
		if _, ok := known[name]; !ok {
			return errNoLimit
		}
		n, err := parseCap(value)
		c.Limits.Slots[name] = n
		return err
	})
}

// eachPair calls f for each pair and names the pair in its mistakes.
func eachPair(v any, f func(name, value string) error) error {
	m, err := pairs(v)
	errs := []error{err}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if err := f(name, m[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

func parseRate(s string) (limit.Rate, error) {
	if s == "off" || s == "0" {
		return limit.Rate{}, nil
	}
	number, period, ok := strings.Cut(s, "/")
	n, err := parseCap(number)
	length, err2 := ParseDuration(period)
	if !ok || errors.Join(err, err2) != nil {
		return limit.Rate{}, fmt.Errorf("%q must be a cap and a period such as 100/60s, or off", s)
	}
	if length < time.Second || length > maxWindow {
		return limit.Rate{}, fmt.Errorf("%q must have a period of 1s to %s", s, durationText(maxWindow))
	}
	return limit.Rate{Cap: n, Length: length}, nil
}

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

func rateText(r limit.Rate) string {
	if r.Cap <= 0 {
		return "off"
	}
	return strconv.Itoa(r.Cap) + "/" + durationText(r.Length)
}
