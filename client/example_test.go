package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"orgd/client"
)

// open is a client of the service that the other examples talk to.
func open() *client.Client {
	c, err := client.New(client.Config{BaseURL: "http://127.0.0.1:8080", Token: client.StaticToken(os.Getenv("ORGD_TOKEN"))})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// seed makes a department with agents for an example.
func seed(c *client.Client, department string, agents ...string) {
	ctx := context.Background()
	if _, err := c.CreateDepartment(ctx, client.DepartmentInput{Name: department}); err != nil {
		log.Fatal(err)
	}
	for _, name := range agents {
		if _, err := c.CreateAgent(ctx, client.AgentInput{Name: name, Role: "Engineer", Department: department}); err != nil {
			log.Fatal(err)
		}
	}
}

func Example() {
	c, err := client.New(client.Config{
		BaseURL: "http://127.0.0.1:8080",
		Token:   client.StaticToken(os.Getenv("ORGD_TOKEN")),
		Logger:  slog.Default(),
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	if _, err := c.CreateDepartment(ctx, client.DepartmentInput{Name: "Research", BudgetPercent: "12.5"}); err != nil {
		log.Fatal(err)
	}
	ada, err := c.CreateAgent(ctx, client.AgentInput{
		Name: "Ada", Role: "Researcher", Department: "Research",
		Level:        client.LevelSenior,
		Instructions: "Read before you write.",
		Skills:       client.Skills{Primary: []client.Skill{{ID: "stats", Name: "Statistics", Proficiency: "0.9"}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ada.Name, ada.Level, ada.Status, ada.Version)
	// Output: Ada senior active 1
}

func ExampleClient_Agents() {
	c, ctx := open(), context.Background()
	seed(c, "Platform", "Bea", "Cem", "Dan")

	for agent, err := range c.Agents(ctx, client.AgentQuery{Department: "Platform", Status: client.AgentActive}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(agent.Name)
	}
	// Output:
	// Bea
	// Cem
	// Dan
}

func ExampleRuntime_Resolve() {
	c, ctx := open(), context.Background()
	seed(c, "Reviews", "Pia")
	if _, err := c.SetLabel(ctx, "Pia", "production", client.LabelInput{Version: 1, Reason: "first release"}); err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "runtime")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	runtime, err := c.Runtime(client.RuntimeConfig{Directory: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer runtime.Close(ctx)
	now := runtime.Resolve(ctx, "Pia", "production") // and again before each piece of work
	if !now.Usable() {
		log.Print("stop: ", now.State)
		return
	}
	if now.Err != nil && now.State != client.ResolvedKept {
		log.Print("go on with the last known one, and raise an alarm: ", now.Err)
	}
	fmt.Println("work with version", now.Version())
	// Output: work with version 1
}

func ExampleRuntime_Watch() {
	c, ctx := open(), context.Background()
	seed(c, "Editing", "Quin")
	if _, err := c.SetLabel(ctx, "Quin", "production", client.LabelInput{Version: 1}); err != nil {
		log.Fatal(err)
	}
	runtime, err := c.Runtime(client.RuntimeConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer runtime.Close(ctx)

	for now := range runtime.Watch(ctx, "production", "Quin") {
		fmt.Println(now.Asked, now.State, now.Version())
		break // a program goes on
	}
	// Output: Quin active 1
}

func ExampleRuntime_Task() {
	c, ctx := open(), context.Background()
	seed(c, "Writing", "Sol")
	if _, err := c.SetLabel(ctx, "Sol", "production", client.LabelInput{Version: 1}); err != nil {
		log.Fatal(err)
	}
	runtime, err := c.Runtime(client.RuntimeConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer runtime.Close(ctx)

	err = runtime.Task(ctx, "Sol", "t-19", "production", func(ctx context.Context, task *client.Task) error {
		if !task.Prompt.Usable() {
			return fmt.Errorf("the agent may not work: %s", task.Prompt.State)
		}
		fmt.Println("work with version", task.Prompt.Version()) // here the model works
		task.Quality = "8.5"
		return task.Spend("0.0375", 1200)
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: work with version 1
}

func ExampleRuntime_Report() {
	c, ctx := open(), context.Background()
	seed(c, "Delivery", "Ron")
	runtime, err := c.Runtime(client.RuntimeConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer runtime.Close(ctx)

	taken, err := runtime.Report(client.Report{Agent: "Ron", Data: client.ToolUsed{Tool: "search", Success: true}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(taken, runtime.Flush(ctx))
	// Output: 1 0
}

func ExampleClient_AgentPage() {
	c, ctx := open(), context.Background()
	seed(c, "Support", "Eve", "Fay", "Gus")

	query := client.AgentQuery{Department: "Support", Summary: true}
	query.Limit = 2
	page, err := c.AgentPage(ctx, query)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page.Items), page.Next != "")

	query.Cursor = page.Next // perhaps in another process, a day later
	page, err = c.AgentPage(ctx, query)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page.Items), page.Next != "")
	// Output:
	// 2 true
	// 1 false
}

func ExampleClient_PatchAgent() {
	c, ctx := open(), context.Background()
	seed(c, "Design", "Hal")

	hal, err := c.PatchAgent(ctx, "Hal", client.Object{
		"level":          client.LevelLead,
		"autonomy_level": client.AutonomySemi, // nil would inherit again
		"tools":          client.Object{"allowed": []string{"figma"}},
		"metadata":       client.Object{"reviewed_by": "Ada"},
	}, client.ChangeReason("promoted after the spring review"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(hal.Level, *hal.AutonomyLevel, hal.Tools.Allowed, hal.Version)
	// Output: lead semi [figma] 2
}

func ExampleIfMatch() {
	c, ctx := open(), context.Background()
	seed(c, "Legal", "Ida")

	shown, err := c.Agent(ctx, "Ida") // what a person decides about
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.PatchAgent(ctx, "Ida", client.Object{"status": client.AgentOnLeave}); err != nil {
		log.Fatal(err)
	}
	err = c.DeleteAgent(ctx, shown.ID, client.IfMatch(shown.ETag))
	fmt.Println(errors.Is(err, client.ErrVersionConflict))
	// Output: true
}

func ExampleIfNoneMatch() {
	c, ctx := open(), context.Background()

	company, err := c.Company(ctx)
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Company(ctx, client.IfNoneMatch(company.ETag))
	fmt.Println(errors.Is(err, client.ErrNotModified))
	// Output: true
}

func ExampleError() {
	c, ctx := open(), context.Background()

	_, err := c.CreateAgent(ctx, client.AgentInput{Name: "Kim", Role: "Engineer", Department: "Nowhere"}, client.RequestID("hire-kim"))
	var e *client.Error
	if errors.As(err, &e) {
		fmt.Println(e.Status, e.Code, e.Category)
		fmt.Println(e.Detail)
		fmt.Println(e.Instance, e.Retryable, e.Uncertain)
	}
	// Output:
	// 400 2000 VALIDATION_ERROR validation
	// department: there is no department "Nowhere"
	// hire-kim false false
}

func ExampleClient_RollbackAgent() {
	c, ctx := open(), context.Background()
	seed(c, "Finance", "Lea")
	if _, err := c.PatchAgent(ctx, "Lea", client.Object{"instructions": "Be quick."}); err != nil {
		log.Fatal(err)
	}

	diff, err := c.VersionDiff(ctx, "Lea", 1, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range diff.Changes {
		fmt.Println(change.Path, *change.OldValue, "->", *change.NewValue)
	}
	lea, err := c.RollbackAgent(ctx, "Lea", client.RollbackInput{TargetVersion: 1, Reason: "too quick"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", lea.Instructions)
	// Output:
	// instructions "" -> "Be quick."
	// ""
}

func ExampleClient_ReportActivities() {
	c, ctx := open(), context.Background()
	seed(c, "Operations", "Max")

	result, err := c.ReportActivities(ctx, []client.Report{
		{Agent: "Max", Data: client.TaskCompleted{TaskID: "t-17", Success: true, QualityScore: "8.5", Tokens: 1200}},
		{Agent: "Max", Data: client.CostIncurred{Amount: "0.0375", Model: "large", Other: client.Object{"region": "eu"}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Accepted, result.Duplicates)
	// Output: 2 0
}

func ExampleClient_StreamActivities() {
	c, ctx := open(), context.Background()

	query := client.StreamQuery{Type: client.EventPromoted, After: lastPosition()}
	for event, err := range c.StreamActivities(ctx, query) {
		switch {
		case err != nil:
			log.Print(err) // the loop goes on, so the client tries again
		case event.Resync:
			log.Print("some events are missing; the feed has them")
		default:
			fmt.Println(event.AgentName, event.Description)
			keepPosition(event.Position)
		}
	}
}

// lastPosition and keepPosition stand for wherever a program keeps where it was.
func lastPosition() string { return "" }
func keepPosition(string)  {}

func ExampleObject_Decode() {
	c, ctx := open(), context.Background()
	seed(c, "Sales", "Noa")
	done := client.TaskCompleted{TaskID: "t-18", Success: true, Cost: "0.25"}
	if _, err := c.ReportActivities(ctx, []client.Report{{Agent: "Noa", Data: done}}); err != nil {
		log.Fatal(err)
	}

	query := client.ActivityQuery{Agent: "Noa", Type: client.EventTaskCompleted, Window: client.LastDay}
	for event, err := range c.Activities(ctx, query) {
		if err != nil {
			log.Fatal(err)
		}
		var task client.TaskCompleted
		if err := event.Data.Decode(&task); err != nil {
			log.Fatal(err)
		}
		fmt.Println(task.TaskID, task.Success, task.Cost)
	}
	// Output: t-18 true 0.25
}

func ExampleDecimal() {
	c, ctx := open(), context.Background()

	company, err := c.PatchCompany(ctx, client.Object{"budget_monthly": client.Decimal("250000.10")})
	if err != nil {
		log.Fatal(err)
	}
	budget, err := company.BudgetMonthly.Rat()
	if err != nil {
		log.Fatal(err)
	}
	yearly := budget.Mul(budget, big.NewRat(12, 1))
	fmt.Println(company.BudgetMonthly, company.Currency, yearly.FloatString(2))
	// Output: 250000.1 USD 3000001.20
}

func ExampleClient_SetCeremonyPolicy() {
	c, ctx := open(), context.Background()
	seed(c, "Quality")

	_, err := c.SetCeremonyPolicy(ctx, "Quality", client.CeremonyPolicy{
		Strategy: client.CeremonyCalendar,
		Other:    client.Object{"sprint_days": 14},
	}, client.IfNoneMatch("*")) // only if there is none
	if err != nil {
		log.Fatal(err)
	}
	policy, err := c.ResolvedCeremonyPolicy(ctx, "Quality")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(policy.Strategy.Value, policy.Strategy.Origin)
	fmt.Println(policy.VelocityCalculator.Value, policy.VelocityCalculator.Origin)
	fmt.Println(policy.Other["sprint_days"].Value)
	// Output:
	// calendar department
	// calendar default
	// 14
}

func ExampleClient_ApplyOrganization() {
	c, ctx := open(), context.Background()
	seed(c, "Insights", "Moe")
	text := []byte(`{"format": 1, "agents": [
		{"name": "Moe", "level": "senior"},
		{"name": "Nia", "role": "Analyst", "department": "Insights", "authority": {"reports_to": "Moe"}}
	]}`)

	doc := client.OrganizationDocument{Text: text}
	plan, err := c.PlanOrganization(ctx, doc)
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range plan.Changes {
		fmt.Printf("%s %s: %.10s -> %.12s\n", change.Action, change.Path, change.Old, change.New)
	}
	done, err := c.ApplyOrganization(ctx, doc, plan.Hash, client.ChangeReason("spring review"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Created, done.Updated)
	// Output:
	// update agents["Moe"].level: "mid" -> "senior"
	// create agents["Nia"]: null -> {"name":"Nia
	// 1 1
}

func ExampleFileToken() {
	file := filepath.Join(os.TempDir(), "orgd-example.token")
	if err := os.WriteFile(file, []byte(os.Getenv("ORGD_TOKEN")), 0o600); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file)

	token, err := client.FileToken(file)
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.New(client.Config{BaseURL: "http://127.0.0.1:8080", Token: token})
	if err != nil {
		log.Fatal(err)
	}
	me, err := c.Me(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(me.Subject, me.Role)
	// Output: ada@example.com admin
}

func ExampleTokenSource() {
	c, err := client.New(client.Config{
		BaseURL: "http://127.0.0.1:8080",
		Token: func(ctx context.Context) (string, error) { // the token of now, from wherever it is kept
			token := os.Getenv("ORGD_TOKEN")
			if token == "" {
				return "", errors.New("ORGD_TOKEN is not set")
			}
			return token, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	me, err := c.Me(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(me.Subject, me.Role)
	// Output: ada@example.com admin
}
