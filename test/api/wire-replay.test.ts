import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pastRetention } from '../../src/people/intake/schema.ts'
import { type Database, drawDatabases } from '../support/harness.ts'
import { type AnswerBody, ago, event, hourMs, newId, only, peopleOf, purchase } from '../support/people.ts'
import { expectedOfSent, noticesOfSent, refused } from './wire-answers.ts'
import { replayCatalogs } from './wire-catalogs.ts'
import { replayDescribed } from './wire-described.ts'
import { replayFlows } from './wire-flows.ts'
import { replayMessages } from './wire-messages.ts'
import { replayOthers } from './wire-others.ts'
import { replayScim } from './wire-scim.ts'

type Sent = {
  readonly method: string
  readonly path: string
  readonly body: object
  readonly real_status: number | null
}

type Recorded = {
  readonly method: string
  readonly path: string
  readonly request: object | null
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly response: AnswerBody
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '../wire', file), 'utf8'))
const ours: readonly string[] = [
  '/users/track',
  '/users/export/ids',
  '/users/export/segment',
  '/users/merge',
  '/users/delete',
  '/users/identify',
  '/users/alias/new',
  '/users/alias/update',
  '/users/external_ids/rename',
  '/users/external_ids/remove',
]
const isOurs = ({ path }: { path: string }) => ours.includes(path)

/** Track and export requests of existing clients, with their index in the file. */
const sent = [...(read('requests.json') as Sent[]).entries()].filter(([, each]) => isOurs(each))
/** Answers of a real service to such requests, with their index in the file. */
const recorded = [...(read('recorded-responses.json') as Recorded[]).entries()].filter(([, each]) => isOurs(each))

/** `index in the file, the difference, the rule that allows it`. A missing line and an unnecessary line both fail. */
const deviationsOfSent: readonly [index: number, difference: string, rule: string][] = [
  [192, 'status 400 for 201', 'design 8: export requires fields_to_export'],
  [193, 'status 400 for 201', 'design 8: export requires fields_to_export'],
  [196, 'status 400 for 201', 'design 8: export requires fields_to_export'],
  [197, 'status 400 for 201', 'design 8: export requires fields_to_export'],
]

