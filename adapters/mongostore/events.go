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
	// Department is that of the agent then.
	Department string `bson:"department"`
	// Entered is when the event was inserted. The server replaces zero by its own
	// time, which is different for each document.
	Entered bson.Timestamp `bson:"entered"`
}

func eventOf(e activity.Event, department name.Key) eventDoc {
	return eventDoc{
		ID: string(e.ID), Type: string(e.Type), At: millis(e.At), Agent: e.AgentID, AgentName: e.AgentName,
		Description: e.Description, Related: e.Related.String(), Data: (*string)(e.Data), By: e.By,
		Metadata: e.Metadata.String(), Department: string(department),
	}
}

func (d eventDoc) event() (activity.Event, error) {
	return activity.Event{
		ID: activity.ID(d.ID), Type: activity.Type(d.Type), At: fromMillis(d.At), AgentID: d.Agent,
		AgentName: d.AgentName, Description: d.Description, Related: jsondoc.Object(d.Related),
		Data: (*jsondoc.Object)(d.Data), By: d.By, Metadata: jsondoc.Object(d.Metadata),
	}, nil
}

func (d eventDoc) encoded() (activity.Encoded, error) {
	e, err := d.event()
	return e.Encoded(), err
}

// eventsFilter is for indexes that keep the types apart: a feed of all types is
// the merge of the feeds of each.
func eventsFilter(q activity.Query) bson.D {
	filter := bson.D{in("type", activity.Types())}
	if q.Type != "" {
		filter = bson.D{is("type", string(q.Type))}
	}
	if q.AgentID != "" {
		filter = append(filter, is("agent", q.AgentID))
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
