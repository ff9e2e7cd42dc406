// Package term writes text that somebody else wrote to a terminal without
// letting it drive the terminal: control and invisible characters are shown as
// text, lines are wrapped to the width, colours are used only where wanted.
// It reads no environment and asks no terminal; the caller says what it has.
package term
