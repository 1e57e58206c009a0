import { strict as assert } from 'node:assert'
import * as api from './api'

const token = { headers: { Authorization: `Bearer ${process.env.TOKEN}` } }
const guarded = (tag: string) => ({ headers: { ...token.headers, 'If-Match': tag } })

await api.departmentsCreate({ name: 'Sales' }, token)
for (const name of ['Ann', 'Bob', 'Cy', 'Dee', 'Eve']) {
  const hired = await api.agentsCreate({ name, role: 'Clerk', department: 'Sales' }, token)
  assert(hired.status === 201)
  console.log('hired', hired.data.data.name, hired.data.data.version)
}

let cursor: string | undefined
do {
  const page = await api.agentsList({ limit: 2, cursor }, token)
  assert(page.status === 200)
  console.log('page', ...page.data.data.map((agent) => agent.name))
  cursor = page.data.pagination.next_cursor ?? undefined
} while (cursor)

const tag = (await api.agentsGet('Ann', token)).headers.get('ETag')!
const changed = await api.agentsUpdate('Ann', { level: 'senior' }, guarded(tag))
assert(changed.status === 200)
console.log('changed', changed.data.data.version)
const stale = await api.agentsUpdate('Ann', { level: 'lead' }, guarded(tag))
assert(stale.status === 409 && 'error_detail' in stale.data)
console.log('stale', stale.status, stale.data.error_detail.error_code)
const taken = await api.agentsCreate({ name: 'ann', role: 'Clerk', department: 'Sales' }, token)
assert(taken.status === 409 && 'error_detail' in taken.data)
console.log('taken', taken.status, taken.data.error_detail.error_code)

const body: api.CeremonyPolicy = { strategy: 'calendar', transition_threshold: 0.5, sprint_days: 14 }
await api.departmentsUpdateCeremonyPolicy('Sales', body, token)
const policy = await api.departmentsCeremonyPolicy('Sales', token)
assert(policy.status === 200)
console.log('policy', policy.data.data?.strategy, policy.data.data?.transition_threshold, policy.data.data?.sprint_days)

const diff = await api.versionsDiff('Ann', { from_version: 1, to_version: 2 }, token)
assert(diff.status === 200 && 'data' in diff.data)
for (const c of diff.data.data.field_changes) console.log('diff', c.field_path, c.old_value, c.new_value)

const company = await api.companyUpdate({ budget_monthly: 20000001.99 }, token)
assert(company.status === 200)
assert.equal(company.data.data.budget_monthly, 20000001.99)
console.log('budget', company.data.data.budget_monthly)
