package mongostore

import (
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/performance"
)

// agentFigures remembers of each size of window what all agents did before its open days:
// adding up 180 days of ten thousand agents takes the server seconds. A late report marks
// what it adds to, so that is read again.
type agentFigures struct {
	turn    chan struct{} // has an element while somebody uses the windows
	windows map[performance.Size]*figuresWindow
}

// figuresWindow are the figures of agents up to openDays before the end of a window.
type figuresWindow struct {
	size   performance.Size
	today  performance.Date
	seen   activity.Seq // late reports that were committed before are among the figures
	agents map[agent.ID]performance.Figures
}

func newAgentFigures() *agentFigures {
	return &agentFigures{turn: make(chan struct{}, 1), windows: map[performance.Size]*figuresWindow{}}
}
