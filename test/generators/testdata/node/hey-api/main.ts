import { strict as assert } from 'node:assert'
import { client } from './api/client.gen'
import * as api from './api'

client.setConfig({ baseUrl: process.env.URL!, headers: { Authorization: `Bearer ${process.env.TOKEN}` } })

await api.departmentsCreate({ body: { name: 'Sales' }, throwOnError: true })
for (const name of ['Ann', 'Bob', 'Cy', 'Dee', 'Eve']) {
  const { data } = await api.agentsCreate({ body: { name, role: 'Clerk', department: 'Sales' }, throwOnError: true })
  console.log('hired', data.data.name, data.data.version)
}

let cursor: string | undefined
do {
  const { data } = await api.agentsList({ query: { limit: 2, cursor }, throwOnError: true })
  console.log('page', ...data.data.map((agent) => agent.name))
  cursor = data.pagination.next_cursor ?? undefined
} while (cursor)

const path = { agent_name: 'Ann' }
const { response } = await api.agentsGet({ path, throwOnError: true })
const headers = { 'If-Match': response.headers.get('ETag')! }
const changed = await api.agentsUpdate({ path, headers, body: { level: 'senior' }, throwOnError: true })
console.log('changed', changed.data.data.version)
const stale = await api.agentsUpdate({ path, headers, body: { level: 'lead' } })
console.log('stale', stale.response?.status, stale.error?.error_detail.error_code)
const taken = await api.agentsCreate({ body: { name: 'ann', role: 'Clerk', department: 'Sales' } })
console.log('taken', taken.response?.status, taken.error?.error_detail.error_code)

const body: api.CeremonyPolicy = { strategy: 'calendar', transition_threshold: 0.5, sprint_days: 14 }
await api.departmentsUpdateCeremonyPolicy({ path: { name: 'Sales' }, body, throwOnError: true })
const policy = (await api.departmentsCeremonyPolicy({ path: { name: 'Sales' }, throwOnError: true })).data.data
console.log('policy', policy?.strategy, policy?.transition_threshold, policy?.sprint_days)

const diff = await api.versionsDiff({ path: { agent_id: 'Ann' }, query: { from_version: 1, to_version: 2 }, throwOnError: true })
for (const c of diff.data.data.field_changes) console.log('diff', c.field_path, c.old_value, c.new_value)

const company = await api.companyUpdate({ body: { budget_monthly: 20000001.99 }, throwOnError: true })
assert.equal(company.data.data.budget_monthly, 20000001.99)
console.log('budget', company.data.data.budget_monthly)
