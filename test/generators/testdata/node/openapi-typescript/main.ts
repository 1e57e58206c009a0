import { strict as assert } from 'node:assert'
import createClient from 'openapi-fetch'
import type { components, paths } from './api'

type Schemas = components['schemas']

const api = createClient<paths>({ baseUrl: process.env.URL!, headers: { Authorization: `Bearer ${process.env.TOKEN}` } })

// What has a default is no optional member for this generator, so requests say what they are.
const sales = { name: 'Sales' } as Schemas['CreateDepartmentRequest']
const clerk = (name: string) => ({ name, role: 'Clerk', department: 'Sales' }) as Schemas['CreateAgentOrgRequest']

// An error has two forms.
const code = (error?: Schemas['ErrorEnvelope'] | Schemas['ProblemDetail']) =>
  error && ('error_detail' in error ? error.error_detail.error_code : error.error_code)

function must<T>(answer: { data?: T; error?: unknown }): T {
  assert.equal(answer.error, undefined)
  return answer.data!
}

must(await api.POST('/api/v1/departments', { body: sales }))
for (const name of ['Ann', 'Bob', 'Cy', 'Dee', 'Eve']) {
  const { data } = must(await api.POST('/api/v1/agents', { body: clerk(name) }))
  console.log('hired', data.name, data.version)
}

let cursor: string | undefined
do {
  const page = must(await api.GET('/api/v1/agents', { params: { query: { limit: 2, cursor } } }))
  console.log('page', ...page.data.map((agent) => agent.name))
  cursor = page.pagination.next_cursor ?? undefined
} while (cursor)

const path = { agent_name: 'Ann' }
const { response } = await api.GET('/api/v1/agents/{agent_name}', { params: { path } })
const params = { path, header: { 'If-Match': response.headers.get('ETag')! } }
const changed = must(await api.PATCH('/api/v1/agents/{agent_name}', { params, body: { level: 'senior' } }))
console.log('changed', changed.data.version)
const stale = await api.PATCH('/api/v1/agents/{agent_name}', { params, body: { level: 'lead' } })
console.log('stale', stale.response.status, code(stale.error))
const taken = await api.POST('/api/v1/agents', { body: clerk('ann') })
console.log('taken', taken.response.status, code(taken.error))

const department = { path: { name: 'Sales' } }
const body: Schemas['CeremonyPolicy'] = { strategy: 'calendar', transition_threshold: 0.5, sprint_days: 14 }
must(await api.PUT('/api/v1/departments/{name}/ceremony-policy', { params: department, body }))
const policy = must(await api.GET('/api/v1/departments/{name}/ceremony-policy', { params: department })).data
console.log('policy', policy?.strategy, policy?.transition_threshold, policy?.sprint_days)

const versions = { path: { agent_id: 'Ann' }, query: { from_version: 1, to_version: 2 } }
const diff = must(await api.GET('/api/v1/agents/{agent_id}/versions/diff', { params: versions }))
assert('data' in diff) // no JSON Patch
for (const c of diff.data.field_changes) console.log('diff', c.field_path, c.old_value, c.new_value)

const company = must(await api.PATCH('/api/v1/company', { body: { budget_monthly: 20000001.99 } }))
assert.equal(company.data.budget_monthly, 20000001.99)
console.log('budget', company.data.budget_monthly)
