// Package uri is the name type of a brain: every document, source and rule is
// addressed by one of its values, and nothing else in the module takes names
// apart.
//
// A name is SCHEME://SEGMENT/SEGMENT…, with at least one segment:
//
//	brain://sales/pricing/2026-11
//	notes://projects/Überblick 2026.md
//
// Scheme: ALPHA *( ALPHA / DIGIT / "+" / "-" / "." ) as in RFC 3986 §3.1, at
// most 63 bytes, folded to lower case. Segments are kept byte for byte, case
// included, so that a name of a mounted source opens the file it came from.
// Two names are the same when their NFC forms are ([URI.Key]).
//
// A name has one reading. There is no query, fragment, user, port or relative
// form, nothing is collapsed, and percent escapes are not decoded: "100%" is
// five characters of a file name. Because other programs do decode, a segment
// that any amount of decoding would turn into a name this package refuses, or
// into one with other segments, is refused as well.
//
// Names may hold spaces and letters of every script. Characters that cannot be
// seen or that reorder text are refused, because two names that look the same
// to a reviewer must be the same: see [Parse] for the list.
//
// The package does no I/O and knows no file system: reserved device names and
// case folding of a particular one belong to the connector that speaks to it.
package uri
