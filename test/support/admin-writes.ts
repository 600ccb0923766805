import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { Account } from '../../src/accounts/accounts/account.ts'
import { sql } from '../../src/base/db/sql.ts'
import { makeAccount, signIn } from './accounts.ts'
import { makeCohort } from './cohorts.ts'
import { readFeed } from './feed.ts'
import { scimToken as providerToken, requestOrigin } from './harness.ts'
import type { Answer } from './http-requests.ts'
import type { Mailed } from './mailed-people.ts'
import { audience, mail } from './messages.ts'
import { apps, type Item, newId } from './people.ts'
import { askedPath, askingGroup, formPath, makeForm } from './sign-up-writes.ts'
import { campaign, canvas } from './triggers.ts'

/** Prepares the data that a write needs, and writes. */
export type Write = (people: Mailed) => Promise<Answer>

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const hourMs = 3_600_000
const password = 'a-password-of-the-tests'
const { privateKey } = generateKeyPairSync('ed25519')
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Texts that are sent with writes and must not be stored in plain text anywhere. */
export const secrets: readonly string[] = [password, private_key.split('\n')[1]!]

type Lists = { readonly [path: string]: { readonly given: () => Item; readonly change?: Item } }

/** An entry for every config section, and the change that is made to it; no change where none is possible. */
const lists: Lists = {
  apps: { given: () => ({ name: newId('app'), platform: 'web' }), change: { platform: 'ios' } },
  keys: { given: () => ({ name: newId('key'), permissions: ['users.track'] }) },
  subscription_groups: {
    given: () => ({ name: newId('group'), channel: 'email' }),
    change: { name: newId('renamed') },
  },
  catalogs: {
    given: () => ({ name: newId('catalog'), fields: [{ name: 'id', type: 'string' }] }),
    change: { description: 'Other' },
  },
  segments: { given: () => ({ name: newId('segment'), audience }), change: { description: 'Other' } },
  content_blocks: { given: () => ({ name: newId('block'), content: 'Hello' }), change: { content: 'Bye' } },
  email_templates: {
    given: () => ({ name: newId('template'), subject: 'Hello', body: '<p>Hello</p>' }),
    change: { subject: 'Bye' },
  },
  credentials: {
    given: () => ({ name: newId('credential'), user_name: 'easel', password, origins: ['https://files.example'] }),
    change: { password: `${password}-other` },
  },
  dkim_keys: {
    given: () => ({ name: `${newId('dkim')}.example`, selector: 'easel1', private_key }),
    change: { selector: 'easel2' },
  },
  webhooks: {
    given: () => ({ name: newId('webhook'), url: 'https://crm.example.com/easel', state: 'paused' }),
    change: { event_types: ['message.sent'] },
  },
  canvases: { given: () => canvas(newId('canvas')), change: { description: 'Other' } },
  campaigns: { given: () => campaign(newId('campaign')), change: { description: 'Other' } },
  teams: { given: () => ({ name: newId('team') }), change: { name: newId('renamed') } },
  roles: { given: () => ({ name: newId('role'), permissions: [] }), change: { permissions: ['basic_access'] } },
  permission_sets: {
    given: () => ({ name: newId('set'), permissions: [] }),
    change: { permissions: ['basic_access'] },
  },
}

