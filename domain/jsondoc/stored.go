package jsondoc

import (
	"errors"

	"orgd/domain/fault"
)

// ReadStored is [ReadWhole] for a text that is read by [ParseStored].
func ReadStored[T []byte | string](text T, f func(*Reader)) error {
	v, err := ParseStored(text)
	if err != nil {
		return err
	}
	return ReadWhole(v, f)
}

// Locate adds the path of the object that an error is about, unless that says where
// its mistakes are.
func Locate(path string, err error) error {
	if err == nil || path == "" || errors.Is(err, ErrInvalid) {
		return err
	}
	return fault.Of(err).Below(path)
}
