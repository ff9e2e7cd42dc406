// Command brain is governed memory on the command line: it stores notes, finds
// them again with their source, lets agents propose and people decide, and
// verifies the log. Run "brain demo" first.
//
// Every command decodes its arguments, calls the library as one actor and
// prints the answer; rights and rules are the library's. The command line does
// not authenticate: whoever can open the directory may act as anyone.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(process()) }

// process runs the command line of this process and returns its exit code.
func process() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Getenv)
}