/** Every write route under `/admin/` and `/scim/`, by method and path as `/openapi.json` has them. */
export const writes: Readonly<Record<string, Write>> = {
  ...Object.fromEntries(Object.keys(lists).flatMap(ofList)),
  'POST /admin/apply': (people) => ask(people, 'POST', '/admin/apply', { apps: [{ name: newId(), platform: 'web' }] }),
  'POST /admin/clock': (people) => ask(people, 'POST', '/admin/clock', { advance: 'PT1S' }),
  'POST /admin/workspace': (people) => ask(people, 'POST', '/admin/workspace', { name: newId('workspace') }),
  'PATCH /admin/workspace': (people) => ask(people, 'PATCH', '/admin/workspace', { name: newId('renamed') }),
  'PATCH /admin/settings': (people) => ask(people, 'PATCH', '/admin/settings', { time_zone: 'Europe/Paris' }),
  'DELETE /admin/settings/{name}': async (people) => {
    await people.service.admin('PATCH', '/admin/settings', { regex_characters_max: 77 })
    return ask(people, 'DELETE', '/admin/settings/regex_characters_max')
  },
  'POST /admin/people': (people) => ask(people, 'POST', '/admin/people', { lines: [] }),
  'POST /admin/people/{id}/track': async (people) =>
    ask(people, 'POST', `/admin/people/${await personId(people)}/track`, { attributes: { plan: 'gold' } }),
  'POST /admin/people/merge': async (people) => {
    const [keep, merge] = [await personId(people), await personId(people)]
    return ask(people, 'POST', '/admin/people/merge', { keep, merge })
  },
  'POST /admin/sign_up_forms': async (people) => makeForm(people, await askingGroup(people)),
  'PATCH /admin/sign_up_forms/{id}': async (people) =>
    ask(people, 'PATCH', await formPath(people), { state: 'paused' }),
  'DELETE /admin/sign_up_forms/{id}': async (people) => ask(people, 'DELETE', await formPath(people)),
  'POST /admin/people/{id}/confirmations/{group}/resend': async (people) =>
    ask(people, 'POST', `${await askedPath(people)}/resend`),
  'DELETE /admin/people/{id}/confirmations/{group}': async (people) => ask(people, 'DELETE', await askedPath(people)),
  'DELETE /admin/people/{id}': async (people) => ask(people, 'DELETE', `/admin/people/${await personId(people)}`),
  'POST /admin/work/{request_id}/{position}/retry': async (people) => {
    const [gone, kept] = [newId('gone'), newId('kept')]
    const { request_id, position } = await people.merge({ external_id: gone }, { external_id: kept })
    return ask(people, 'POST', `/admin/work/${request_id}/${position}/retry`)
  },
  'DELETE /admin/cohorts/{partner}/{cohort_id}': async (people) => {
    const cohort_id = newId('cohort')
    await makeCohort(people, cohort_id)
    return ask(people, 'DELETE', `/admin/cohorts/acme/${cohort_id}`)
  },
  'POST /admin/suppressions': (people) =>
    ask(people, 'POST', '/admin/suppressions', { email: `${newId()}@example.com` }),
  'DELETE /admin/suppressions': async (people) => {
    const email = `${newId()}@example.com`
    await people.service.admin('POST', '/admin/suppressions', { email })
    return ask(people, 'DELETE', '/admin/suppressions', { email })
  },
  'POST /scim/v2/Users': (people) => askScim(people, 'POST', '/scim/v2/Users', user()),
  'PUT /scim/v2/Users/{id}': async (people) => {
    const { userName: _, ...changed } = user()
    return askScim(people, 'PUT', await scimUser(people), { ...changed, department: 'marketing' })
  },
  'PATCH /scim/v2/Users/{id}': async (people) => {
    const Operations = [{ op: 'replace', value: { active: false } }]
    return askScim(people, 'PATCH', await scimUser(people), { schemas: [patchSchema], Operations })
  },
  'DELETE /scim/v2/Users/{id}': async (people) => askScim(people, 'DELETE', await scimUser(people)),
  'POST /scim/v2/Groups': (people) => askScim(people, 'POST', '/scim/v2/Groups', group()),
  'PUT /scim/v2/Groups/{id}': async (people) => askScim(people, 'PUT', await scimGroup(people), group()),
  'PATCH /scim/v2/Groups/{id}': async (people) => {
    const Operations = [{ op: 'replace', value: { displayName: newId('group') } }]
    return askScim(people, 'PATCH', await scimGroup(people), { schemas: [patchSchema], Operations })
  },
  'DELETE /scim/v2/Groups/{id}': async (people) => askScim(people, 'DELETE', await scimGroup(people)),
  'POST /admin/scim/tokens': (people) => ask(people, 'POST', '/admin/scim/tokens', { name: newId('provider') }),
  'POST /admin/scim/tokens/{id}/rotate': async (people) =>
    ask(people, 'POST', `/admin/scim/tokens/${await scimToken(people)}/rotate`),
  'DELETE /admin/scim/tokens/{id}': async (people) =>
    ask(people, 'DELETE', `/admin/scim/tokens/${await scimToken(people)}`),
  'POST /admin/accounts': (people) =>
    ask(people, 'POST', '/admin/accounts', {
      ...{ user_name: `${newId('user')}@example.com`, given_name: 'Ada' },
      send_link: false,
    }),
  'PATCH /admin/accounts/{id}': async (people) =>
    ask(people, 'PATCH', `/admin/accounts/${(await signedIn(people)).account_id}`, { given_name: newId('Ada') }),
  'DELETE /admin/accounts/{id}': async (people) =>
    ask(people, 'DELETE', `/admin/accounts/${(await signedIn(people)).account_id}`),
  'POST /admin/accounts/{id}/link': async (people) =>
    ask(people, 'POST', `/admin/accounts/${(await signedIn(people)).account_id}/link`),
  'DELETE /admin/sessions': async (people) => {
    const { user_name } = await signedIn(people)
    return ask(people, 'DELETE', `/admin/sessions?user_name=${user_name}`)
  },
  'DELETE /admin/sessions/{id}': async (people) => {
    const { user_name } = await signedIn(people)
    const { body } = await ask(people, 'GET', `/admin/sessions?user_name=${user_name}`)
    return ask(people, 'DELETE', `/admin/sessions/${body.sessions[0].id}`)
  },
  'DELETE /admin/identities': async (people) => {
    const { user_name } = await signedIn(people)
    return ask(people, 'DELETE', `/admin/identities?user_name=${user_name}`)
  },
  'PATCH /admin/catalogs/{id}/items': async (people) => {
    const items = [{ id: 'a', action: 'create', fields: { plan: 'gold' } }]
    return ask(people, 'PATCH', `${await catalogPath(people)}/items`, { items })
  },
  'POST /admin/catalogs/{id}/import': async (people) =>
    ask(people, 'POST', `${await catalogPath(people)}/import`, { csv: 'id,plan\na,gold\n' }),
  'DELETE /admin/catalogs/{id}/fields/{field_name}': async (people) =>
    ask(people, 'DELETE', `${await catalogPath(people)}/fields/plan`),
  'POST /admin/catalogs/{id}/selections': async (people) =>
    ask(people, 'POST', `${await catalogPath(people)}/selections`, { selection }),
  'DELETE /admin/catalogs/{id}/selections/{selection_name}': async (people) => {
    const path = await catalogPath(people)
    await ask(people, 'POST', `${path}/selections`, { selection })
    return ask(people, 'DELETE', `${path}/selections/${selection.name}`)
  },
  ...Object.fromEntries(
    Object.entries({ resume: {}, rotate: {}, test: {}, replay: { from: '2026-01-01T00:00:00Z' } }).map(
      ([verb, body]) => [`POST /admin/webhooks/{id}/${verb}`, (people: Mailed) => actOnWebhook(people, verb, body)],
    ),
  ),
  'DELETE /admin/inbox': (people) => ask(people, 'DELETE', '/admin/inbox'),
  ...ofFlow('canvases', canvas),
  ...ofFlow('campaigns', campaign),
  'POST /admin/dispatches/{dispatch_id}/pause': async (people) => act(people, await schedule(people), 'pause'),
  'POST /admin/dispatches/{dispatch_id}/resume': async (people) => {
    const dispatch_id = await schedule(people)
    await act(people, dispatch_id, 'pause')
    return act(people, dispatch_id, 'resume')
  },
  'POST /admin/dispatches/{dispatch_id}/cancel': async (people) => act(people, await schedule(people), 'cancel'),
  'POST /admin/dispatches/{dispatch_id}/send-missed': sendMissed,
  'POST /admin/messages/{message_id}/resend': async (people) =>
    ask(people, 'POST', `/admin/messages/${await uncertainId(people)}/resend`),
  'POST /admin/messages/{message_id}/leave': async (people) =>
    ask(people, 'POST', `/admin/messages/${await uncertainId(people)}/leave`),
}

