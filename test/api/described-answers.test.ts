import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { Compile } from 'typebox/schema'
import { withoutReferences } from '../../scripts/references.ts'
import { requestExamples } from '../../src/request-examples.ts'
import { eventually } from '../support/eventually.ts'
import { type Answer, type Service, startService } from '../support/harness.ts'

type Item = Readonly<Record<string, unknown>>
type Content = {
  readonly 'application/x-ndjson'?: { readonly schema: object }
  readonly 'application/json'?: { readonly schema: object; readonly example?: Item }
}
type Parameter = { readonly name: string; readonly in: string; readonly required: boolean }
type Operation = {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Found = { readonly method: string; readonly path: string; readonly operation: Operation }

const mail = { app_id: 'shop', from: 'Shop <hello@shop.example>', subject: 'Hello', body: '<p>Hello</p>' }
const priced = [
  { name: 'id', type: 'string' },
  { name: 'name', type: 'string' },
  { name: 'price', type: 'number' },
]
const campaign = (id: string, more: Item = {}) => ({
  id,
  name: id,
  state: 'active',
  messages: [{ id: `${id}-a`, email: mail }],
  ...more,
})

/** The shop of `src/request-examples.ts`. */
const shop = {
  settings: { global_control_group: { ranges: [{ from: 0, to: 499 }] } },
  apps: [{ id: 'shop', name: 'Shop', platform: 'web' }],
  subscription_groups: [
    {
      ...{ id: 'newsletter', name: 'Newsletter', channel: 'email' },
      double_opt_in: { enabled: true, from: 'Shop <shop@example.com>' },
    },
  ],
  sign_up_forms: [{ id: 'footer', name: 'Footer', subscription_group_id: 'newsletter' }],
  segments: [
    {
      id: 'gold',
      name: 'Gold',
      audience: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } },
    },
  ],
  credentials: [
    { id: 'files', name: 'files', user_name: 'shop', password: 'secret', origins: ['https://files.shop.example'] },
  ],
  dkim_keys: [{ id: 'mail', name: 'shop.example', selector: 'easel1' }],
  webhooks: [{ id: 'crm', name: 'CRM', url: 'https://crm.shop.example/easel', state: 'paused' }],
  teams: [{ id: 'crm', name: 'CRM' }],
  roles: [{ id: 'reader', name: 'Reader', permissions: ['basic_access'] }],
  permission_sets: [{ id: 'readers', name: 'Readers', permissions: ['basic_access'] }],
  content_blocks: [{ id: 'footer', name: 'footer', content: 'The shop' }],
  email_templates: [{ id: 'receipt', name: 'Receipt', subject: 'Receipt', body: '<p>Thanks</p>' }],
  catalogs: [{ id: 'easels', name: 'easels', fields: priced }],
  canvases: [
    {
      id: 'welcome',
      name: 'Welcome',
      state: 'active',
      entry: { by: ['api'], again: 'always' },
      first: 'hello',
      steps: [{ id: 'hello', type: 'message', message: mail }],
    },
  ],
  campaigns: [campaign('news'), campaign('receipt', { class: 'transactional' })],
}

/** What stands for parameters of paths, and for parameters of queries that are required or that one endpoint wants. */
const given: Record<string, string> = {
  'path campaign_id': 'receipt',
  catalog_name: 'easels',
  item_id: 'studio-easel',
  field_name: 'weight',
  selection_name: 'cheap',
  partner: 'insights',
  user_id: 'ada',
  canvas_id: 'welcome',
  campaign_id: 'news',
  segment_id: 'gold',
  send_id: 'spring',
  content_block_id: 'footer',
  email_template_id: 'receipt',
  subscription_group_id: 'newsletter',
  app_id: 'shop',
  event: 'signed_up',
  length: '3',
  end_time: '2040-12-31',
  end_date: '2030-01-31',
}
const wanted: Readonly<Record<string, string>> = {
  '/subscription/status/get': '&external_id=ada',
  '/subscription/user/status': '&external_id=ada',
  '/email/unsubscribes': '&start_date=2030-01-01',
  '/email/hard_bounces': '&start_date=2030-01-01',
  '/sms/invalid_phone_numbers': '&start_date=2030-01-01&end_date=2030-01-31',
  '/canvas/data_series': '&length=3',
  '/canvas/data_summary': '&length=3',
  '/admin/segments/{id}/why': '?external_id=ada',
  '/admin/names': '?kind=attribute',
  '/admin/permissions/givers': '?ability=canvases.launch',
  '/admin/why': '?external_id=ada',
}
/** Operations that never succeed, or whose body a provider signs. */
const left = /^(?:\/admin\/|\/scim\/|\/webhooks\/|\/feed\/d)|^\/metrics$/

/** Members with which an answer says that something of the request was not kept. */
const doubts = ['errors', 'rename_errors', 'removal_errors', 'notice', 'notices'] as const

