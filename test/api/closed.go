package api

import (
	"encoding/json"
	"fmt"
)

// Closed returns an API description in which answers have no members but those that are
// described: clients must tolerate others, and the service that is tested sends none.
func Closed(description []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(description, &doc); err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	components, _ := doc["components"].(map[string]any)
	closeObjects(components["schemas"])
	return json.Marshal(doc)
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
