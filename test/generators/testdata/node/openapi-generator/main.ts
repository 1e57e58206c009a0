import { strict as assert } from 'node:assert'
import * as api from './api'

const configuration = new api.Configuration({ basePath: process.env.URL, accessToken: process.env.TOKEN })
const agents = new api.AgentsApi(configuration)

// The status and the code of a request that is refused.
async function refused(request: Promise<unknown>): Promise<number[]> {
  const { response } = await request.then(() => assert.fail('it succeeded'), (error: api.ResponseError) => error)
  const refusal = api.ErrorEnvelopeFromJSON(await response.json())
  return [response.status, refusal.error_detail.error_code]
}

await new api.DepartmentsApi(configuration).departmentsCreate({ createDepartmentRequest: { name: 'Sales' } })
const clerk = (name: string) => agents.agentsCreate({ createAgentOrgRequest: { name, role: 'Clerk', department: 'Sales' } })
for (const name of ['Ann', 'Bob', 'Cy', 'Dee', 'Eve']) {
  const { data } = await clerk(name)
  console.log('hired', data.name, data.version)
}

let cursor: string | undefined
do {
  const page = await agents.agentsList({ limit: 2, cursor })
  console.log('page', ...page.data.map((agent) => agent.name))
  cursor = page.pagination.next_cursor ?? undefined
} while (cursor)

const { raw } = await agents.agentsGetRaw({ agentName: 'Ann' })
const guard = { agentName: 'Ann', ifMatch: raw.headers.get('ETag')! }
const changed = await agents.agentsUpdate({ ...guard, updateAgentOrgRequest: { level: 'senior' } })
console.log('changed', changed.data.version)
console.log('stale', ...(await refused(agents.agentsUpdate({ ...guard, updateAgentOrgRequest: { level: 'lead' } }))))
console.log('taken', ...(await refused(clerk('ann'))))

const ceremonies = new api.CeremoniesApi(configuration)
const ceremonyPolicyInput = { strategy: api.CeremonyStrategy.Calendar, transition_threshold: 0.5, sprint_days: 14 }
await ceremonies.departmentsUpdateCeremonyPolicy({ name: 'Sales', ceremonyPolicyInput })
const policy = (await ceremonies.departmentsCeremonyPolicy({ name: 'Sales' })).data
console.log('policy', policy?.strategy, policy?.transition_threshold, policy?.sprint_days)

const diff = await new api.VersionsApi(configuration).versionsDiff({ agentId: 'Ann', fromVersion: 1, toVersion: 2 })
for (const c of diff.data.field_changes) console.log('diff', c.field_path, c.old_value, c.new_value)

const company = await new api.CompanyApi(configuration).companyUpdate({ updateCompanyRequest: { budget_monthly: 20000001.99 } })
assert.equal(company.data.budget_monthly, 20000001.99)
console.log('budget', company.data.budget_monthly)
