// Program main uses the client that oapi-codegen has made.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"generated/api"
)

var ctx = context.Background()

// must returns the body of an answer that has the status.
func must[T any](body *T, err error) T {
	if err != nil || body == nil {
		log.Fatalf("no such answer: %v", err)
	}
	return *body
}

func main() {
	token := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	c, err := api.NewClientWithResponses(os.Getenv("URL"), api.WithRequestEditorFn(token))
	if err != nil {
		log.Fatal(err)
	}
	department, err := c.DepartmentsCreateWithResponse(ctx, nil, api.CreateDepartmentRequest{Name: "Sales"})
	must(department.JSON201, err)
	clerk := func(name string) *api.AgentsCreateResponse {
		hired, err := c.AgentsCreateWithResponse(ctx, nil, api.CreateAgentOrgRequest{Name: name, Role: "Clerk", Department: "Sales"})
		if err != nil {
			log.Fatal(err)
		}
		return hired
	}
	for _, name := range []string{"Ann", "Bob", "Cy", "Dee", "Eve"} {
		agent := must(clerk(name).JSON201, nil).Data
		fmt.Println("hired", agent.Name, agent.Version)
	}
	pages(c)
	changes(c)
	taken := clerk("ann")
	fmt.Println("taken", taken.StatusCode(), int(must(taken.JSON409, nil).ErrorDetail.ErrorCode))
	policies(c)
	budget := 20000001.99
	company, err := c.CompanyUpdateWithResponse(ctx, nil, api.UpdateCompanyRequest{BudgetMonthly: &budget})
	fmt.Printf("budget %.2f\n", must(company.JSON200, err).Data.BudgetMonthly)
}

func pages(c *api.ClientWithResponses) {
	limit := api.Limit(2)
	for query := (api.AgentsListParams{Limit: &limit}); ; {
		answer, err := c.AgentsListWithResponse(ctx, &query)
		page := must(answer.JSON200, err)
		fmt.Print("page")
		for _, item := range page.Data {
			fmt.Print(" ", item.Name)
		}
		fmt.Println()
		if page.Pagination.NextCursor == nil {
			return
		}
		query.Cursor = page.Pagination.NextCursor
	}
}

func changes(c *api.ClientWithResponses) {
	answer, err := c.AgentsGetWithResponse(ctx, "Ann", nil)
	must(answer.JSON200, err)
	tag := answer.HTTPResponse.Header.Get("ETag")
	change := func(level api.AgentLevel) *api.AgentsUpdateResponse {
		changed, err := c.AgentsUpdateWithResponse(ctx, "Ann", &api.AgentsUpdateParams{IfMatch: &tag}, api.UpdateAgentOrgRequest{Level: &level})
		if err != nil {
			log.Fatal(err)
		}
		return changed
	}
	fmt.Println("changed", must(change("senior").JSON200, nil).Data.Version)
	stale := change("lead")
	fmt.Println("stale", stale.StatusCode(), int(must(stale.JSON409, nil).ErrorDetail.ErrorCode))
}

func policies(c *api.ClientWithResponses) {
	calendar, half := api.Calendar, 0.5
	body := api.CeremonyPolicyInput{Strategy: &calendar, TransitionThreshold: &half, AdditionalProperties: map[string]any{"sprint_days": 14}}
	written, err := c.DepartmentsUpdateCeremonyPolicyWithResponse(ctx, "Sales", nil, body)
	must(written.JSON200, err)
	read, err := c.DepartmentsCeremonyPolicyWithResponse(ctx, "Sales", nil)
	policy := must(read.JSON200, err).Data
	fmt.Println("policy", *policy.Strategy, *policy.TransitionThreshold, policy.AdditionalProperties["sprint_days"])

	answer, err := c.VersionsDiffWithResponse(ctx, "Ann", &api.VersionsDiffParams{FromVersion: 1, ToVersion: 2})
	for _, change := range must(answer.JSON200, err).Data.FieldChanges {
		fmt.Println("diff", change.FieldPath, *change.OldValue, *change.NewValue)
	}
}
