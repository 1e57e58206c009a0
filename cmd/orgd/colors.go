package main

// The colours of a terminal.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// wantsColors reports whether the user has not forbidden colours
// (https://no-color.org) and the terminal has some.
func wantsColors(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// color is text in a colour, or plain where there should be none.
func (p *process) color(color, text string) string {
	if !p.colored || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
