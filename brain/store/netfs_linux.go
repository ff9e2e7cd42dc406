package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// networkFS returns the name of the network file system that holds dir, or "".
func networkFS(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", fmt.Errorf("statfs: %w", err)
	}
	// Type is signed and of another width on each architecture.
	name := networkMagic(uint32(st.Type))
	if name == "fuse" {
		return fuseName(dir), nil
	}
	return name, nil
}

// networkMagic names file systems by their magic number, as in statfs(2) and
// the kernel's include/uapi/linux/magic.h; "" for local ones. What FUSE is, its
// mount says.
func networkMagic(magic uint32) string {
	switch magic {
	case 0x6969:
		return "nfs"
	case 0x517b:
		return "smb"
	case 0xfe534d42:
		return "smb2"
	case 0xff534d42:
		return "cifs"
	case 0x564c:
		return "ncp"
	case 0x73757245:
		return "coda"
	case 0x5346414f, 0x6b414653:
		return "afs"
	case 0x00c36400:
		return "ceph"
	case 0x0bd00bd0:
		return "lustre"
	case 0x47504653:
		return "gpfs"
	case 0x19830326:
		return "beegfs"
	case 0x01021997:
		return "9p"
	case 0x65735546:
		return "fuse"
	}
	return ""
}

// fuseName returns the type of the FUSE mount that holds dir when it is known
// to go over a network.
func fuseName(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return networkFuse(string(mounts), abs)
}

// networkFuse finds the mount of the absolute path abs in the text of
// /proc/self/mountinfo (proc(5)): field 5 is the mount point, the type follows
// the field "-".
func networkFuse(mounts, abs string) string {
	best, kind := "", ""
	for line := range strings.Lines(mounts) {
		left, right, ok := strings.Cut(line, " - ")
		f, g := strings.Fields(left), strings.Fields(right)
		if !ok || len(f) < 5 || len(g) < 1 {
			continue
		}
		at := strings.TrimSuffix(f[4], "/")
		if (abs == at || strings.HasPrefix(abs, at+"/")) && len(at) >= len(best) {
			best, kind = at, g[0]
		}
	}
	switch kind {
	case "fuse.sshfs", "fuse.s3fs", "fuse.rclone", "fuse.glusterfs", "fuse.davfs",
		"fuse.gcsfuse", "fuse.curlftpfs", "fuse.ceph-fuse", "fuse.juicefs", "fuse.goofys":
		return kind
	}
	return ""
}
