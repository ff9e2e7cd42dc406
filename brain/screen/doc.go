// Package screen is a tripwire for text that a reader cannot see: runs of
// invisible characters, bidirectional controls that show text in another order,
// tag characters and variation selectors that spell a message of their own.
// What it finds is a reason to hold content back until a person has looked at
// it by [Reveal].
//
// Writing needs many of the same characters. Joiners inside words of scripts
// that join or stack letters, emoji sequences, flags and keycaps, a byte order
// mark at the start, soft hyphens inside words, spaces of no width in scripts
// without spaces, and direction marks beside right-to-left letters are clean,
// and so are the one or two strays that copying from a page leaves behind.
//
// It does not read what text says, decode it, or look for markup that hides
// text; it never changes text. It keeps no state.
package screen
