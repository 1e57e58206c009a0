package api

import (
	"encoding/json"
	"fmt"
)

// Closed returns an API description in which answers have no members but those that are
// described, and times and ids have the one form that the service sends: clients must tolerate
// others, and some of them cannot be made from a format beside a pattern.
func Closed(description []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(description, &doc); err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	components, _ := doc["components"].(map[string]any)
	closeObjects(components["schemas"])
	schemas, _ := components["schemas"].(map[string]any)
	for name, pattern := range exactly {
		schema, ok := schemas[name].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the description has no schema %s", name)
		}
		schema["pattern"] = pattern
	}
	return json.Marshal(doc)
}

var exactly = map[string]string{
	"Timestamp": `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$`,
	"UUID":      `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`,
}

func closeObjects(v any) {
	switch x := v.(type) {
	case map[string]any:
		_, isObject := x["properties"].(map[string]any)
		if _, says := x["additionalProperties"]; isObject && x["type"] == "object" && !says {
			x["additionalProperties"] = false
		}
		for _, member := range x {
			closeObjects(member)
		}
	case []any:
		for _, item := range x {
			closeObjects(item)
		}
	}
}
