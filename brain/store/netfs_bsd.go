//go:build darwin || freebsd

package store

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// networkFS returns the name of the network file system that holds dir, or "".
func networkFS(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", fmt.Errorf("statfs: %w", err)
	}
	switch name := unix.ByteSliceToString(st.Fstypename[:]); name {
	case "nfs", "smbfs", "afpfs", "webdav", "cifs", "fusefs.sshfs":
		return name, nil
	}
	return "", nil
}
