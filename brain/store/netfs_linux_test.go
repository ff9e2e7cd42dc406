package store

import "testing"

func TestNetworkMagic(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "nfs", 0xfe534d42: "smb2", 0xff534d42: "cifs", 0xef53: "", 0x9123683e: "", 0x01021994: "",
	} {
		if got := networkMagic(magic); got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
}

func TestNetworkFuse(t *testing.T) {
	const mounts = `22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 0:40 / /home/a/remote rw,nosuid shared:5 - fuse.sshfs host:/ rw
31 22 0:41 / /home/a/vault rw - fuse.gocryptfs vault rw
32 30 0:42 / /home/a/remote/local rw - ext4 /dev/sdb rw
broken line
`
	for path, want := range map[string]string{
		"/home/a/remote":         "fuse.sshfs",
		"/home/a/remote/brain":   "fuse.sshfs",
		"/home/a/remote2":        "",
		"/home/a/vault/b":        "",
		"/home/a/remote/local/b": "",
		"/x":                     "",
	} {
		if got := networkFuse(mounts, path); got != want {
			t.Errorf("%s is on %q, want %q", path, got, want)
		}
	}
}
