package scenario

import (
	"fmt"
	"strings"
)

// companyName is what the organization is called.
const companyName = "Meridian Works"

// rule is a line of a prompt and the reason for which somebody put it there.
type rule struct{ text, reason string }

// rules are what prompts begin with and what is added to them.
var rules = []rule{
	{"Say what you do not know before you say what you do.", "guesses were told as facts"},
	{"Before you finish, check your result against the request, line by line.", "results missed a part of the request"},
	{"Prefer the smallest change that solves the problem.", "changes were larger than asked for"},
	{"Name your sources, so that others can check them.", "an answer could not be checked"},
	{"Ask one question at a time.", "long lists of questions stayed unanswered"},
	{"Stop and ask when an action would cost more than your budget.", "one run cost too much"},
	{"Write for a reader who is in a hurry.", "answers were too long"},
	{"Never act twice on the same request: look for what was done before.", "an order was placed twice"},
	{"Hand over with what you tried, what you found and what is left.", "hand-overs lost what was found"},
	{"Keep names, addresses and account numbers out of summaries.", "a summary showed personal data"},
}

// haste is the rule that turns out to be a mistake.
var haste = rule{"Answer at once. Details can follow later.", "answers took too long"}

const regret = "quality fell since answers have to come at once"

// prompt is the instructions of an agent with its own rules and some more.
func (o *Organization) prompt(w *worker, more ...rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You are %s, %s in %s at %s. You %s.\n\n", w.name, w.role.title, w.department.name, companyName, w.role.duty)
	fmt.Fprintf(&b, "%s %s\n\n## How you work\n\n", w.department.name, w.department.purpose)
	own := some(o.random("rules", w.number), rules, 3)
	for _, r := range append(own, more...) {
		fmt.Fprintf(&b, "- %s\n", r.text)
	}
	fmt.Fprintf(&b, "\n## What you use\n\nYour tools are %s. ", strings.Join(w.role.tools, ", "))
	if w.boss == nil {
		b.WriteString("You decide for your department within its budget.\n")
	} else {
		fmt.Fprintf(&b, "What goes beyond them you bring to %s.\n", w.boss.name)
	}
	return b.String()
}

// another returns a rule that the agent's first prompt does not have.
func (o *Organization) another(w *worker) rule {
	own := map[rule]bool{}
	for _, r := range some(o.random("rules", w.number), rules, 3) {
		own[r] = true
	}
	var others []rule
	for _, r := range rules {
		if !own[r] {
			others = append(others, r)
		}
	}
	return pick(o.random("another rule", w.number), others)
}
