package terminal

// The colours of a terminal, as parameters of its escape sequences.
const (
	Bold   = "1"
	Faint  = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
)

// WantsColors reports whether the environment does not forbid colours
// (https://no-color.org) and the terminal supports them.
func WantsColors(getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// Color returns text in a colour, or as it is if standard output has no colours.
func (t *Terminal) Color(color, text string) string {
	if !t.Colored || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
