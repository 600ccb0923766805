import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Database, drawDatabases } from '../support/harness.ts'
import { type NoticeEntry, peopleOf, texts } from '../support/people.ts'

type Body = Readonly<Record<string, unknown>>
type Sent = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: Body | null
  readonly real_status: number | null
}
type Recorded = Pick<Sent, 'method' | 'path'> & {
  readonly request: Body | null
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly response: Body
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '../wire', file), 'utf8'))
const isOurs = ({ path }: { path: string }) => /^(\/v2)?\/subscription\/|^\/email\//.test(path)

/** The requests of existing clients, with their index in the file. */
const sent = [...(read('requests.json') as Sent[]).entries()].filter(([, each]) => isOurs(each))
/** Answers of a real service to such requests, with their index in the file. */
const recorded = [...(read('recorded-responses.json') as Recorded[]).entries()].filter(([, each]) => isOurs(each))

/** `index in the file, the difference, the rule that allows it`. A missing line and an unnecessary line both fail. */
const deviationsOfSent: readonly [index: number, difference: string, rule: string][] = [
  [70, 'status 201 for 400', 'contract 3: an address nobody has is taken; this answer is of 2015, 68 is newer'],
]
const deviationsOfRecorded: readonly [index: number, difference: string, rule: string][] = [
  [25, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [69, 'status 201 for 400', 'contract 3: an address nobody has is taken; this answer is of 2015, 17 is newer'],
  [70, 'status 201 for 400', 'contract 3: an address nobody has is taken; this answer is of 2015, 17 is newer'],
]

const testGroup = { id: 'ed06e19a-69b1-4f9b-a452-2db2c4e303a8', name: 'test-subscription-group', channel: 'email' }

type Expected = { readonly status: number; readonly body: Body }
type Channel = 'email' | 'sms'

const taken: Expected = { status: 201, body: { message: 'success' } }

const placeOf = ({ input_array, index, member }: NoticeEntry) => `${input_array}[${index}].${member}`

/** Returns what notices name beside the answer of the contract: nobody has the ids of these requests, and there is no double opt-in. */
function withoutEffect(path: string, body: Body): string[] {
  if (!path.endsWith('/subscription/status/set')) return []
  const items = path.startsWith('/v2') ? (body.subscription_groups as readonly Body[]) : [body]
  const doubled = items.flatMap(({ use_double_opt_in_logic }, i) =>
    use_double_opt_in_logic === true ? [`subscription_groups[${i}].use_double_opt_in_logic`] : [],
  )
  const people = items.flatMap((item, i) =>
    ['external_id', 'external_ids'].flatMap((list) =>
      [item[list] ?? []]
        .flat()
        .map(
          (_, index) => `${path.startsWith('/v2') ? `subscription_groups[${i}].` : ''}${list}[${index}].external_id`,
        ),
    ),
  )
  return [...doubled, ...people]
}

const unknownGroup = refused('Invalid subscription group ID')
const nobody: Expected = { status: 200, body: { users: [], total_count: 0, message: 'success' } }
const none: Expected = { status: 200, body: { emails: [], message: 'success' } }

function refused(message: string): Expected {
  return { status: 400, body: { message } }
}

/** Returns the answer to two texts that are not addresses. */
function refusedEmails(input_array: string, message = texts.badEmail): Expected {
  const errors = [0, 1].map((index) => ({ type: texts.badEmail, input_array, index }))
  return { status: 400, body: { message, details: errors } }
}

function unknown(...ids: string[]): Expected {
  const status = Object.fromEntries(ids.map((id) => [id, 'unknown']))
  return { status: 200, body: { status, message: 'success' } }
}

const emails = 'subscription_groups[0].emails'
/** As JSON. */
const hidden = '"[email protected]"'

/** Returns the answer to a request about a group of an example, when that group is of this channel. */
function expectedOfSent(channel: Channel): Readonly<Record<number, Expected>> {
  const byEmail = (expected: Expected) =>
    channel === 'email' ? expected : refused('An SMS subscription group takes external_id or phone only')
  const byPhone = (expected: Expected) =>
    channel === 'sms' ? expected : refused('An email subscription group takes external_id or email only')
  return {
    59: refusedEmails('email'), // no address at all
    60: refusedEmails('email'),
    61: taken,
    62: none,
    63: none,
    64: taken,
    65: taken,
    66: taken,
    67: taken,
    68: taken, // an unknown address
    69: taken,
    70: taken,
    71: taken,
    72: none,
    73: none,
    74: none,
    128: unknown('test-user-1', 'test-user-2', 'test-user-3'),
    129: unknownGroup,
    130: unknownGroup,
    131: unknown('u1'),
    132: byEmail(unknown('example@service.com', 'service@example.com')),
    133: byEmail(unknown('example@service.com')),
    134: unknown('1', '2'),
    135: unknown('1'),
    136: byPhone(unknown('+11112223333', '+12223334444')),
    137: byPhone(unknown('+11112223333')),
    138: byEmail(taken),
    139: byPhone(taken),
    140: taken,
    141: taken, // a plain text
    142: refused("subscription_state must be 'subscribed' or 'unsubscribed'"),
    143: taken,
    144: taken,
    145: unknownGroup,
    146: unknownGroup,
    147: taken,
    148: nobody,
    149: nobody,
    150: nobody,
    151: nobody,
    152: nobody,
    153: nobody,
    154: nobody,
    155: nobody,
    156: nobody,
    157: nobody,
    255: taken,
    256: byEmail(taken),
    257: byPhone(taken),
    258: taken,
    259: taken, // a plain text under the singular name
    260: refused('Either an email address or a phone number should be provided, but not both.'),
    261: taken,
    262: byEmail(refusedEmails(emails, `${texts.badEmail} (${emails}[0]: ${hidden}, ${emails}[1]: ${hidden})`)),
    263: byPhone(taken),
    264: unknownGroup,
    265: taken,
    266: taken,
    267: taken,
  }
}

function assertDeviations(found: readonly string[], listed: readonly [number, string, string][]): void {
  assert.deepEqual(
    found,
    listed.map(([index, difference]) => `${index} ${difference}`),
  )
}

function replaySent(database: Database, channel: Channel): void {
  describe(`requests of existing clients about groups of the channel ${channel} (${database})`, () => {
    const examples = ['g', 'subscription_group_id', 'subscription_group_identifier']
    const subscription_groups = [testGroup, ...examples.map((id) => ({ id, name: id, channel }))]
    const people = peopleOf(database, { workspace: { subscription_groups } })
    const expected = expectedOfSent(channel)

    test('every request has an expected answer', () => {
      assert.deepEqual(
        Object.keys(expected).map(Number),
        sent.map(([index]) => index),
      )
    })

    test('all are answered as the contract says, in their order', async () => {
      const found: string[] = []
      for (const [index, { method, path, body, real_status }] of sent) {
        const answer = method === 'GET' ? await people.get(path) : await people.send(path, body)
        const { status, text } = answer
        const { notices = [], ...rest } = answer.body
        assert.deepEqual({ status, body: rest }, expected[index], `${index}: ${text}`)
        assert.deepEqual(notices.map(placeOf), status === 201 ? withoutEffect(path, body!) : [], text)
        if (real_status !== null && real_status !== status) found.push(`${index} status ${status} for ${real_status}`)
      }
      assertDeviations(found, deviationsOfSent)
    })
  })
}

function replayRecorded(database: Database): void {
  describe(`recorded answers of a real service about subscriptions and addresses (${database})`, () => {
    const people = peopleOf(database, { workspace: { subscription_groups: [testGroup] } })

    test('are given by Easel too, except for the listed deviations', async () => {
      const found: string[] = []
      const ids = ['test-user-1', 'test-user-2', 'test-user-3']
      await people.set(...ids.map((external_id) => ({ external_id, email: `${external_id}@test.com` })))
      for (const [index, { method, path, request, status, headers, response }] of recorded) {
        // No address can be unsubscribed in 2020 any more, so the next test covers that answer.
        if (path.startsWith('/email/unsubscribes') && (response.emails as unknown[]).length > 0) continue
        const key = status === 401 ? { key: 'non-existent' } : {}
        const answer = await people.service.send(method, path, request ?? undefined, key)
        if (answer.status !== status) found.push(`${index} status ${answer.status} for ${status}`)
        else if (status === 401) found.push(`${index} message is another text`)
        else assert.deepEqual(answer.body, response, `${index}: ${answer.text}`)
        assert.equal(answer.headers['content-type'], headers['Content-Type'])
      }
      assertDeviations(found, deviationsOfRecorded)
    })

    test('the answer about an unsubscribed address has the recorded shape', async () => {
      const [, { response }] = recorded.find(([index]) => index === 35)!
      await people.set({ external_id: 'left', email: 'example@123.com', email_subscribe: 'unsubscribed' })
      const [start, end] = ['2020-06-17', '2099-06-18']
      const { text } = await people.get(`/email/unsubscribes?end_date=${end}&start_date=${start}`)
      const digits = (json: string) => json.replaceAll(/\d\d+/g, (number) => '0'.repeat(number.length))
      assert.equal(digits(text), digits(JSON.stringify(response)))
    })
  })
}

for (const database of drawDatabases('wire-subscription')) {
  replaySent(database, 'email')
  replaySent(database, 'sms')
  replayRecorded(database)
}