const selection = { name: 'golden', filters: [{ field: 'plan', operator: 'equals', value: 'gold' }] }

/** Makes a webhook to which nothing is sent, and acts on it when the feed has an event. */
async function actOnWebhook(people: Mailed, verb: string, body: Item): Promise<Answer> {
  const given = { name: newId('webhook'), url: 'https://127.0.0.1/', state: 'paused' }
  const made = await ask(people, 'POST', '/admin/webhooks', given)
  await people.set({ external_id: newId() })
  await readFeed(people.service, (lines) => lines.length > 0)
  return ask(people, 'POST', `/admin/webhooks/${made.body.webhook.id}/${verb}`, body)
}

/** Makes a catalog with a field. Returns its path. */
async function catalogPath(people: Mailed): Promise<string> {
  const fields = ['id', 'plan'].map((name) => ({ name, type: 'string' }))
  const { body } = await ask(people, 'POST', '/admin/catalogs', { name: newId('catalog'), fields })
  return `/admin/catalogs/${body.catalog.id}`
}

async function uncertainId(people: Mailed): Promise<string> {
  const external_id = newId('uncertain')
  await people.set({ external_id, email: `${external_id}@example.com` })
  return (await people.write(external_id, { state: 'uncertain' })).message_id
}

async function signedIn({ db, service }: Mailed): Promise<Account> {
  const { account } = await signIn(service, db, await makeAccount(db))
  return account
}

