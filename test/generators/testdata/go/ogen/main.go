// Program main uses the client that ogen has made.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/go-faster/jx"

	"generated/api"
)

var ctx = context.Background()

type token struct{}

// Bearer implements api.SecuritySource.
func (token) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{Token: os.Getenv("TOKEN")}, nil
}

// must returns an answer, which is a T.
func must[T any](answer any, err error) T {
	is, ok := answer.(T)
	if err != nil || !ok {
		log.Fatalf("the answer is %T, %v", answer, err)
	}
	return is
}

func main() {
	c, err := api.NewClient(os.Getenv("URL"), token{})
	if err != nil {
		log.Fatal(err)
	}
	department, err := c.DepartmentsCreate(ctx, &api.CreateDepartmentRequest{Name: "Sales"}, api.DepartmentsCreateParams{})
	must[*api.DepartmentCreatedHeaders](department, err)
	clerk := func(name api.Name) (api.AgentsCreateRes, error) {
		return c.AgentsCreate(ctx, &api.CreateAgentOrgRequest{Name: name, Role: "Clerk", Department: "Sales"}, api.AgentsCreateParams{})
	}
	for _, name := range []api.Name{"Ann", "Bob", "Cy", "Dee", "Eve"} {
		hired, err := clerk(name)
		agent := must[*api.AgentCreatedHeaders](hired, err).Response.Data
		fmt.Println("hired", agent.Name, agent.Version)
	}
	pages(c)
	changes(c)
	taken, err := clerk("ann")
	fmt.Println("taken 409", must[*api.AgentTakenApplicationJSONHeaders](taken, err).Response.ErrorDetail.ErrorCode)
	policies(c)
	body := api.CompanyUpdateApplicationJSON{BudgetMonthly: api.NewOptMoneyInput(20000001.99)}
	company, err := c.CompanyUpdate(ctx, &body, api.CompanyUpdateParams{})
	fmt.Printf("budget %.2f\n", must[*api.CompanyAnswerHeaders](company, err).Response.Data.BudgetMonthly)
}

func pages(c *api.Client) {
	query := api.AgentsListParams{Limit: api.NewOptInt(2)}
	for {
		answer, err := c.AgentsList(ctx, query)
		page := must[*api.AgentPageHeaders](answer, err).Response
		fmt.Print("page")
		for _, item := range page.Data {
			fmt.Print(" ", item.Name)
		}
		fmt.Println()
		if page.Pagination.NextCursor.Null {
			return
		}
		query.Cursor = api.NewOptString(string(page.Pagination.NextCursor.Value))
	}
}

func changes(c *api.Client) {
	answer, err := c.AgentsGet(ctx, api.AgentsGetParams{AgentName: "Ann"})
	tag := must[*api.AgentHeaders](answer, err).ETag
	change := func(level api.AgentLevel) (api.AgentsUpdateRes, error) {
		body := api.AgentsUpdateApplicationJSON{Level: api.NewOptAgentLevel(level)}
		return c.AgentsUpdate(ctx, &body, api.AgentsUpdateParams{AgentName: "Ann", IfMatch: api.NewOptString(tag)})
	}
	changed, err := change(api.AgentLevelSenior)
	fmt.Println("changed", must[*api.AgentHeaders](changed, err).Response.Data.Version)
	stale, err := change(api.AgentLevelLead)
	fmt.Println("stale 409", must[*api.AgentConflictApplicationJSONHeaders](stale, err).Response.ErrorDetail.ErrorCode)
}

func policies(c *api.Client) {
	body := api.CeremonyPolicyInput{
		Strategy:            api.NewOptNilCeremonyStrategy(api.CeremonyStrategyCalendar),
		TransitionThreshold: api.NewOptNilFloat64(0.5),
		AdditionalProps:     api.CeremonyPolicyInputAdditional{"sprint_days": jx.Raw("14")},
	}
	written, err := c.DepartmentsUpdateCeremonyPolicy(ctx, &body, api.DepartmentsUpdateCeremonyPolicyParams{Name: "Sales"})
	must[*api.CeremonyPolicyAnswerHeaders](written, err)
	read, err := c.DepartmentsCeremonyPolicy(ctx, api.DepartmentsCeremonyPolicyParams{Name: "Sales"})
	policy := must[*api.CeremonyPolicyOrNullHeaders](read, err).Response.Data.Value
	fmt.Println("policy", policy.Strategy.Value, policy.TransitionThreshold.Value, policy.AdditionalProps["sprint_days"])

	answer, err := c.VersionsDiff(ctx, api.VersionsDiffParams{AgentID: "Ann", FromVersion: 1, ToVersion: 2})
	for _, change := range must[*api.ApiResponseAgentIdentityDiffHeaders](answer, err).Response.Data.FieldChanges {
		fmt.Println("diff", change.FieldPath, change.OldValue.Value, change.NewValue.Value)
	}
}
