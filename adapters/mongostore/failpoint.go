package mongostore

import "errors"

// stopped is the error of a named point that a test has chosen. Nothing cleans
// up after it, as nothing does after a crash.
type stopped struct{ error }

func (s stopped) Unwrap() error { return s.error }

// reach passes a named point between two steps of a change. Tests stop there;
// in a build for operators it does nothing.
func (db *DB) reach(point string) error {
	if db.hook == nil {
		return nil
	}
	if err := db.hook(point); err != nil {
		return stopped{err}
	}
	return nil
}

func isStopped(err error) bool { return errors.As(err, new(stopped)) }
