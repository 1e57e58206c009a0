package organization

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"orgd/client"
)

// put sets the field at a path, such as model.provider, if a value is given.
func put[T any](o client.Object, path string, given *T) {
	if given != nil {
		set(o, path, *given)
	}
}

// putWord is put for words, where "" means that none is given.
func putWord[T ~string](o client.Object, path string, given T) {
	if given != "" {
		set(o, path, given)
	}
}

// putOrNull is put for fields that may be null, where "" is null.
func putOrNull(o client.Object, path string, given *string) {
	if given != nil && *given == "" {
		set(o, path, nil)
		return
	}
	put(o, path, given)
}

func set(o map[string]any, path string, value any) {
	outer, inner, deeper := strings.Cut(path, ".")
	if !deeper {
		o[outer] = value
		return
	}
	below, ok := o[outer].(map[string]any)
	if !ok {
		below = map[string]any{}
		o[outer] = below
	}
	set(below, inner, value)
}

// number is a number as it is typed.
type number client.Decimal

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *number) UnmarshalText(text []byte) error {
	if _, err := client.Decimal(text).Rat(); err != nil || len(text) == 0 {
		return errors.New("must be a number")
	}
	*n = number(text)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) { return client.Decimal(n).MarshalJSON() }

// inherited is printed for a setting that a department or an agent inherits.
const inherited = "inherited"

// orInherited returns a level of autonomy, or inherited for nil.
func orInherited(level *client.AutonomyLevel) string {
	if level == nil {
		return inherited
	}
	return string(*level)
}

// putAutonomy sets a level of autonomy, or null for inherited.
func putAutonomy(o client.Object, level string) {
	if level == inherited {
		set(o, "autonomy_level", nil)
		return
	}
	putWord(o, "autonomy_level", level)
}

// kind returns what is special about a label.
func kind(l client.Label) string {
	var words []string
	if l.Fixed {
		words = append(words, "fixed")
	}
	if l.Protected {
		words = append(words, "protected")
	}
	return strings.Join(words, ", ")
}

// labelsOf returns the labels of an agent for its table, those that were set.
func labelsOf(ctx context.Context, service *client.Client, output, agent string) (string, error) {
	if output != "table" {
		return "", nil
	}
	all, err := service.Labels(ctx, agent)
	var words []string
	for _, l := range slices.DeleteFunc(all, func(l client.Label) bool { return l.Name == client.LabelLatest }) {
		word := fmt.Sprintf("%s v%d", l.Name, l.Version)
		if k := kind(l); k != "" {
			word += " (" + k + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", "), err
}

// agentNames returns the names of agents by id if they are wanted, as in tables: other output
// has ids. The name of a deleted agent is its id. Empty ids are left out.
func agentNames(ctx context.Context, service *client.Client, wanted bool, ids ...string) (map[string]string, error) {
	names := map[string]string{}
	if !wanted {
		return names, nil
	}
	for _, id := range ids {
		if id == "" || names[id] != "" {
			continue
		}
		a, err := service.Agent(ctx, id)
		switch {
		case errors.Is(err, client.ErrNotFound):
			a.Name = id
		case err != nil:
			return nil, err
		}
		names[id] = a.Name
	}
	return names, nil
}
