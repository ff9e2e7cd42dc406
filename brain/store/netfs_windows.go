package store

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// networkFS returns the name of the network file system that holds dir, or "".
func networkFS(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("drive type: %w", err)
	}
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(abs) + `\`)
	if err != nil {
		return "", fmt.Errorf("drive type: %w", err)
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "remote drive " + filepath.VolumeName(abs), nil
	}
	return "", nil
}
