import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'

/** The secrets of the installations that releases made. */
export const releaseEnvironment = {
  EASEL_API_KEY: 'easel_api_key_of_all_the_releases',
  EASEL_ADMIN_TOKEN: 'easel_admin_token_of_the_releases',
  EASEL_SCIM_TOKEN: 'easel_scim_token_of_the_releases_',
  EASEL_REQUEST_ORIGIN: 'https://easel.example.com',
  EASEL_CLOCK: 'virtual',
} as const
/** Given to releases that know it. */
export const releaseSecret = 'easel_root_secret_of_all_releases'

// biome-ignore lint/suspicious/noExplicitAny: the answers of old releases have no types here.
type Answer = any
export type Ask = (method: string, path: string, body?: object) => Promise<Answer>

/** Returns a function that asks the server at `url` with the token that the path needs. Throws for an answer that is no success. */
export function askAt(url: string): Ask {
  const { EASEL_API_KEY, EASEL_ADMIN_TOKEN, EASEL_SCIM_TOKEN, EASEL_REQUEST_ORIGIN } = releaseEnvironment
  return async (method, path, body) => {
    const isScim = path.startsWith('/scim/')
    const token = isScim ? EASEL_SCIM_TOKEN : path.startsWith('/admin/') ? EASEL_ADMIN_TOKEN : EASEL_API_KEY
    const response = await fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': isScim ? 'application/scim+json' : 'application/json',
        ...(isScim && { 'X-Request-Origin': EASEL_REQUEST_ORIGIN }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
}

export const credentialPassword = 's3cr3t-pässword of a release'
const email = (subject: string) => ({
  app_id: 'web',
  from: 'Shop <hello@shop.example>',
  subject,
  body: '<p>Hello.</p>',
})

const file = (privateKey: string) => ({
  settings: {
    time_zone: 'Europe/Paris',
    reply_to: 'hello@shop.example',
    quiet_hours: { start: '23:00', end: '06:00' },
  },
  apps: [
    { id: 'web', name: 'Web shop', platform: 'web' },
    { id: 'phone', name: 'Phone', platform: 'ios' },
  ],
  api_keys: [{ id: 'loader', name: 'Loader', permissions: ['users.track'], allowed_ips: ['10.0.0.0/8'] }],
  subscription_groups: [{ id: '5f0c1d2e-3a4b-4c5d-8e6f-708192a3b4c5', name: 'News', channel: 'email' }],
  catalogs: [
    {
      id: 'rest',
      name: 'restaurants',
      fields: [
        { name: 'id', type: 'string' },
        { name: 'Rating', type: 'number' },
      ],
    },
  ],
  segments: [
    {
      id: 'gold',
      name: 'Gold',
      audience: { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } },
    },
  ],
  credentials: [
    {
      id: 'files',
      name: 'files',
      user_name: 'easel',
      password: credentialPassword,
      origins: ['https://files.example'],
    },
  ],
  dkim_keys: [{ id: 'shop', name: 'shop.example', selector: 's1', private_key: privateKey }],
  canvases: [
    {
      id: 'first-order',
      name: 'First order',
      state: 'active',
      entry: { event: 'signed_up', again: 'always' },
      exit: { events: ['ordered'] },
      first: 'welcome',
      conversions: [{ name: 'Bought', on: { purchase: 'any' }, within: 'P3D' }],
      steps: [
        { id: 'welcome', type: 'message', message: email('Welcome, {{${first_name}}}'), next: 'wait' },
        { id: 'wait', type: 'delay', for: 'P3D', next: 'note' },
        { id: 'note', type: 'update_user', attributes: { reminded: true }, next: 'reminder' },
        { id: 'reminder', type: 'message', message: email('Your easel waits, {{${first_name}}}') },
      ],
    },
  ],
  campaigns: [
    {
      id: 'spring',
      name: 'Spring',
      state: 'active',
      entry: { by: ['api'] },
      messages: [{ id: 'only', name: 'Only', percent: 100, email: email('Spring, {{${first_name}}}') }],
    },
  ],
  teams: [],
})

const attributes = {
  ...{ text: 'Zoë 🎨', whole: 42, exact: -0.125, yes: true, no: false, when: '2024-02-29T12:30:00.123Z' },
  ...{ list: ['a', 'b', 'a'], numbers: [1, 2.5], object: { deep: { list: [{ a: 1 }, { b: [true, 'x'] }] } } },
}

/** Gives a new installation something of everything that it stores. Its clock is virtual. */
export async function fillRelease(ask: Ask): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const given = file(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
  await ask('POST', '/admin/apply', given)
  await ask('POST', '/content_blocks/create', {
    name: 'footer',
    content: '<p>The footer of {{${first_name}}}</p>',
    tags: ['t'],
  })
  const template = { template_name: 'Letter', subject: 'A letter', body: '<p>Dear {{${first_name}}}</p>' }
  await ask('POST', '/templates/email/create', template)
  const items = [
    { id: 'r1', Rating: 4.5 },
    { id: 'r2', Rating: -1 },
  ]
  await ask('POST', '/catalogs/restaurants/items', { items })
  const { now } = await ask('GET', '/admin/clock')
  await fillPeople(ask, now)
  // Ada and Bob wait at the step after the welcome; Bob leaves it.
  await ask('POST', '/admin/clock', { advance: 'PT5H' })
  const { now: later } = await ask('GET', '/admin/clock')
  await ask('POST', '/users/track', { events: [{ external_id: 'bob', name: 'ordered', time: later }] })
  const message = { email: { ...email('Sent, {{${first_name}}}') } }
  await ask('POST', '/messages/send', { external_user_ids: ['ada', 'nobody'], messages: message })
  await ask('POST', '/messages/schedule/create', {
    ...{ external_user_ids: ['cleo'], messages: { email: email('Scheduled, {{${first_name}}}') } },
    schedule: { time: new Date(Date.parse(later) + 2 * 86_400_000).toISOString() },
  })
  await ask('POST', '/admin/clock', { advance: 'PT1M' })
  await ask('POST', '/scim/v2/Users', {
    ...{ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'editor@shop.example', active: true },
    ...{
      department: 'marketing',
      name: { givenName: 'Edith', familyName: 'Tor' },
      emails: [{ value: 'editor@shop.example', primary: true }],
    },
  })
}

async function fillPeople(ask: Ask, now: string): Promise<void> {
  await ask('POST', '/users/track', {
    attributes: [
      {
        ...{
          external_id: 'ada',
          first_name: 'Ada',
          last_name: 'Lovelace',
          email: 'ada@shop.example',
          phone: '+33612345678',
        },
        ...{
          dob: '1990-01-02',
          country: 'FR',
          language: 'fr',
          gender: 'F',
          home_city: 'Paris',
          time_zone: 'Asia/Tokyo',
        },
        ...{
          current_location: { longitude: 2.5, latitude: 48 },
          email_subscribe: 'opted_in',
          plan: 'gold',
          ...attributes,
        },
      },
      { external_id: 'bob', first_name: 'Bob', email: 'bob@shop.example', plan: 'free' },
      { external_id: 'cleo', first_name: 'Cléo', email: 'cleo@shop.example', visits: { inc: 3 } },
      { user_alias: { alias_name: 'dora-1', alias_label: 'shop' }, _update_existing_only: false, plan: 'gold' },
      { external_id: 'gone', first_name: 'Gone' },
    ],
    events: [
      ...['ada', 'bob'].map((external_id) => ({ external_id, name: 'signed_up', time: now })),
      {
        external_id: 'ada',
        app_id: 'web',
        name: 'viewed',
        time: now,
        properties: { sku: 'e1', price: 9.5, tags: ['a'] },
      },
    ],
    purchases: [
      { external_id: 'ada', app_id: 'web', product_id: 'easel', currency: 'EUR', price: 99.5, quantity: 2, time: now },
      { external_id: 'cleo', product_id: 'brush', currency: 'USD', price: -7, time: now },
    ],
  })
  await fillIdentities(ask)
  await fillDevice(ask, now)
  await fillStates(ask)
  await ask('POST', '/admin/clock', { advance: 'PT1S' })
}

async function fillIdentities(ask: Ask): Promise<void> {
  const aliases = [{ external_id: 'ada', alias_name: 'ada-1', alias_label: 'shop' }]
  await ask('POST', '/users/alias/new', { user_aliases: aliases })
  await ask('POST', '/users/external_ids/rename', {
    external_id_renames: [{ current_external_id: 'cleo', new_external_id: 'cleopatra' }],
  })
  await ask('POST', '/users/external_ids/rename', {
    external_id_renames: [{ current_external_id: 'cleopatra', new_external_id: 'cleo' }],
  })
  await ask('POST', '/users/delete', { external_ids: ['gone'] })
  await ask('POST', '/users/merge', {
    merge_updates: [
      {
        identifier_to_keep: { external_id: 'cleo' },
        identifier_to_merge: { user_alias: { alias_name: 'dora-1', alias_label: 'shop' } },
      },
    ],
  })
}

async function fillDevice(ask: Ask, now: string): Promise<void> {
  const device_id = '11111111-2222-4333-8444-555555555555'
  const started = new Date(Date.parse(now) - 60_000).toISOString()
  const device = { device_id, model: 'one', os: 'two', carrier: 'three' }
  const sessions = [{ started_at: started, ended_at: now }]
  await ask('POST', '/sdk/data', { app_id: 'phone', app_version: '1.2', device, sessions, push_token: 'token-1' })
}

async function fillStates(ask: Ask): Promise<void> {
  await ask('POST', '/v2/subscription/status/set', {
    subscription_groups: [
      {
        subscription_group_id: '5f0c1d2e-3a4b-4c5d-8e6f-708192a3b4c5',
        subscription_state: 'subscribed',
        emails: ['ada@shop.example'],
      },
    ],
  })
  await ask('POST', '/email/status', { email: 'bob@shop.example', subscription_state: 'opted_in' })
  await ask('POST', '/admin/suppressions', { email: 'lost@shop.example', reason: 'hard_bounce' })
}

const fields = [
  ...['external_id', 'service_id', 'first_name', 'last_name', 'email', 'phone', 'dob', 'country', 'language', 'gender'],
  ...['home_city', 'time_zone', 'custom_attributes', 'custom_events', 'purchases', 'user_aliases', 'devices', 'apps'],
  ...['email_subscribe', 'random_bucket', 'created_at', 'push_tokens', 'total_revenue', 'canvases_received'],
]

/** Reads the people by all their identifiers. */
export async function describePeople(ask: Ask) {
  const found = await ask('POST', '/users/export/ids', {
    ...{ external_ids: ['ada', 'bob', 'cleo', 'gone'], device_id: '11111111-2222-4333-8444-555555555555' },
    fields_to_export: fields,
  })
  return { people: byExternalId(found.users), unknown: found.invalid_user_ids }
}

/** Reads what callers and administrators see of it. */
export async function describeRelease(ask: Ask) {
  const lists = ['apps', 'keys', 'subscription_groups', 'segments', 'credentials', 'dkim_keys', 'canvases', 'campaigns']
  const sections: Record<string, unknown> = {}
  for (const list of lists) sections[list] = (await ask('GET', `/admin/${list}`))[list]
  const { content_blocks } = await ask('GET', '/content_blocks/list')
  const { templates } = await ask('GET', '/templates/email/list')
  const { items } = await ask('GET', '/catalogs/restaurants/items')
  const until = encodeURIComponent('2200-01-01T00:00:00Z')
  const { scheduled_broadcasts } = await ask('GET', `/messages/scheduled_broadcasts?end_time=${until}`)
  const { Resources } = await ask('GET', '/scim/v2/Users')
  return {
    now: (await ask('GET', '/admin/clock')).now as string,
    ...(await describePeople(ask)),
    ...{ sections, items, scheduled_broadcasts },
    suppressions: (await ask('GET', '/admin/suppressions')).suppressions,
    settings: (await ask('GET', '/admin/settings')).set,
    blocks: content_blocks.map(({ name, content_block_id }: Answer) => ({ name, content_block_id })),
    templates: templates.map(({ template_name, email_template_id }: Answer) => ({ template_name, email_template_id })),
    gold: (await ask('GET', '/admin/segments/gold/count')).count,
    states: (await ask('GET', '/subscription/user/status?external_id=ada')).users,
    accounts: Resources.map(({ id, userName, active, name }: Answer) => ({ id, userName, active, name })),
    ...(await describeMessages(ask)),
  }
}

/** Reads what was sent and who waits, which changes as time passes. */
export async function describeMessages(ask: Ask) {
  const { messages } = await ask('GET', '/admin/inbox')
  const why = async (external_id: string) => {
    const { entries } = await ask('GET', `/admin/why?external_id=${external_id}&canvas_id=first-order`)
    return entries.map(({ ended, because, entered_at, at_step }: Answer) => ({ ended, because, entered_at, at_step }))
  }
  const { users } = await ask('POST', '/users/export/ids', {
    ...{ external_ids: ['ada', 'bob'], fields_to_export: ['external_id', 'custom_attributes'] },
  })
  return {
    inbox: messages.map(({ at, to, subject }: Answer) => ({ at, to, subject })),
    waiting: { ada: await why('ada'), bob: await why('bob') },
    reminded: byExternalId(users).map(({ custom_attributes }) => custom_attributes?.reminded ?? null),
  }
}

/** Lets the waiting person go on, and sends what is scheduled. Returns what is there afterwards. */
export async function goOn(ask: Ask) {
  await ask('POST', '/admin/clock', { advance: 'P3D' })
  const { dispatch_id: _, ...sent } = await ask('POST', '/campaigns/trigger/send', {
    ...{ campaign_id: 'spring', recipients: [{ external_user_id: 'cleo' }] },
  })
  await ask('POST', '/admin/clock', { advance: 'PT1M' })
  return { ...(await describeMessages(ask)), sent: sent.message }
}

function byExternalId(users: Answer[]): Answer[] {
  return users.sort((a, b) => String(a.external_id).localeCompare(String(b.external_id)))
}
