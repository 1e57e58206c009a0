package orgd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// assign stores what a source holds: a text from flags and environment, any
// YAML value from the file.
func assign(place, v any) (err error) {
	switch p := place.(type) {
	case *string:
		*p, err = text(v)
	case *bool:
		*p, err = boolean(v)
	case **bool:
		*p, err = optional(v)
	case *int:
		*p, err = integer(v)
	case *float64:
		*p, err = decimal(v)
	case *time.Duration:
		*p, err = duration(v)
	case *[]string:
		*p, err = list(v)
	case *map[string]string:
		*p, err = pairs(v)
	case func(any) error:
		err = p(v)
	default:
		err = fmt.Errorf("cannot be set (%T)", place)
	}
	return err
}

// show is the inverse of assign, for one line of text.
func show(place any) string {
	switch p := place.(type) {
	case *string:
		return *p
	case *bool:
		return strconv.FormatBool(*p)
	case **bool:
		if *p == nil {
			return automatic
		}
		return strconv.FormatBool(**p)
	case *int:
		return strconv.Itoa(*p)
	case *float64:
		return strconv.FormatFloat(*p, 'g', -1, 64)
	case *time.Duration:
		return durationText(*p)
	case *[]string:
		return strings.Join(*p, ",")
	case *map[string]string:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(*p)) {
			all = append(all, name+"="+(*p)[name])
		}
		return strings.Join(all, ",")
	}
	return ""
}

func text(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(v), nil
	case nil:
		return "", errors.New("has no value")
	}
	return "", errors.New("must be a single value")
}

func boolean(v any) (bool, error) {
	s, err := text(v)
	if err != nil {
		return false, err
	}
	switch strings.ToLower(s) {
	case "true", "on", "yes", "1":
		return true, nil
	case "false", "off", "no", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q must be true or false", s)
}

// automatic is the word for a choice that is left to the program.
const automatic = "auto"

// optional reads true, false, or that the program decides: nil.
func optional(v any) (*bool, error) {
	if s, err := text(v); err == nil && strings.EqualFold(s, automatic) {
		return nil, nil
	}
	b, err := boolean(v)
	if err != nil {
		return nil, err
	}
	return &b, nil
}

func integer(v any) (int, error) {
	s, err := text(v)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("%q must be a whole number", s)
	}
	return n, nil
}

func decimal(v any) (float64, error) {
	s, err := text(v)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%q must be a number such as 0.1", s)
	}
	return n, nil
}

const day = 24 * time.Hour

// maxDays is what a duration can hold, rounded down: about 290 years.
const maxDays = 106_000

func duration(v any) (time.Duration, error) {
	s, err := text(v)
	if err != nil {
		return 0, err
	}
	return ParseDuration(s)
}

// ParseDuration reads a duration as operators write it: "30s", "1h30m", or
// whole days, "400d". It may not be negative.
func ParseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 32); err == nil && n <= maxDays {
			return time.Duration(n) * day, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%q must be a duration such as 30s, 12h or 400d", s)
}

// durationText writes a duration so that ParseDuration reads it, without the
// zeros that time.Duration adds.
func durationText(d time.Duration) string {
	if d >= day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := d.String()
	if rest, ok := strings.CutSuffix(s, "m0s"); ok {
		s = rest + "m"
	}
	if rest, ok := strings.CutSuffix(s, "h0m"); ok {
		s = rest + "h"
	}
	return s
}

// list reads several values: a list, or one text with commas.
func list(v any) ([]string, error) {
	var all []string
	for _, item := range items(v) {
		s, err := text(item)
		if err != nil {
			return nil, err
		}
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part != "" {
				all = append(all, part)
			}
		}
	}
	return all, nil
}

func items(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case []string:
		all := make([]any, len(v))
		for i, s := range v {
			all[i] = s
		}
		return all
	}
	return []any{v}
}

// pairs reads names with values: a map, or a list of NAME=VALUE.
func pairs(v any) (map[string]string, error) {
	all := map[string]string{}
	if m, ok := v.(map[string]any); ok {
		var errs []error
		for _, name := range slices.Sorted(maps.Keys(m)) {
			s, err := text(m[name])
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
			all[name] = s
		}
		return all, errors.Join(errs...)
	}
	parts, err := list(v)
	for _, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%q must be NAME=VALUE", part)
		}
		all[name] = value
	}
	return all, err
}
