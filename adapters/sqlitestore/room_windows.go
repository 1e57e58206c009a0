package sqlitestore

import "golang.org/x/sys/windows"

// room returns how much of the disk of a directory is free, and its size.
func room(dir string) (free, total uint64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, &total, nil)
	return free, total, err
}
