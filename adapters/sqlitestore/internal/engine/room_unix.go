//go:build unix

package engine

import "golang.org/x/sys/unix"

// room returns how much of the disk of a directory is free, and its size.
func room(dir string) (free, total uint64, err error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, 0, err
	}
	block := uint64(disk.Bsize)
	return disk.Bavail * block, disk.Blocks * block, nil
}
