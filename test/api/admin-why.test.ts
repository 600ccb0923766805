import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { reasons } from '../../src/messaging/ledger/reasons.ts'
import { type Decision, recordDecisions } from '../../src/messaging/ledger/record-decisions.ts'
import { bucketOfId } from '../../src/people/identity/person.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { audience, letter, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newAlias, newEmail, newId, only } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

type Query = Readonly<Record<string, string>>

const far = '2100-01-01T00:00:00.000Z'

for (const database of drawDatabases('admin-why')) {
  describe(`/admin/why (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    let stampUs = Date.UTC(2026, 0, 1) * 1000

    const why = async (query: Query): Promise<Any> =>
      (await people.service.admin('GET', `/admin/why?${new URLSearchParams(query)}`)).body
    const ask = (query: string) =>
      people.service.send('GET', `/admin/why?${query}`, undefined, { key: people.service.adminToken })

    async function send(who: Item, path = '/messages/send', more: Item = {}): Promise<string> {
      const { status, text, body } = await people.service.post(path, { ...letter(who), ...more })
      assert.equal(status, 201, text)
      await people.service.advance('PT1S')
      return body.dispatch_id
    }

    /** Writes a decision about a message to a person. */
    async function decide(external_id: string, more: Partial<Decision> & Item = {}, state = 'accepted') {
      const { profile_id, message_id } = await people.write(external_id, { state, links: ['https://a.example/'] })
      const [row] = await people.db.query<{ cause: string }>(sql`
        select cause from message where bucket = ${bucketOfId(profile_id)} and message_id = ${message_id}::int8`)
      stampUs += 1_000_000
      const decision: Decision = {
        ...{
          bucket: bucketOfId(profile_id),
          profile_id,
          workspace_id: 1,
          cause: row!.cause,
          channel: 'email',
          message_id,
        },
        ...{ reason: 'sent', stampUs, ...more },
      }
      await people.db.transaction((tx) => recordDecisions(tx, [decision]))
      return { ...decision, message_id }
    }

    async function person(more: Item = {}): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, ...more })
      return external_id
    }

    test('an unknown person gets the decisions that were recorded for the identifier', async () => {
      const external_id = newId('nobody')
      const empty = await why({ external_id })
      assert.deepEqual([empty.people, empty.decisions, empty.open], [[], [], []])
      assert.equal(empty.reason, 'no_such_user')
      assert.equal(typeof empty.because, 'string')
      const user_alias = newAlias()
      const dispatch_id = await send({ external_user_ids: [external_id], user_aliases: [user_alias] })
      const queries: readonly Query[] = [
        { external_id },
        { ...user_alias },
        { user_alias: `${user_alias.alias_label}:${user_alias.alias_name}` },
        { external_id, dispatch_id },
      ]
      for (const query of queries) {
        const { reason, because, decisions } = await why(query)
        assert.deepEqual([reason, because], ['no_such_user', undefined])
        const decision = only(decisions as Any[])
        assert.equal(decision.reason, 'no_such_user')
        assert.equal(decision.because, reasons.no_such_user)
        assert.equal(decision.dispatch.dispatch_id, dispatch_id)
        assert.equal(decision.message, null)
        assert.deepEqual(decision.asked, 'external_id' in query ? { external_user_id: external_id } : { user_alias })
      }
      // These decisions are returned for the person who has the identifier now.
      await people.set({ external_id })
      const known = await why({ external_id })
      assert.equal(known.reason, undefined)
      assert.equal(only(known.people as Any[]).external_id, external_id)
      assert.equal(only(known.decisions as Any[]).person, null)
      for (const query of [{ email: newEmail() }, { service_id: '0'.repeat(24) }] as Query[]) {
        assert.equal((await why(query)).reason, 'no_such_user')
      }
    })

    test('a decision has its reason, rule and inputs, and the order it belongs to', async () => {
      const external_id = await person()
      const dispatch_id = await send({ external_user_ids: [external_id], audience, send_id: 'spring' })
      const { decisions, open } = await why({ external_id })
      const decision = only(decisions as Any[])
      assert.deepEqual(open, [])
      assert.deepEqual([decision.reason, decision.channel], ['not_in_audience', 'email'])
      assert.equal(decision.because, reasons.not_in_audience)
      assert.equal(typeof decision.rule, 'string')
      assert.ok(decision.inputs.as_of)
      assert.equal(decision.message.state, 'suppressed')
      const { asked_at, ...dispatch } = decision.dispatch
      assert.equal(typeof asked_at, 'string')
      assert.deepEqual(dispatch, {
        ...{ dispatch_id, schedule_id: null, send_id: 'spring', class: 'marketing', state: 'active', schedule: null },
        ...{ segment_id: null, audience, broadcast: false, recipient_subscription_state: 'subscribed' },
      })
      assert.deepEqual((await why({ dispatch_id })).decisions, decisions)
      assert.deepEqual((await why({ dispatch_id, external_id })).decisions, decisions)
      const other = await person()
      const without = await why({ dispatch_id, external_id: other })
      assert.match(without.because, /^Nothing was decided about this person: the order was for/)
      assert.equal((await why({ external_id: other })).because, 'Nothing was decided about this person yet.')
      assert.match((await why({ dispatch_id: randomUUID() })).because, /^There is no such order/)
    })

    test('a sent message has its address and its outcome', async () => {
      const external_id = await person()
      const { bucket, profile_id, message_id } = await decide(external_id)
      await people.db.query(sql`
        update message set subject = 'Hello', response = '250 ok', bounced_at = '2026-01-02T00:00:00Z', warnings = '{long}'
        where bucket = ${bucket} and message_id = ${message_id}::int8`)
      await people.db.query(sql`
        insert into engagement (bucket, profile_id, message_id, kind, link, first_at, last_at, count)
        values (${bucket}, ${profile_id}::int8, ${message_id}::int8, 'opened', -1, '2026-01-03T00:00:00Z', '2026-01-04T00:00:00Z', 2),
          (${bucket}, ${profile_id}::int8, ${message_id}::int8, 'clicked', 0, '2026-01-05T00:00:00Z', '2026-01-05T00:00:00Z', 1)`)
      const { message, dispatch } = only((await why({ external_id })).decisions as Any[])
      assert.equal(dispatch, null)
      assert.deepEqual(
        [message.address, message.subject, message.response],
        [`${external_id}@example.com`, 'Hello', '250 ok'],
      )
      assert.deepEqual([message.bounced_at, message.complained_at], ['2026-01-02T00:00:00.000Z', null])
      assert.deepEqual(message.warnings, ['long'])
      const [third, fourth, fifth] = [3, 4, 5].map((day) => `2026-01-0${day}T00:00:00.000Z`)
      assert.deepEqual(message.engagement, [
        { kind: 'opened', url: null, first_at: third, last_at: fourth, count: 2 },
        { kind: 'clicked', url: 'https://a.example/', first_at: fifth, last_at: fifth, count: 1 },
      ])
    })

    test('a message that waits has the reason and the time until which it waits', async () => {
      const external_id = await person()
      const named = await people.write(external_id)
      const become = (state: string, attempts: number, response: string | null) =>
        people.db.query(sql`
          update message set state = ${state}, due_at = ${far}::timestamptz, attempts = ${attempts}, response = ${response},
            ended_at = null, leased_until = ${far}::timestamptz
          where bucket = ${bucketOfId(named.profile_id)} and message_id = ${named.message_id}::int8`)
      const expected: readonly [string, number, string | null, RegExp, string | null][] = [
        ['queued', 0, null, /^the sending rate/, far],
        ['queued', 1, '450 later', /^the next try: the mail server said "450 later"$/, far],
        ['queued', 0, '421 too much', /^the next try: the mail server said "421 too much"$/, far],
        ['held', 0, null, /resumed/, null],
        ['leased', 1, null, /being prepared/, null],
        ['handed_over', 1, null, /answer of the mail server/, null],
      ]
      for (const [state, attempts, response, waits, until] of expected) {
        await become(state, attempts, response)
        const one = only((await why({ external_id })).open as Any[])
        assert.match(one.waits_for, waits)
        assert.deepEqual([one.until, one.message.state, one.channel], [until, state, 'email'])
      }
      await become('accepted', 1, null)
      assert.deepEqual((await why({ external_id })).open, [])
    })

    test('a waiting schedule is returned for the people it names, known or unknown', async () => {
      const [known, unknown] = [await person(), newId()]
      const time = new Date(
        Date.parse((await people.service.admin('GET', '/admin/clock')).body.now) + 7_200_000,
      ).toISOString()
      const dispatch_id = await send({ external_user_ids: [known, unknown] }, '/messages/schedule/create', {
        schedule: { time },
      })
      for (const query of [{ external_id: known }, { external_id: unknown }, { dispatch_id }] as Query[]) {
        const { open, because } = await why(query)
        const one = only(open as Any[])
        assert.deepEqual([one.until, one.message, one.dispatch.dispatch_id], [time, null, dispatch_id])
        assert.equal(because, undefined)
      }
    })

    test('of a schedule in local time only the slots are returned that can concern this person', async () => {
      const [tokyo, home] = [await person({ time_zone: 'Asia/Tokyo' }), await person()]
      await person({ time_zone: 'Europe/Berlin' })
      const unknown = newId()
      const dispatch_id = await send({ external_user_ids: [tokyo, home, unknown] }, '/messages/schedule/create', {
        schedule: { time: '2040-05-24T09:00', in_local_time: true },
      })
      const untils = async (query: Query) => (await why(query)).open.map(({ until }: Any) => until)
      // The last slot is for people whose time zone has changed by then.
      const last = '2040-05-24T22:00:00.000Z'
      const own = '2040-05-24T00:00:00.000Z'
      assert.deepEqual(await untils({ external_id: tokyo }), [own, last])
      for (const external_id of [home, unknown]) {
        const [first, ...rest] = await untils({ external_id })
        assert.ok(first !== own && first < last, first)
        assert.deepEqual(rest, [last])
      }
      assert.deepEqual(await untils({ external_id: tokyo, dispatch_id }), [own, last])
      assert.ok((await untils({ dispatch_id })).length >= 4)
    })

    test('a schedule that names a merged person is returned for the kept person, also when that one has no identifier', async () => {
      const [external_id, email] = [newId(), newEmail()]
      await people.set({ external_id })
      await people.set({ email })
      const dispatch_id = await send({ external_user_ids: [external_id] }, '/messages/schedule/create', {
        schedule: { time: far },
      })
      const { outcome } = await people.merge({ external_id }, { email, prioritization: ['unidentified'] })
      assert.equal(outcome, 'done')
      const { open, people: kept } = await why({ email })
      assert.equal(only(kept as Any[]).external_id, null)
      assert.equal(only(open as Any[]).dispatch.dispatch_id, dispatch_id)
    })

    test('an address selects all people who have it, and a merged person the kept one', async () => {
      const email = newEmail()
      const [one, two] = [await person({ email }), await person({ email })]
      await decide(one)
      await decide(two, { reason: 'unsubscribed' }, 'suppressed')
      const both = await why({ email: email.toUpperCase() })
      assert.deepEqual(
        both.decisions.map(({ reason }: Any) => reason),
        ['unsubscribed', 'sent'],
      )
      assert.deepEqual(both.people.map(({ external_id }: Any) => external_id).sort(), [one, two].sort())
      const { service_id } = (await why({ external_id: one })).people[0]
      await people.merge({ external_id: one }, { external_id: two })
      for (const query of [{ external_id: two }, { service_id }, { person: service_id }] as Query[]) {
        const { people: kept, decisions } = await why(query)
        assert.equal(only(kept as Any[]).external_id, two)
        assert.equal(decisions.length, 2)
        assert.equal(new Set(decisions.map(({ person }: Any) => person)).size, 1)
      }
    })

    test('pages together have all decisions, also when many were made at one moment', async () => {
      const external_id = await person()
      const first = await decide(external_id)
      const same = (i: number): Decision => ({
        ...first,
        cause: randomUUID(),
        stampUs: first.stampUs + (i < 4 ? 0 : i),
      })
      await people.db.transaction((tx) => recordDecisions(tx, many(7, same)))
      const whole = await why({ external_id })
      assert.equal(whole.decisions.length, 8)
      assert.equal(whole.cursor, undefined)
      for (const limit of [1, 2, 3, 7, 8]) {
        const read: Any[] = []
        let cursor = ''
        do {
          const page = await why({ external_id, limit: String(limit), cursor })
          assert.ok(page.decisions.length <= limit)
          read.push(...page.decisions)
          cursor = page.cursor ?? ''
        } while (cursor)
        assert.deepEqual(read, whole.decisions, String(limit))
      }
    })

    test('decisions are stored whatever characters they contain', async () => {
      const external_id = await person()
      const odd = '\u0000\ud800'
      await decide(external_id, { rule: `${odd}${'r'.repeat(3_000)}`, inputs: { response: odd } })
      await decide(external_id, { inputs: { long: 'x'.repeat(20_000) } })
      const [later, earlier] = (await why({ external_id })).decisions
      assert.deepEqual(later.inputs, { left_out: 'too long to keep' })
      assert.deepEqual(earlier.inputs, { response: '\ufffd\ufffd' })
      assert.equal(earlier.rule.length, 2_000)
    })

    test('an invalid query is refused with the name of the parameter', async () => {
      const refused: readonly [string, string][] = [
        ['', 'A person or a dispatch_id must be given'],
        ['canvas_id=a', "'canvas_id' is not valid"],
        ['dispatch_id=x', "'dispatch_id' is not valid"],
        ['external_id=a&cursor=x', "'cursor' is not valid"],
        ['external_id=a&limit=201', "'limit' must be a whole number from 1 to 200"],
        ['external_id=a&external_id=b', "'external_id' may be given once"],
        ['external_id=a%00', "'external_id' is not valid"],
        ['user_alias=a', "'user_alias' is not valid"],
        ['alias_name=a', "'user_alias' is not valid"],
        ['email=a', "The value provided for the 'email' field is not a valid email."],
      ]
      for (const [query, message] of refused) {
        const { status, body } = await ask(query)
        assert.deepEqual([status, body], [400, { message }], query)
      }
      assert.equal((await ask('external_id=a&email=b@example.com')).status, 400)
      assert.equal((await ask('service_id=nonsense')).body.reason, 'no_such_user')
    })
  })
}
