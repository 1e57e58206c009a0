package remote

import "io/fs"

// What files say counts only if nobody but this user and root can have written it.
// Everything is checked on what is open, so that nothing can be replaced between
// the check and the use.

const (
	othersWrite fs.FileMode = 0o022
	othersUse   fs.FileMode = 0o077
)
