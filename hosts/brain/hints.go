package main

import "github.com/seed70401ef0/brain-go/brain"

// next says what to do about an error of the library.
func next(code brain.ErrorCode, command string) string {
	switch code {
	case brain.Invalid:
		return command + " --help shows what is taken; brain info --limits shows the limits"
	case brain.NotFound:
		return "brain list and brain review show what this actor may see"
	case brain.Denied:
		return "an owner can do it, or change the rules: brain policy show"
	case brain.Conflict:
		return "brain history URI shows the revision that is live; read it and try again"
	case brain.Quota:
		return "wait for the next day (UTC), or decide pending proposals: brain review"
	case brain.NeedsReview:
		return "propose it: brain propose FILE --uri URI"
	case brain.BadDigest:
		return "brain review ID shows the text and its digest; approve what you read there"
	case brain.NotPending:
		return "brain review lists what is pending; an expired one can be proposed again"
	case brain.Busy:
		return "end the process that has it open, or name another --dir"
	case brain.Failed:
		return "the outcome is unknown: check the disk, run it again and compare with brain history URI"
	case brain.Full:
		return "free disk space and run it again; nothing was changed"
	case brain.ReadOnly:
		return "make the directory writable, or use a copy"
	case brain.Damaged:
		return "do not write to it; copy the directory away, then run brain audit verify on the copy; brain audit repair is for a HEAD file that cannot be mended"
	case brain.BadFormat:
		return "use the version of brain that wrote this directory, or a newer one"
	case brain.Unsupported:
		return "name a --dir on a local disk"
	case brain.Canceled:
		return "run it again"
	}
	return ""
}