/** Makes a person. Returns their id. */
async function personId(people: Mailed): Promise<string> {
  const external_id = newId()
  await people.set({ external_id })
  return (await people.service.admin('GET', `/admin/people/search?q=${external_id}`)).body.people[0].id
}

/** Writes whose audit rows are looked at in their own tests: a worker would be faster than this one, or they take long. */
export const writesElsewhere: readonly string[] = [
  'POST /admin/work/{request_id}/{position}/discard',
  'POST /admin/demo',
  // It needs a database on disk.
  'POST /admin/backups',
  'POST /admin/segments/{id}/export',
  // Files need a public address of the service.
  'POST /admin/media',
  // The token has no address to send a test to.
  'POST /admin/preview/send',
]

/** Routes that take a body and write nothing. */
export const questions: readonly string[] = [
  'POST /admin/render',
  'POST /admin/preview',
  'POST /admin/dkim_keys/{id}/check',
  ...['check', 'count', 'sample', 'why'].map((verb) => `POST /admin/audience/${verb}`),
  ...['POST /scim/v2/.search', 'POST /scim/v2/Users/.search', 'POST /scim/v2/Groups/.search', 'POST /scim/v2/Bulk'],
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /scim/v2/Me`),
  ...['canvases', 'campaigns'].flatMap((path) => [
    `POST /admin/${path}/{id}/dry_run`,
    `POST /admin/${path}/{id}/impact`,
    `POST /admin/${path}/check`,
  ]),
]

function ask({ service }: Mailed, method: string, path: string, body?: unknown): Promise<Answer> {
  return service.send(method, path, body, { key: service.adminToken })
}

function askScim({ service }: Mailed, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { 'x-request-origin': requestOrigin }
  return service.send(method, path, body, { key: providerToken, headers })
}

/** A user in the form of an identity provider. */
function user() {
  const name = { givenName: 'Ada', familyName: 'Lovelace' }
  return {
    schemas: [userSchema],
    userName: `${newId('user')}@example.com`,
    name,
    department: 'finance',
    permissions: {},
  }
}

async function scimUser(people: Mailed): Promise<string> {
  const { status, text, body } = await askScim(people, 'POST', '/scim/v2/Users', user())
  assert.equal(status, 201, text)
  return `/scim/v2/Users/${body.id}`
}

function group() {
  return { schemas: [groupSchema], displayName: newId('group') }
}

async function scimGroup(people: Mailed): Promise<string> {
  const { status, text, body } = await askScim(people, 'POST', '/scim/v2/Groups', group())
  assert.equal(status, 201, text)
  return `/scim/v2/Groups/${body.id}`
}

function ofList(path: string): [string, Write][] {
  const { given, change } = lists[path]!
  const create: Write = (people) => ask(people, 'POST', `/admin/${path}`, given())
  const made = async (people: Mailed) => {
    const { status, text, body } = await create(people)
    assert.equal(status, 201, text)
    const [entry] = Object.values<{ id: string }>(body)
    return `/admin/${path}/${entry!.id}`
  }
  return [
    [`POST /admin/${path}`, create],
    [`DELETE /admin/${path}/{id}`, async (people) => ask(people, 'DELETE', await made(people))],
    ...(change === undefined
      ? []
      : [
          [`PATCH /admin/${path}/{id}`, async (people) => ask(people, 'PATCH', await made(people), change)] as [
            string,
            Write,
          ],
        ]),
  ]
}

function ofFlow(path: string, given: (id: string) => Item): Readonly<Record<string, Write>> {
  const after =
    (before: readonly string[], verb: string): Write =>
    async (people) => {
      const id = newId('flow')
      await people.service.admin('POST', `/admin/${path}`, given(id))
      for (const each of before) await people.service.admin('POST', `/admin/${path}/${id}/${each}`)
      return ask(people, 'POST', `/admin/${path}/${id}/${verb}`)
    }
  const draft = (people: Mailed, id: string) => {
    return ask(people, 'PUT', `/admin/${path}/${id}/draft`, { definition: given(id) })
  }
  return {
    [`POST /admin/${path}/{id}/pause`]: after([], 'pause'),
    [`POST /admin/${path}/{id}/resume`]: after(['pause'], 'resume'),
    [`POST /admin/${path}/{id}/stop`]: after([], 'stop'),
    [`PUT /admin/${path}/{id}/draft`]: (people) => draft(people, newId('drafted')),
    [`DELETE /admin/${path}/{id}/draft`]: async (people) => {
      const id = newId('drafted')
      await draft(people, id)
      return ask(people, 'DELETE', `/admin/${path}/${id}/draft`)
    },
    [`POST /admin/${path}/{id}/send`]: async (people) => {
      const id = newId('flow')
      await people.service.admin('POST', `/admin/${path}`, given(id))
      return ask(people, 'POST', `/admin/${path}/${id}/send`, { schedule: { time: '2100-01-01T00:00:00Z' } })
    },
  }
}

async function scimToken({ service }: Mailed): Promise<string> {
  return (await service.admin('POST', '/admin/scim/tokens', { name: newId('provider') })).body.token.id
}

async function nowMs({ service }: Mailed): Promise<number> {
  return Date.parse((await service.admin('GET', '/admin/clock')).body.now)
}

/** An order that is due later. */
async function schedule(people: Mailed): Promise<string> {
  const external_id = newId('scheduled')
  await people.set({ external_id, email: `${external_id}@example.com` })
  const time = new Date((await nowMs(people)) + hourMs).toISOString()
  const asked = {
    messages: { email: mail({ app_id: apps.phone.id }) },
    schedule: { time },
    external_user_ids: [external_id],
  }
  const { status, text, body } = await people.service.post('/messages/schedule/create', asked)
  assert.equal(status, 201, text)
  return body.dispatch_id
}

function act(people: Mailed, dispatch_id: string, verb: string): Promise<Answer> {
  return ask(people, 'POST', `/admin/dispatches/${dispatch_id}/${verb}`)
}

async function sendMissed(people: Mailed): Promise<Answer> {
  const dispatch_id = await schedule(people)
  const past = (hours: number) => sql`now() - ${hours}::int4 * interval '1 hour'`
  await people.db.query(sql`update dispatch set created_at = ${past(20)} where dispatch_id = ${dispatch_id}::uuid`)
  await people.db.query(sql`update dispatch_slot set due_at = ${past(8)} where dispatch_id = ${dispatch_id}::uuid`)
  await people.service.advance('PT1S')
  return act(people, dispatch_id, 'send-missed')
}
