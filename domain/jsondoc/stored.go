package jsondoc

import (
	"errors"

	"orgd/domain/fault"
)

// ErrStored is a document of the storage that is not what was stored there: nobody who asks for
// it has made a mistake.
var ErrStored = fault.New(fault.Persistence, "a stored document is damaged")

// ReadStored is [ReadWhole] for a text that is read by [ParseStored]. Its errors are [ErrStored].
func ReadStored[T []byte | string](text T, f func(*Reader)) error {
	v, err := ParseStored(text)
	if err == nil {
		err = ReadWhole(v, f)
	}
	if err != nil {
		return ErrStored.Because(err)
	}
	return nil
}

// Locate adds the path of the object that an error is about, unless that says where
// its mistakes are.
func Locate(path string, err error) error {
	if err == nil || path == "" || errors.Is(err, ErrInvalid) {
		return err
	}
	return fault.Of(err).Below(path)
}