let service: Service
/** Schemas that contain themselves refer to these. */
let components: object
let operations: readonly Found[]
/** What administrators read of what the operations above have written. */
let reads: readonly Found[]
before(async () => {
  service = await startService({ workspace: shop })
  const { body } = await service.get('/openapi.json', { key: null })
  const { paths } = withoutReferences(body) as { paths: Record<string, Record<string, Operation>> }
  components = body.components
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  reads = all.filter(({ method, path }) => method === 'GET' && path.startsWith('/admin/'))
  const served = all.filter(({ path }) => !left.test(path))
  const turnOf = ({ method, operation }: Found) => {
    if (operation.requestBody !== undefined) return 0
    return method === 'DELETE' ? 2 : 1
  }
  // What is read was written before, and what is deleted was read: the fields of a catalog before the catalog.
  operations = served.toSorted(
    (a, b) => turnOf(a) - turnOf(b) || (turnOf(a) === 2 ? served.indexOf(b) - served.indexOf(a) : 0),
  )
})
after(() => service[Symbol.asyncDispose]())

function filled({ path, operation }: Found): string {
  const { parameters = [] } = operation
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => given[`path ${name}`] ?? given[name] ?? name)
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const text = query.map(({ name }) => `&${name}=${given[name] ?? name}`).join('') + (wanted[path] ?? '')
  return text === '' ? named : `${named}?${text.slice(1)}`
}

function problemsOf(schema: object, value: unknown): string {
  const [fits, errors] = Compile({ ...schema, components }).Errors(value)
  return fits ? '' : errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
}

async function problemsWith(found: Found): Promise<string[]> {
  const { method, path, operation } = found
  const request = operation.requestBody?.content['application/json']
  const example = request?.example
  if (request && example === undefined) return [`${method} ${path} has no example`]
  // Orders get an id when they are made.
  const isOrder = example !== undefined && 'schedule_id' in example
  const body = isOrder ? { ...example, schedule_id: given.schedule_id } : example
  const { status, body: answer, text }: Answer = await service.send(method, filled(found), body)
  if (typeof answer?.schedule_id === 'string') given.schedule_id = answer.schedule_id
  if (typeof answer?.preference_center_api_id === 'string') {
    given.preference_center_external_id = answer.preference_center_api_id
  }
  const described = operation.responses[status]
  const success = Object.keys(operation.responses).find((each) => each.startsWith('2'))
  const schema = described?.content?.['application/json']?.schema
  const problems = [
    ...(request && example ? [problemsOf(request.schema, example)] : []),
    String(status) === success ? '' : `status ${status} for ${success}: ${text}`,
    schema ? problemsOf(schema, answer) : `status ${status} has no schema`,
    ...doubts.flatMap((member) => (answer?.[member]?.length > 0 ? [`${member}: ${text}`] : [])),
  ]
  return problems.filter((problem) => problem !== '').map((problem) => `${method} ${path}: ${problem}`)
}

test('every request of the description is accepted, and its answer has the described shape', async () => {
  await service.post('/users/track', { attributes: [{ external_id: 'cleo' }, { external_id: 'dan' }] })
  const cookie = { alias_label: 'shop_cookie', alias_name: 'c-42' }
  await service.post('/users/track', { attributes: [{ user_alias: cookie, _update_existing_only: false, page: '/' }] })
  const problems: string[] = []
  for (const found of operations) problems.push(...(await problemsWith(found)))
  assert.deepEqual(problems, [])
})

test('what administrators read has the described shape', async () => {
  await eventually('the mails are delivered', async () => (await firstOf('/admin/inbox')) !== undefined)
  await service.admin('POST', '/admin/accounts', { user_name: 'ada@example.com', given_name: 'Ada' })
  const problems: string[] = []
  for (const { path, operation } of reads) {
    const url = await addressOf(path)
    const { status, body, text } = await service.send('GET', url, undefined, { key: service.adminToken })
    const content = operation.responses[status]?.content
    const schema = content?.['application/json']?.schema
    const line = content?.['application/x-ndjson']?.schema
    const lines = line
      ? text
          .trimEnd()
          .split('\n')
          .map((each) => problemsOf(line, JSON.parse(each)))
      : []
    const problem =
      status === 200 && schema ? problemsOf(schema, body) : line ? lines.join('') : `status ${status}: ${text}`
    if (problem !== '') problems.push(`GET ${url}: ${problem}`)
  }
  assert.deepEqual(problems, [])
})

/** Returns a path with the ids of the first entries of the lists that it goes through. */
async function addressOf(path: string): Promise<string> {
  let address = ''
  for (const part of path.split('/').slice(1)) {
    const list = address === '/admin/people' ? '/admin/people/search' : address
    address += `/${part.startsWith('{') ? await firstOf(list) : part}`
  }
  return `${address}${wanted[path] ?? ''}`
}

/** Returns the id of the first entry of a list; undefined when it is empty. */
async function firstOf(list: string): Promise<string | undefined> {
  const { body } = await service.admin('GET', list)
  const [first] = Object.values<Item[]>(body).find(Array.isArray) ?? []
  const [, id] =
    Object.entries(first ?? {}).find(([name]) => /^(?:(?:dispatch_|entry_|message_)?id|version)$/.test(name)) ?? []
  return id === undefined ? undefined : String(id)
}

test('an example is about an operation', () => {
  const names = operations.map(({ method, path }) => `${method} ${path}`)
  const others = Object.keys(requestExamples).filter((name) => !names.includes(name))
  assert.deepEqual(others, [])
})