const deviationsOfRecorded: readonly [index: number, difference: string, rule: string][] = [
  [3, 'notices is more', 'docs/api-decisions.md: what had no effect is named'],
  [4, 'notices is more', 'docs/api-decisions.md: what had no effect is named'],
  [38, 'notices is more', 'docs/api-decisions.md: what had no effect is named'],
  [2, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [5, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [22, 'users[0].campaigns_received is absent', 'design 8: absent when empty; this person has received none'],
  [28, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [31, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [39, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [65, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [73, 'object_prefix is more', 'contract 10.1: an export is named; this answer is of 2015'],
  [74, 'invalid_user_ids is absent', 'contract 4.5: left out when empty'],
  [74, 'users[0].apps is absent', 'design 8: absent when empty'],
  [74, 'users[0].created_at is more', 'design 8: present even when empty'],
  [74, 'users[0].email_opted_in_at is more', 'contract 2.3: comes along with email_subscribe'],
  [74, 'users[0].purchases[].name is string for null', 'contract 2.3: purchases[].name is the product_id'],
  [74, 'users[0].random_bucket is more', 'design 8: present even when empty'],
  [74, 'users[0].service_id is more', 'design 8: present even when empty'],
  [74, 'users[0].user_aliases is more', 'design 8: present even when empty'],
  [75, ' is object for string', 'contract 0: an answer is JSON; what was printed is not'],
  [77, 'message is another text', 'contract 5: the prefix is `Invalid API key`'],
  [87, 'message is another text', 'contract 5: the prefix is `Invalid API key`'],
]

/** Returns the texts of an answer that the recorded one does not have. */
function wordDifferences(wanted: AnswerBody, got: AnswerBody): string[] {
  const keys = new Set([...Object.keys(wanted), ...Object.keys(got)]) as Set<keyof AnswerBody>
  return [...keys].flatMap((key) => {
    if (!(key in got)) return [`${key} is absent`]
    if (!(key in wanted)) return [`${key} is more`]
    if (JSON.stringify(sorted(wanted[key])) === JSON.stringify(sorted(got[key]))) return []
    return [key === 'message' ? 'message is another text' : `${key} is ${JSON.stringify(got[key])}`]
  })
}

/** Returns an answer without the notices about events that are older than the retention: the requests are of many years. */
function withoutAges({ notices, ...answer }: AnswerBody): AnswerBody {
  const others = notices?.filter(({ reason }) => reason !== pastRetention) ?? []
  return { ...answer, ...(others.length > 0 && { notices: others }) }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

/** Returns members and types that differ. All entries of a list are compared with the first recorded one. */
function shapeDifferences(wanted: unknown, got: unknown, path = ''): string[] {
  if (path === 'message') return wanted === got ? [] : ['message is another text']
  if (typeOf(wanted) !== typeOf(got)) return [`${path} is ${typeOf(got)} for ${typeOf(wanted)}`]
  if (Array.isArray(wanted) && Array.isArray(got)) {
    if (wanted.length === 0) return []
    const inside = path === 'users' ? 'users[0]' : `${path}[]`
    return [...new Set(got.flatMap((each) => shapeDifferences(wanted[0], each, inside)))]
  }
  if (typeOf(wanted) !== 'object') return []
  const [before, after] = [wanted, got] as [Record<string, unknown>, Record<string, unknown>]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const inner = path === '' ? key : `${path}.${key}`
    if (!(key in after)) return [`${inner} is absent`]
    if (!(key in before)) return [`${inner} is more`]
    return shapeDifferences(before[key], after[key], inner)
  })
}

function assertDeviations(found: readonly string[], listed: readonly [number, string, string][]): void {
  const lines = listed.map(([index, difference]) => `${index} ${difference}`)
  const unlisted = found.filter((line) => !lines.includes(line))
  const stale = lines.filter((line) => !found.includes(line))
  assert.deepEqual({ unlisted, stale }, { unlisted: [], stale: [] })
}

function replaySent(database: Database): void {
  describe(`requests of existing clients (${database})`, () => {
    const people = peopleOf(database, { workspace: {} })

    test('every request has an expected answer', () => {
      assert.deepEqual(
        Object.keys(expectedOfSent).map(Number),
        sent.map(([index]) => index),
      )
    })

    test('all are answered as the contract says, in their order', async () => {
      const found: string[] = []
      const noticed: string[] = []
      for (const [index, { method, path, body, real_status }] of sent) {
        assert.equal(method, 'POST')
        const { status, headers, body: answer, text } = await people.send(path, body)
        const expected = expectedOfSent[index]
        assert.equal(status, expected?.status, `${index}: ${text}`)
        assert.equal(headers['content-type'], 'application/json')
        const wanted = { ...(expected === refused ? answer : {}), ...expected?.body }
        const { notices = [], ...contract } = withoutAges(answer)
        noticed.push(...notices.map((notice) => `${index} ${notice.input_array}[${notice.index}].${notice.member}`))
        assert.deepEqual(contract, wanted, `${index}: ${text}`)
        if (status === 400) assert.notEqual(answer.message, 'success')
        if (status === 400 && path === '/users/track') assert.ok(Array.isArray(answer.errors), `${index}: ${text}`)
        if (real_status !== null && real_status !== status) found.push(`${index} status ${status} for ${real_status}`)
      }
      assertDeviations(found, deviationsOfSent)
      assert.deepEqual(noticed, noticesOfSent)
    })

    test('their data is stored', async () => {
      const person = async (external_id: string) =>
        people.person(external_id, ['first_name', 'email', 'custom_attributes', 'last_coordinates', 'phone', 'country'])
      assert.deepEqual(await person('u1'), { first_name: 'N', custom_attributes: { n: 47, arr: ['x'] } })
      assert.deepEqual(await person('jon.doe'), {
        custom_attributes: {},
        country: 'US',
        last_coordinates: [-122.4124, 37.443604],
      })
      const { custom_attributes, ...rest } = await person('snow123')
      assert.deepEqual(rest, { email: 'foo@example.com', phone: '+15551234567' })
      assert.deepEqual(Object.keys(custom_attributes ?? {}), ['address'])
      const nobody = {
        user_aliases: [{ alias_name: 'fd0e5288-e89b-45df-aad5-6d0c6eda6198', alias_label: 'media-test' }],
      }
      assert.deepEqual(await people.find(nobody), [])
      const made = { user_aliases: [{ alias_name: 'someAliasName', alias_label: 'someAliasLabel' }] }
      assert.deepEqual(only(await people.find(made)).custom_attributes, { user_data: { email_address: 'foo@test.io' } })
    })
  })
}

/** The one request that was not published with its answer, rebuilt from that answer. */
const unpublished = {
  attributes: [
    { external_id: newId() },
    { external_id: newId(), email_subscribe: 'yes' },
    { external_id: newId() },
    { external_id: newId(), push_subscribe: 'yes' },
    { external_id: newId(), user_alias: { alias_name: 'a', alias_label: 'b' } },
  ],
}

type Rehearsed = {
  readonly segment_id?: string | undefined
  readonly callback_endpoint?: string | null

  readonly external_id_renames?: readonly { current_external_id: string; new_external_id: string }[]
  readonly external_ids?: readonly string[]
}

/** Restores the segment id of a request, which one recording lacks, and removes its callback, which must not be called. */
function exportable(request: Rehearsed | null): Rehearsed {
  return { ...request, segment_id: request?.segment_id?.replaceAll(/[<>]/g, ''), callback_endpoint: null }
}

function replayRecorded(database: Database): void {
  describe(`recorded answers of a real service (${database})`, () => {
    const people = peopleOf(database, { workspace: { settings: { export_all_fields: true } } })

    /** Creates the people of the recorded answers, as far as track requests can. */
    const prepare = async () => {
      for (const [, { path, response }] of recorded) {
        for (const user of path === '/users/export/ids' ? (response.users ?? []) : []) {
          const { external_id, first_name, last_name, email, email_subscribe, custom_attributes } = user
          await people.set({ external_id, first_name, last_name, email, email_subscribe, ...custom_attributes })
          for (const { name } of user.custom_events ?? [])
            await people.happen(event({ external_id }, { name, time: ago(hourMs) }))
          if (user.purchases) await people.buy(purchase({ external_id }))
        }
      }
    }

    /** Creates the people whose ids a recorded request renames or removes, and the segments that it exports. */
    const rehearse = async (path: string, request: Rehearsed | null) => {
      if (path === '/users/external_ids/rename') {
        for (const { current_external_id, new_external_id } of request?.external_id_renames ?? []) {
          await people.delete({ external_ids: [new_external_id] })
          await people.set({ external_id: current_external_id, plan: 'free' })
        }
      }
      if (path === '/users/export/segment') {
        const audience = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'exists' } }
        const { segment_id: id } = exportable(request)
        await people.service.admin('POST', '/admin/segments', { id, name: newId('segment'), audience })
      }
      if (path === '/users/external_ids/remove') {
        for (const current_external_id of request?.external_ids ?? []) {
          await people.set({ external_id: current_external_id, plan: 'free' })
          const external_id_renames = [{ current_external_id, new_external_id: newId() }]
          await people.send('/users/external_ids/rename', { external_id_renames })
        }
      }
    }

    test('are given by Easel too, except for the listed deviations', async () => {
      await prepare()
      const found: string[] = []
      for (const [index, { method, path, request, status, headers, response }] of recorded) {
        assert.equal(method, 'POST')
        if (status === 201) await rehearse(path, request as Rehearsed | null)
        const key: Record<string, string> = status === 401 ? { authorization: 'Bearer non-existent' } : {}
        const body = path === '/users/export/segment' ? exportable(request) : (request ?? unpublished)
        const answer = await people.send(path, body, key)
        const bySense = path.startsWith('/users/export/') || typeof response === 'string'
        const differences = bySense ? shapeDifferences : wordDifferences
        if (answer.status !== status) found.push(`${index} status ${answer.status} for ${status}`)
        found.push(...differences(response, withoutAges(answer.body)).map((difference) => `${index} ${difference}`))
        if (headers['Content-Type']) assert.equal(answer.headers['content-type'], headers['Content-Type'])
        if (status === 401) assert.match(answer.body.message, /^Invalid API key/)
      }
      assertDeviations(found, deviationsOfRecorded)
    })
  })
}

/** Paths of clients that Easel does not serve; the answer says so. */
function replayUnknown(): void {
  describe('requests for paths that are not served', () => {
    const people = peopleOf('pglite')

    test('are answered 404 in JSON', async () => {
      const { body } = await people.service.get('/openapi.json')
      const served = Object.keys(body.paths).map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
      const unknown = (read('requests.json') as Sent[]).filter(
        ({ path }) => !served.some((pattern) => pattern.test(path.split('?')[0]!)),
      )
      for (const { method, path, body } of unknown) {
        const sent = method === 'GET' ? undefined : (body ?? {})
        const answer = await people.service.send(method, path.replaceAll(/[{}]/g, ''), sent)
        assert.equal(answer.status, 404, `${method} ${path}`)
        assert.match(answer.body.message, /^Not found\. /)
      }
    })
  })
}

replayUnknown()
for (const database of drawDatabases('wire-replay')) {
  replaySent(database)
  replayRecorded(database)
  replayCatalogs(database)
  replayMessages(database)
  replayFlows(database)
  replayScim(database)
  replayOthers(database)
  replayDescribed(database)
}
