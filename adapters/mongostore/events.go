package mongostore

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/activity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// eventDoc is an event.
type eventDoc struct {
	ID          string  `bson:"_id"`
	Type        string  `bson:"type"`
	At          int64   `bson:"at"`
	Agent       string  `bson:"agent"`
	AgentName   string  `bson:"agent_name"`
	Description string  `bson:"description"`
	Related     string  `bson:"related"`
	Data        *string `bson:"data,omitempty"`
	By          string  `bson:"by"`
	Metadata    string  `bson:"metadata"`
	// Open is the batch that the event came with, until that is true and
	// settled: before, nobody sees the event.
	Open string `bson:"open,omitempty"`
	// Department is that of the agent then.
	Department string `bson:"department"`
	// Line is where the event waits for its place in the log, with all events of
	// the same change; none once it has it. Nth is its rank among them, Of is how
	// many they are.
	Line string `bson:"line,omitempty"`
	Nth  int    `bson:"nth,omitempty"`
	Of   int    `bson:"of,omitempty"`
}

func eventOf(e activity.Event, department name.Key) eventDoc {
	return eventDoc{
		ID: string(e.ID), Type: string(e.Type), At: millis(e.At), Agent: e.AgentID, AgentName: e.AgentName,
		Description: e.Description, Related: e.Related.String(), Data: (*string)(e.Data), By: e.By,
		Metadata: e.Metadata.String(), Department: string(department),
	}
}

func (d eventDoc) event() activity.Event {
	return activity.Event{
		ID: activity.ID(d.ID), Type: activity.Type(d.Type), At: fromMillis(d.At), AgentID: d.Agent,
		AgentName: d.AgentName, Description: d.Description, Related: jsondoc.Object(d.Related),
		Data: (*jsondoc.Object)(d.Data), By: d.By, Metadata: jsondoc.Object(d.Metadata),
	}
}

// settled is the condition that an event counts.
func settled() bson.E { return is("$nor", bson.A{bson.D{exists("open", true)}}) }

func eventsFilter(q activity.Query) bson.D {
	filter := bson.D{settled()}
	if q.AgentID != "" {
		filter = append(filter, is("agent", q.AgentID))
	}
	if q.Type != "" {
		filter = append(filter, is("type", string(q.Type)))
	}
	at := bson.D{}
	if !q.Since.IsZero() {
		at = append(at, is("$gte", millis(q.Since)))
	}
	if q.After != nil {
		at = append(at, is("$lte", millis(q.After.At)))
		filter = append(filter, behind("$lt", "at", millis(q.After.At), "_id", string(q.After.ID)))
	}
	if len(at) > 0 {
		filter = append(filter, is("at", at))
	}
	return filter
}

func lifecycle() []string {
	var types []string
	for _, t := range activity.Types() {
		if t.Lifecycle() {
			types = append(types, string(t))
		}
	}
	return types
}
