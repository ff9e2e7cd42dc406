package main

import (
	"os"
	"strconv"
	"strings"
)

// residentKiB returns the memory of this process that is in RAM, in KiB; 0
// where the system does not say (it is in /proc/self/status on Linux).
func residentKiB() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
