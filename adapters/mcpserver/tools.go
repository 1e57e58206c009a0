package mcpserver

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orgd/client"
)

func addTools(s *mcp.Server, open Open) {
	addAgentTools(s, open)
	addVersionTools(s, open)
	addOrganizationTools(s, open)
	addReports(s, open)
}

// add adds a tool that reads.
func add[In any](s *mcp.Server, open Open, name, description string, do func(context.Context, *client.Client, In) (string, error)) {
	addTool(s, open, name, description, &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}, do)
}

// addTool adds a tool. What do returns is the text of the answer.
func addTool[In any](s *mcp.Server, open Open, name, description string, hints *mcp.ToolAnnotations, do func(context.Context, *client.Client, In) (string, error)) {
	tool := &mcp.Tool{Name: name, Description: description, Annotations: hints, InputSchema: schemaOf[In]()}
	mcp.AddTool(s, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := call(ctx, open, func(ctx context.Context, c *client.Client) (string, error) { return do(ctx, c, in) })
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
}

// call asks the service. Its errors are in words for the model.
func call[T any](ctx context.Context, open Open, do func(context.Context, *client.Client) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if of, ok := ctx.Value(caller{}).(context.Context); ok {
		defer context.AfterFunc(of, cancel)()
	}
	service, err := open(ctx)
	var out T
	if err == nil {
		out, err = do(ctx, service.Client)
	}
	if err != nil {
		err = explained{err, service.sentence(err)}
	}
	return out, err
}

// explained is an error in words for the model.
type explained struct {
	error
	text string
}

// Error implements error.
func (e explained) Error() string { return e.text }

// Unwrap returns the error that is explained.
func (e explained) Unwrap() error { return e.error }

// schemaOf returns the schema of arguments. Lists are never null: some clients do not take
// two types of one argument.
func schemaOf[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // a type of this package is wrong
	}
	simplify(schema)
	return schema
}

// choices are the values of arguments that have only some.
var choices = map[string][]any{
	"status": {"active", "onboarding", "on_leave", "terminated"}, "window": {"7d", "30d", "90d"}, "sort": {"name", "success", "cost", "tasks", "quality"},
	"parts":      {"instructions", "description", "skills", "model", "tools", "authority", "memory", "personality", "metadata"},
	"event_type": {"task_started", "task_completed", "cost_incurred", "tool_used", "delegation_sent", "delegation_received"},
}

func simplify(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for name, property := range s.Properties {
		simplify(property)
		switch of := cmp.Or(property.Items, property); name {
		case "limit":
			of.Minimum, of.Maximum = new(1.0), new(float64(maxItems))
		case "version", "from", "to":
			of.Minimum = new(1.0)
		default:
			of.Enum = choices[name]
		}
	}
	if s.Items != nil {
		simplify(s.Items)
	}
}

// reports are events that agents report.
type reports struct {
	Events []report `json:"events" jsonschema:"1 to 20; all are stored or none"`
}

type report struct {
	Agent       string `json:"agent" jsonschema:"name or id"`
	EventType   string `json:"event_type" jsonschema:"what happened"`
	Data        object `json:"data" jsonschema:"task_*: task_id; task_completed also success, duration_seconds, quality_score (0 to 10), tokens; cost_incurred: amount, model; tool_used: tool, success; delegation_*: task_id, counterpart, score"`
	Description string `json:"description,omitempty" jsonschema:"one sentence"`
	ID          string `json:"id,omitempty" jsonschema:"a UUID: with it the same event counts once, however often it is sent"`
	Timestamp   string `json:"timestamp,omitempty" jsonschema:"RFC 3339 (default now)"`
}

const maxReports = 20

func addReports(s *mcp.Server, open Open) {
	addTool(s, open, "report_task",
		"Report what an agent did, so that it counts in its figures: a task that began or ended, cost, a tool, a delegation. "+
			"Only when the user or your task says so, never to try it: an event cannot be taken back. "+
			"Needs a token of role agent (for itself), reporter or department_admin (for its departments), editor or admin. Returns how many were new.",
		&mcp.ToolAnnotations{DestructiveHint: new(bool), OpenWorldHint: new(bool)},
		func(ctx context.Context, c *client.Client, in reports) (string, error) {
			if len(in.Events) > maxReports {
				return "", mistake("at most 20 events at once")
			}
			result, err := c.Do(ctx, "POST", "activities", in)
			if err != nil {
				return "", err
			}
			return document(result, "")
		})
}

const promptTemplate = "orgd://agents/{agent}/prompts/{label}"

// addPrompts adds the instructions of agents as resources.
func addPrompts(s *mcp.Server, open Open) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "prompt", Title: "Instructions of an agent", URITemplate: promptTemplate, MIMEType: "text/markdown",
		Description: `The instructions of the version that a label names, such as "production" or "latest". Names are percent-encoded.`,
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		agent, label, err := promptOf(r.Params.URI)
		if err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		found, err := call(ctx, open, func(ctx context.Context, c *client.Client) (client.ResolvedAgent, error) {
			return c.Resolve(ctx, agent, label)
		})
		if errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrRecordNotFound) {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		} else if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Cacheable: mcp.Cacheable{CacheScope: "private"}, Contents: []*mcp.ResourceContents{
			{URI: r.Params.URI, MIMEType: "text/markdown", Text: found.Identity.Instructions},
		}}, nil
	})
}
