// Package settings says what is wrong with settings, and how the user wrote them.
package settings

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Mistake is what is wrong with one setting, or with several together.
type Mistake struct {
	Names []string // the flags, without the dashes
	Err   error
}

// Mistakef returns a [Mistake]. Names are separated by spaces.
func Mistakef(names, format string, args ...any) error {
	return Mistake{strings.Fields(names), fmt.Errorf(format, args...)}
}

// Error names the settings by their flags.
func (m Mistake) Error() string { return Origins{}.describe(m).Error() }

// Unwrap returns the reason.
func (m Mistake) Unwrap() error { return m.Err }

// Mistakes are the mistakes found so far.
type Mistakes []error

// Unless adds the [Mistakef] of its arguments, unless ok.
func (m *Mistakes) Unless(ok bool, names, format string, args ...any) {
	if !ok {
		*m = append(*m, Mistakef(names, format, args...))
	}
}

// Err joins the mistakes. It returns nil if there are none.
func (m Mistakes) Err() error { return errors.Join(m...) }

// Origins are how the user wrote the settings that are given, by name: as a flag, a
// variable or a key in a file.
type Origins map[string]string

// Rename returns err with its mistakes under the names that the user wrote. A setting
// that is not given has the name of its flag.
func (o Origins) Rename(err error) error {
	return Each(err, func(err error) error {
		if m, ok := err.(Mistake); ok {
			return o.describe(m)
		}
		return err
	})
}

func (o Origins) describe(m Mistake) error {
	written := make([]string, len(m.Names))
	for i, name := range m.Names {
		if written[i] = o[name]; written[i] == "" {
			written[i] = "--" + name
		}
	}
	return fmt.Errorf("%s: %w", strings.Join(written, ", "), m.Err)
}

// joined is the type of what [errors.Join] returns. Other errors that wrap several have a
// text of their own.
var joined = reflect.TypeOf(errors.Join(errors.ErrUnsupported))

// Each returns err with each of the errors that [errors.Join] has put together replaced
// by what change returns for it.
func Each(err error, change func(error) error) error {
	if reflect.TypeOf(err) == joined {
		var all []error
		for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
			all = append(all, Each(err, change))
		}
		return errors.Join(all...)
	}
	if err == nil {
		return nil
	}
	return change(err)
}
