import os

from openapi_client import (
    AgentLevel,
    AgentsApi,
    ApiClient,
    CeremoniesApi,
    CeremonyPolicyInput,
    CeremonyStrategy,
    CompanyApi,
    Configuration,
    CreateAgentOrgRequest,
    CreateDepartmentRequest,
    DepartmentsApi,
    UpdateAgentOrgRequest,
    UpdateCompanyRequest,
    VersionsApi,
)
from openapi_client.exceptions import ConflictException

client = ApiClient(Configuration(host=os.environ["URL"], access_token=os.environ["TOKEN"]))
agents = AgentsApi(client)


def clerk(name):
    return agents.agents_create(CreateAgentOrgRequest(name=name, role="Clerk", department="Sales"))


def change(level):
    return agents.agents_update("Ann", UpdateAgentOrgRequest(level=level), if_match=tag)


def refused(what, request, *arguments):
    try:
        request(*arguments)
    except ConflictException as refusal:
        print(what, refusal.status, refusal.data.error_detail.error_code.value)


DepartmentsApi(client).departments_create(CreateDepartmentRequest(name="Sales"))
for name in ["Ann", "Bob", "Cy", "Dee", "Eve"]:
    agent = clerk(name).data
    print("hired", agent.name, agent.version)

query = {"limit": 2}
while True:
    page = agents.agents_list(**query)
    print("page", *[agent.name for agent in page.data])
    if page.pagination.next_cursor is None:
        break
    query["cursor"] = page.pagination.next_cursor

headers = agents.agents_get_with_http_info("Ann").headers
tag = {name.lower(): value for name, value in headers.items()}["etag"]
print("changed", change(AgentLevel.SENIOR).data.version)
refused("stale", change, AgentLevel.LEAD)
refused("taken", clerk, "ann")

ceremonies = CeremoniesApi(client)
policy = CeremonyPolicyInput(strategy=CeremonyStrategy.CALENDAR, transition_threshold=0.5, additional_properties={"sprint_days": 14})
ceremonies.departments_update_ceremony_policy("Sales", policy)
policy = ceremonies.departments_ceremony_policy("Sales").data
print("policy", policy.strategy.value, policy.transition_threshold, policy.additional_properties["sprint_days"])

for c in VersionsApi(client).versions_diff(agent_id="Ann", from_version=1, to_version=2).data.field_changes:
    print("diff", c.field_path, c.old_value, c.new_value)

company = CompanyApi(client).company_update(UpdateCompanyRequest(budget_monthly=20000001.99)).data
assert company.budget_monthly == 20000001.99
print("budget", company.budget_monthly)
