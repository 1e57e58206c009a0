// Program main uses the client that openapi-generator has made.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	api "github.com/GIT_USER_ID/GIT_REPO_ID"
)

var ctx = context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("TOKEN"))

// must returns the answer to a request that succeeds.
func must[T any](answer *T, _ *http.Response, err error) *T {
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

// refused returns the status and the code of a request that does not.
func refused[T any](_ *T, answer *http.Response, err error) (status, code int) {
	var refusal *api.GenericOpenAPIError
	if !errors.As(err, &refusal) {
		log.Fatalf("no refusal: %v", err)
	}
	return answer.StatusCode, int(refusal.Model().(api.ErrorEnvelope).ErrorDetail.ErrorCode)
}

func main() {
	config := api.NewConfiguration()
	config.Servers = api.ServerConfigurations{{URL: os.Getenv("URL")}}
	c := api.NewAPIClient(config)
	must(c.DepartmentsAPI.DepartmentsCreate(ctx).CreateDepartmentRequest(*api.NewCreateDepartmentRequest("Sales")).Execute())
	clerk := func(name string) api.ApiAgentsCreateRequest {
		return c.AgentsAPI.AgentsCreate(ctx).CreateAgentOrgRequest(*api.NewCreateAgentOrgRequest(name, "Clerk", "Sales"))
	}
	for _, name := range []string{"Ann", "Bob", "Cy", "Dee", "Eve"} {
		agent := must(clerk(name).Execute()).Data
		fmt.Println("hired", agent.Name, agent.Version)
	}
	pages(c)
	changes(c)
	status, code := refused(clerk("ann").Execute())
	fmt.Println("taken", status, code)
	policies(c)
	body := api.NewUpdateCompanyRequest()
	body.SetBudgetMonthly(20000001.99)
	company := must(c.CompanyAPI.CompanyUpdate(ctx).UpdateCompanyRequest(*body).Execute()).Data
	fmt.Printf("budget %.2f\n", company.BudgetMonthly)
}

func pages(c *api.APIClient) {
	for query := c.AgentsAPI.AgentsList(ctx).Limit(2); ; {
		page := must(query.Execute())
		fmt.Print("page")
		for _, item := range page.Data {
			fmt.Print(" ", item.Name)
		}
		fmt.Println()
		next := page.Pagination.NextCursor.Get()
		if next == nil {
			return
		}
		query = query.Cursor(*next)
	}
}

func changes(c *api.APIClient) {
	_, answer, err := c.AgentsAPI.AgentsGet(ctx, "Ann").Execute()
	if err != nil {
		log.Fatal(err)
	}
	tag := answer.Header.Get("ETag")
	change := func(level api.AgentLevel) api.ApiAgentsUpdateRequest {
		return c.AgentsAPI.AgentsUpdate(ctx, "Ann").IfMatch(tag).UpdateAgentOrgRequest(api.UpdateAgentOrgRequest{Level: &level})
	}
	fmt.Println("changed", must(change(api.SENIOR).Execute()).Data.Version)
	status, code := refused(change(api.LEAD).Execute())
	fmt.Println("stale", status, code)
}

func policies(c *api.APIClient) {
	body := api.NewCeremonyPolicyInput()
	body.SetStrategy(api.CALENDAR)
	body.SetTransitionThreshold(0.5)
	body.AdditionalProperties = map[string]any{"sprint_days": 14}
	must(c.CeremoniesAPI.DepartmentsUpdateCeremonyPolicy(ctx, "Sales").CeremonyPolicyInput(*body).Execute())
	policy := must(c.CeremoniesAPI.DepartmentsCeremonyPolicy(ctx, "Sales").Execute()).Data.Get()
	fmt.Println("policy", policy.GetStrategy(), policy.GetTransitionThreshold(), policy.AdditionalProperties["sprint_days"])

	diff := must(c.VersionsAPI.VersionsDiff(ctx, "Ann").FromVersion(1).ToVersion(2).Execute()).Data
	for _, change := range diff.FieldChanges {
		fmt.Println("diff", change.FieldPath, *change.OldValue.Get(), *change.NewValue.Get())
	}
}
