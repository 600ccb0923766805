import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendingWorkspace } from '../support/messages.ts'
import { Dashboard } from './dashboard.ts'

const dashboard = new Dashboard()

before(async () => {
  await dashboard.open({ env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
  await dashboard.signIn()
})
after(() => dashboard.close())

const gold = { AND: [{ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }] }
const properties = { plan: { comparison: 'equals', value: 'gold' } }
const email = {
  app_id: 'app-phone',
  from: 'Shop <shop@example.com>',
  reply_to: 'help@example.com',
  subject: 'Hello',
  preheader: 'Look',
  body: '<p>Hello</p>',
  bcc: 'archive@example.com',
  extras: { campaign: 'hello' },
  headers: { 'X-One': 'a' },
  should_inline_css: true,
  attachments: [{ file_name: 'a.pdf', url: 'https://example.com/a.pdf', basic_auth_credential: 'files' }],
}
const common = {
  name: 'All',
  description: 'Everything',
  tags: ['a'],
  class: 'marketing',
  audience: gold,
  entry: {
    event: { event: 'signed_up', properties },
    schedule: { at: '09:00', days: ['mon'], zone: 'UTC', from: '2027-01-01', until: '2027-02-01' },
    again: { after: 'P30D' },
  },
  exit: { events: [{ purchase: 'shoes', properties, same: ['plan'] }], segment: { segment_id: 'gold' } },
  conversions: [{ name: 'Bought', on: { event: 'bought', properties, same: ['plan'] }, within: 'P3D' }],
  control_percent: 10,
  recipient_subscription_state: 'opted_in',
  quiet_hours: 'skip',
  rate: '500/min',
}
const steps = [
  { id: 'mail', name: 'Mail', type: 'message', message: email, next: 'wait' },
  { id: 'wait', name: 'Wait', type: 'delay', for: 'P1D', next: 'until' },
  { id: 'until', name: 'Until', type: 'delay', until: '09:00', weekdays: ['mon'], next: 'gold' },
  { id: 'gold', name: 'Gold', type: 'decision', audience: gold, yes: 'split', no: 'act' },
  { id: 'split', name: 'Split', type: 'paths', paths: [{ name: 'A', audience: gold, next: 'act' }], otherwise: 'act' },
  {
    ...{ id: 'act', name: 'Act', type: 'action_paths', within: 'P7D', otherwise: 'try' },
    paths: [{ name: 'Did', event: 'begun', properties, same: ['plan'], next: 'try' }],
  },
  { id: 'try', name: 'Try', type: 'experiment', paths: [{ name: 'All', percent: 100, next: 'set' }] },
  { id: 'set', name: 'Set', type: 'update_user', attributes: { plan: 'gold' }, next: 'call' },
  {
    ...{ id: 'call', name: 'Call', type: 'webhook', url: 'https://example.com/', method: 'PUT', next: 'mail' },
    ...{ headers: { 'X-One': 'a' }, body: { a: 1 } },
  },
]
const variants = [
  { name: 'A', percent: 50, first: 'mail' },
  { name: 'B', percent: 50, first: 'wait' },
]
const messages = [{ id: 'a', name: 'A', percent: 100, email }]

/** Their values are edited as one: conditions have an editor of their own, and others are JSON. */
const whole = new Set(['segment', 'audience', 'extras', 'headers', 'attributes', 'body', 'properties', 'same', 'tags'])
/** What is not edited in a field: the kind of a step is in its title, and an id of a message is made for it. */
const unedited = /\.type$|^messages\[\d+\]\.id$/

/** Returns the paths of all members of a value, as mistakes name them. */
function pathsIn(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [path]
  if (Array.isArray(value)) return value.flatMap((entry, i) => pathsIn(entry, `${path}[${i}]`))
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    return whole.has(name) || (Array.isArray(member) && typeof member[0] !== 'object') ? [at] : pathsIn(member, at)
  })
}

/** Asserts that a mistake at each member of a value would be led to a field of its own. */
async function assertFields(value: unknown, path: string): Promise<void> {
  const { page } = dashboard
  const wanted = pathsIn(value, path).filter((at) => !unedited.test(at))
  await page.locator(`[data-path="${wanted[0]}"]`).first().waitFor({ state: 'attached' })
  if (path.startsWith('messages') || wanted.some((at) => at.includes('.message.'))) {
    await page.locator(`[data-path$=".from"]`).first().waitFor({ state: 'attached' })
  }
  const found = new Set(
    await page
      .locator('[data-path], [data-part]')
      .evaluateAll((fields) =>
        fields.flatMap((field) => [field.getAttribute('data-path') ?? '', field.getAttribute('data-part') ?? '']),
      ),
  )
  assert.deepEqual(
    wanted.filter((at) => !found.has(at)),
    [],
    path,
  )
  assert.equal(await page.getByLabel('What there are no fields for').count(), 0, path)
}

async function storeDraft(path: string, definition: object): Promise<void> {
  const { status, text } = await dashboard.at.service.admin('PUT', `/admin/${path}/draft`, { definition })
  assert.equal(status, 200, text)
}

test('each member of a canvas and of its steps has a field', async () => {
  await storeDraft('canvases/all', { id: 'all', ...common, variants, steps })
  await dashboard.visit('canvases/all/edit?step=.entry')
  await assertFields({ ...common, variants }, '')
  await dashboard.shot('flow-fields-canvas')
  for (const [i, step] of steps.entries()) {
    await dashboard.visit(`canvases/all/edit?step=${step.id}`)
    await assertFields(step, `steps[${i}]`)
    await dashboard.shot(`flow-fields-${step.type}`)
  }
  assert.deepEqual(dashboard.complaints, [])
})

test('each member of a campaign and of its messages has a field', async () => {
  await storeDraft('campaigns/all', { id: 'all', ...common, messages })
  await dashboard.visit('campaigns/all/edit')
  await assertFields({ ...common, messages }, '')
  await dashboard.shot('flow-fields-campaign')
  assert.deepEqual(dashboard.complaints, [])
})
