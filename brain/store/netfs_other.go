//go:build !linux && !darwin && !freebsd && !windows

package store

// networkFS cannot tell on this system.
func networkFS(string) (string, error) { return "", nil }
