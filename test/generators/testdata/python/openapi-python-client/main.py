import os

from api import AuthenticatedClient
from api.api.agents import agents_create, agents_get, agents_list, agents_update
from api.api.ceremonies import departments_ceremony_policy, departments_update_ceremony_policy
from api.api.company import company_update
from api.api.departments import departments_create
from api.api.versions import versions_diff
from api.models import (
    AgentLevel,
    CeremonyPolicy,
    CeremonyStrategy,
    CreateAgentOrgRequest,
    CreateDepartmentRequest,
    UpdateAgentOrgRequest,
    UpdateCompanyRequest,
)
from api.types import UNSET

client = AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["TOKEN"])

departments_create.sync(client=client, body=CreateDepartmentRequest(name="Sales"))
for name in ["Ann", "Bob", "Cy", "Dee", "Eve"]:
    agent = agents_create.sync(client=client, body=CreateAgentOrgRequest(name=name, role="Clerk", department="Sales")).data
    print("hired", agent.name, agent.version)

cursor = UNSET
while cursor is not None:
    page = agents_list.sync(client=client, limit=2, cursor=cursor)
    print("page", *[agent.name for agent in page.data])
    cursor = page.pagination.next_cursor

tag = agents_get.sync_detailed("Ann", client=client).headers["ETag"]
changed = agents_update.sync("Ann", client=client, if_match=tag, body=UpdateAgentOrgRequest(level=AgentLevel.SENIOR))
print("changed", changed.data.version)
stale = agents_update.sync_detailed("Ann", client=client, if_match=tag, body=UpdateAgentOrgRequest(level=AgentLevel.LEAD))
print("stale", stale.status_code.value, stale.parsed.error_detail.error_code.value)
taken = agents_create.sync_detailed(client=client, body=CreateAgentOrgRequest(name="ann", role="Clerk", department="Sales"))
print("taken", taken.status_code.value, taken.parsed.error_detail.error_code.value)

policy = CeremonyPolicy(strategy=CeremonyStrategy.CALENDAR, transition_threshold=0.5)
policy["sprint_days"] = 14
departments_update_ceremony_policy.sync("Sales", client=client, body=policy)
policy = departments_ceremony_policy.sync("Sales", client=client).data
print("policy", policy.strategy.value, policy.transition_threshold, policy["sprint_days"])

for c in versions_diff.sync("Ann", client=client, from_version=1, to_version=2).data.field_changes:
    print("diff", c.field_path, c.old_value, c.new_value)

company = company_update.sync(client=client, body=UpdateCompanyRequest(budget_monthly=20000001.99)).data
assert company.budget_monthly == 20000001.99
print("budget", company.budget_monthly)
