package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"orgd/adapters/settings"
	"orgd/cmd/orgd/internal/terminal"
)

// set stores what a source holds: a text from flags and environment, any YAML value
// from the file. After an error the setting keeps its default, with which nothing else is
// wrong. A field of type any stays nil: its value is read where it is used.
func (s Setting) set(v any) error {
	switch p := s.field.Addr().Interface().(type) {
	case *[]string:
		return assign(p)(list(v))
	case *map[string]string:
		return assign(p)(pairs(v))
	case *string:
		return assign(p)(text(v))
	case *bool:
		return assign(p)(read(v, boolean))
	case **bool:
		return assign(p)(read(v, optional))
	case *int:
		return assign(p)(read(v, integer))
	case *float64:
		return assign(p)(read(v, decimal))
	case *time.Duration:
		return assign(p)(read(v, terminal.ParseDuration))
	}
	return nil
}

// assign returns a function that sets *p, unless there is an error.
func assign[T any](p *T) func(T, error) error {
	return func(v T, err error) error {
		if err == nil {
			*p = v
		}
		return err
	}
}

// native returns the value as YAML writes it on one line.
func (s Setting) native() any {
	switch v := s.field.Interface().(type) {
	case nil:
		return ""
	case *bool:
		if v == nil {
			return automatic
		}
		return *v
	case time.Duration:
		return terminal.DurationText(v)
	case []string:
		return strings.Join(v, ",")
	case map[string]string:
		if len(v) == 0 {
			return ""
		}
	}
	return s.field.Interface()
}

// read parses a single value.
func read[T any](v any, parse func(string) (T, error)) (T, error) {
	s, err := text(v)
	if err != nil {
		var zero T
		return zero, err
	}
	return parse(s)
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

func boolean(s string) (bool, error) {
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
func optional(s string) (*bool, error) {
	if strings.EqualFold(s, automatic) {
		return nil, nil
	}
	b, err := boolean(s)
	if err != nil {
		return nil, err
	}
	return &b, nil
}

func integer(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("%q must be a whole number", s)
	}
	return n, nil
}

func decimal(s string) (float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%q must be a number such as 0.1", s)
	}
	return n, nil
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

// items returns the elements of a list, or the single value.
func items(v any) []any {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice {
		return []any{v}
	}
	all := make([]any, r.Len())
	for i := range all {
		all[i] = r.Index(i).Interface()
	}
	return all
}

// pairs reads names with values: a map, or a list of NAME=VALUE.
func pairs(v any) (map[string]string, error) {
	all := map[string]string{}
	if m, ok := named(v); ok {
		return all, eachPair(m, func(name string, value any) (err error) {
			all[name], err = text(value)
			return within(name, err)
		})
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

// named returns a map of YAML, whose keys may be numbers, with texts as keys.
func named(v any) (map[string]any, bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Map {
		return nil, false
	}
	all := map[string]any{}
	for key, value := range r.Seq2() {
		all[fmt.Sprint(key)] = value.Interface()
	}
	return all, true
}

// eachPair calls f for each pair, in the order of the names, and joins its errors.
func eachPair[T any](m map[string]T, f func(name string, value T) error) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(m)) {
		errs = append(errs, f(name, m[name]))
	}
	return errors.Join(errs...)
}

// within says where each of the errors in err was found.
func within(where string, err error) error {
	return settings.Each(err, func(err error) error { return fmt.Errorf("%s: %w", where, err) })
}
