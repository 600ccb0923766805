import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Tx } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { schedulesMax } from '../../src/messaging/orders/schedule-schema.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { apps, type Item, many, newAlias, newId, only } from '../support/people.ts'

const email = { app_id: apps.phone.id, from: 'Shop <shop@example.com>', subject: 'Hello', body: '<p>Hello</p>' }
const hourMs = 3_600_000
const crowd = 1_200

type Row = { external_id: string; state: string; reason: string | null; visit: number }
type Reason = {
  external_id: string | null
  reason: string
  asked: Item | null
  rule: string | null
  inputs: Item | null
}

for (const database of drawDatabases('admin-dispatches')) {
  describe(`/admin/dispatches (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' } })
    const admin = (method: string, path: string) => people.service.admin(method, path)
    const ask = (method: string, path: string) =>
      people.service.send(method, path, undefined, { key: people.service.adminToken })

    async function nowMs(): Promise<number> {
      return Date.parse((await admin('GET', '/admin/clock')).body.now)
    }

    async function send(recipients: Item): Promise<string> {
      const { status, text, body } = await people.service.post('/messages/send', { messages: { email }, ...recipients })
      assert.equal(status, 201, text)
      return body.dispatch_id
    }

    async function schedule(recipients: Item, time: string, in_local_time = false): Promise<string> {
      const asked = { messages: { email }, schedule: { time, in_local_time }, ...recipients }
      const { status, text, body } = await people.service.post('/messages/schedule/create', asked)
      assert.equal(status, 201, text)
      return body.dispatch_id
    }

    async function read(dispatch_id: string) {
      return (await admin('GET', `/admin/dispatches/${dispatch_id}`)).body.dispatch
    }

    const act = async (dispatch_id: string, verb: string) =>
      (await admin('POST', `/admin/dispatches/${dispatch_id}/${verb}`)).body.dispatch

    /** Runs the work that is due now. */
    const runDueWork = () => people.service.advance('PT1S')

    async function rowsOf(dispatch_id: string): Promise<Row[]> {
      return people.db.query<Row>(sql`
        select p.external_id, m.state, m.reason, m.visit from message m
        join profile p on p.bucket = m.bucket and p.profile_id = m.profile_id
        where m.cause = ${dispatch_id}::uuid order by p.external_id, m.visit`)
    }

    /** Returns the external_ids of the people whose message was sent or still waits. */
    async function receivers(dispatch_id: string): Promise<string[]> {
      const rows = await rowsOf(dispatch_id)
      return rows.filter(({ reason }) => reason === null || reason === 'sent').map(({ external_id }) => external_id)
    }

    async function decisionsOf(dispatch_id: string): Promise<Reason[]> {
      return people.db.query<Reason>(sql`
        select p.external_id, d.reason, d.asked, d.rule, d.inputs from decision d
        left join profile p on p.bucket = d.bucket and p.profile_id = d.profile_id
        where d.cause = ${dispatch_id}::uuid and d.reason <> 'sent' order by d.reason, p.external_id, d.asked ->> 'external_user_id'`)
    }

    function person(more: Item = {}): Item & { external_id: string } {
      const external_id = newId('dispatched')
      return { external_id, email: `${external_id}@example.com`, ...more }
    }

    async function segment(audience: Item): Promise<string> {
      const { body } = await people.service.admin('POST', '/admin/segments', { name: newId('segment'), audience })
      return body.segment.id
    }

    test('a pause is answered when every worker that may still begin to send has seen it', {
      skip: database !== 'postgres' && 'transactions of the embedded database come one after the other',
    }, async () => {
      const dispatch_id = await schedule(
        { external_user_ids: [newId()] },
        new Date((await nowMs()) + hourMs).toISOString(),
      )
      const ends: string[] = []
      let pausing: Promise<unknown> | undefined
      const handOver = async (tx: Tx) => {
        // The worker has registered before the pause is requested, on a slow machine too.
        await tx.query(sql`select 1`)
        pausing = act(dispatch_id, 'pause').then(() => ends.push('pause'))
        await pause(300)
        ends.push('hand-over')
      }
      await people.db.transaction(handOver, { registersAs: 'hand_over' })
      await pausing
      assert.deepEqual(ends, ['hand-over', 'pause'])
      await act(dispatch_id, 'cancel')
    })

    test('a person gets one message however many identifiers name them, and each unknown identifier has a decision', async () => {
      const alias = newAlias()
      const [ann, bob] = [person(), person()]
      await people.set(ann, bob)
      await people.send('/users/alias/new', { user_aliases: [{ external_id: ann.external_id, ...alias }] })
      const nobody = newId('nobody')
      const dispatch_id = await send({
        external_user_ids: [ann.external_id, bob.external_id, ann.external_id, nobody],
        user_aliases: [alias, newAlias()],
      })
      await runDueWork()
      assert.deepEqual(await receivers(dispatch_id), [ann.external_id, bob.external_id].sort())
      const dispatch = await read(dispatch_id)
      assert.deepEqual([dispatch.found, dispatch.unknown, dispatch.reasons.no_such_user], [2, 2, 2])
      assert.deepEqual([dispatch.recipients.named, dispatch.subject, dispatch.class], [5, 'Hello', 'marketing'])
      const decided = (await decisionsOf(dispatch_id)).filter(({ reason }) => reason === 'no_such_user')
      assert.equal(decided.length, 2)
      assert.ok(decided.some(({ asked }) => asked?.external_user_id === nobody))
    })

    test('recipients outside the segment or the audience get a decision with the reason', async () => {
      const colour = newId('colour')
      const [both, red, blue] = [person({ colour, n: 2 }), person({ colour, n: 1 }), person({ colour: 'blue', n: 2 })]
      await people.set(both, red, blue)
      const segment_id = await segment({
        custom_attribute: { custom_attribute_name: 'colour', comparison: 'equals', value: colour },
      })
      const audience = { custom_attribute: { custom_attribute_name: 'n', comparison: 'equals', value: 2 } }
      const external_user_ids = [both, red, blue].map(({ external_id }) => external_id)
      const dispatch_id = await send({ external_user_ids, segment_id, audience })
      await runDueWork()
      assert.deepEqual(await receivers(dispatch_id), [both.external_id])
      const [inAudience, inSegment] = await decisionsOf(dispatch_id)
      assert.deepEqual([inAudience?.external_id, inAudience?.reason], [red.external_id, 'not_in_audience'])
      assert.equal(inAudience?.rule, '`n` is 2')
      assert.deepEqual(inAudience?.inputs?.because, { has: '1', holds: false, condition: '`n` is 2' })
      assert.ok(Date.parse(String(inAudience?.inputs?.as_of)) > 0)
      assert.deepEqual([inSegment?.external_id, inSegment?.reason], [blue.external_id, 'not_in_segment'])
      const { reasons } = await read(dispatch_id)
      assert.deepEqual([reasons.not_in_segment, reasons.not_in_audience], [1, 1])
    })

    test('everybody in a segment and an audience is found page by page when the order is due', async () => {
      const team = newId('team')
      const members = many(crowd, (i) => person({ team, n: i }))
      for (let i = 0; i < crowd; i += 50) await people.set(...members.slice(i, i + 50))
      const segment_id = await segment({
        custom_attribute: { custom_attribute_name: 'team', comparison: 'equals', value: team },
      })
      const dispatch_id = await send({ segment_id, broadcast: true })
      await runDueWork()
      const all = members.map(({ external_id }) => external_id).sort()
      assert.deepEqual((await rowsOf(dispatch_id)).map(({ external_id }) => external_id).sort(), all)
      const { found, slots } = await read(dispatch_id)
      assert.equal(found, crowd)
      assert.deepEqual([only(slots as Item[]).state, only(slots as Item[]).zone], ['done', ''])

      // People who enter or leave the segment before the order is due count.
      const time = new Date((await nowMs()) + hourMs).toISOString()
      const audience = { custom_attribute: { custom_attribute_name: 'n', comparison: 'less_than', value: 3 } }
      const later = await schedule({ segment_id, audience, broadcast: true }, time)
      await people.set({ ...members[0], n: 100 }, { ...members[9], n: 0 })
      assert.deepEqual(await rowsOf(later), [])
      await people.service.advance('PT59M')
      assert.deepEqual(await rowsOf(later), [])
      assert.equal((await read(later)).state, 'waiting')
      await people.service.advance('PT1M')
      assert.deepEqual(await receivers(later), [1, 2, 9].map((i) => members[i]!.external_id).sort())
    })

    test('a local time is due zone by zone, and the last slot sends to everybody who is left', async () => {
      const team = newId('team')
      const [tokyo, paris, none, moved] = [
        person({ team, time_zone: 'Asia/Tokyo' }),
        person({ team, time_zone: 'Europe/Paris' }),
        person({ team }),
        person({ team, time_zone: 'Pacific/Honolulu' }),
      ]
      await people.set(tokyo, paris, none, moved)
      const audience = { custom_attribute: { custom_attribute_name: 'team', comparison: 'equals', value: team } }
      const day = new Date((await nowMs()) + 2 * 24 * hourMs).toISOString().slice(0, 10)
      const dispatch_id = await schedule({ audience, broadcast: true }, `${day}T09:00:00+04:00`, true)
      const start = await read(dispatch_id)
      assert.equal(start.schedule.dropped_offset, '+04:00')
      const dueIn = (zone: string) => Date.parse(start.slots.find((slot: Item) => slot.zone === zone).due_at)
      const until = async (ms: number) =>
        void (await people.service.admin('POST', '/admin/clock', { now: new Date(ms).toISOString() }))
      assert.equal(start.next_due_at, `${new Date(dueIn('Asia/Tokyo')).toISOString()}`)

      await until(dueIn('Asia/Tokyo') - 1)
      assert.deepEqual(await receivers(dispatch_id), [])
      await until(dueIn('Asia/Tokyo'))
      assert.deepEqual(await receivers(dispatch_id), [tokyo.external_id])
      // People who moved east in the meantime are in no later slot of a zone.
      await people.set({ external_id: moved.external_id, time_zone: 'Asia/Tokyo' })
      await until(dueIn('-'))
      assert.deepEqual(await receivers(dispatch_id), [tokyo, paris, none].map(({ external_id }) => external_id).sort())
      await until(dueIn('*'))
      const everybody = [tokyo, paris, none, moved].map(({ external_id }) => external_id).sort()
      assert.deepEqual(await receivers(dispatch_id), everybody)
      assert.equal((await read(dispatch_id)).found, everybody.length)
      assert.equal(
        (await read(dispatch_id)).slots.every(({ state }: Item) => state === 'done'),
        true,
      )
    })

    test('people whose local time has passed get a decision with that reason', async () => {
      const [east, west] = [person({ time_zone: 'Pacific/Kiritimati' }), person({ time_zone: 'Etc/GMT+12' })]
      await people.set(east, west)
      // Two hours ago at UTC+14, in a day at UTC-12.
      const time = new Date((await nowMs()) + 12 * hourMs).toISOString().slice(0, 19)
      const dispatch_id = await schedule({ external_user_ids: [east.external_id, west.external_id] }, time, true)
      await people.service.advance('P2D')
      assert.deepEqual(await receivers(dispatch_id), [west.external_id])
      const [decision] = await decisionsOf(dispatch_id)
      assert.deepEqual([decision?.external_id, decision?.reason], [east.external_id, 'local_time_passed'])
      assert.equal((await read(dispatch_id)).reasons.local_time_passed, 1)
    })

    test('a paused dispatch sends nothing until it is resumed, and a cancelled one sends nothing', async () => {
      const [ann, bob] = [person(), person()]
      await people.set(ann, bob)
      const time = new Date((await nowMs()) + hourMs).toISOString()
      const [paused, cancelled] = [
        await schedule({ external_user_ids: [ann.external_id] }, time),
        await schedule({ external_user_ids: [bob.external_id] }, time),
      ]
      assert.deepEqual((await read(paused)).actions, ['pause', 'cancel'])
      assert.equal((await act(paused, 'pause')).state, 'paused')
      assert.equal((await act(paused, 'pause')).state, 'paused')
      const { actions, what, recipient_words, sentence } = await read(paused)
      assert.deepEqual([actions, what, recipient_words], [['resume', 'cancel'], 'A mail', 'One named recipient'])
      assert.equal(sentence, 'Paused. 0 found, 0 ended and 0 to go.')
      assert.equal((await act(cancelled, 'cancel')).state, 'cancelled')
      assert.equal((await act(cancelled, 'cancel')).state, 'cancelled')
      await people.service.advance('P1D')
      assert.deepEqual([await rowsOf(paused), await rowsOf(cancelled)], [[], []])
      const resumed = await act(paused, 'resume')
      assert.ok(Date.parse(resumed.resumed_at) > Date.parse(resumed.created_at))
      await runDueWork()
      assert.deepEqual(await receivers(paused), [ann.external_id])
      const done = await read(paused)
      assert.deepEqual([done.sentence, done.actions, done.to_go], ['Done. 1 found and 1 sent.', [], 0])
      assert.deepEqual(done.outcomes, [
        { reason: 'sent', words: 'the mail server took it', family: 'sent', count: 1, has_messages: true },
      ])
      for (const verb of ['pause', 'resume', 'send-missed']) {
        const { status, body } = await ask('POST', `/admin/dispatches/${cancelled}/${verb}`)
        assert.deepEqual([status, body.message], [409, 'The order was cancelled'], verb)
      }
    })

    test('a slot that was due while the service was stopped is missed, listed, and sent on demand', async () => {
      const [ann, bob] = [person({ away: 1 }), person({ away: 1 })]
      await people.set(ann, bob)
      const segment_id = await segment({ custom_attribute: { custom_attribute_name: 'away', comparison: 'exists' } })
      const time = new Date((await nowMs()) + hourMs).toISOString()
      const dispatch_id = await schedule({ external_user_ids: [ann.external_id, bob.external_id], segment_id }, time)
      const { status } = await ask('POST', `/admin/dispatches/${dispatch_id}/send-missed`)
      assert.equal(status, 409)
      const past = (hours: number) => new Date(Date.parse(time) - hours * hourMs).toISOString()
      await people.db.query(sql`
        update dispatch set created_at = ${past(20)}::timestamptz where dispatch_id = ${dispatch_id}::uuid`)
      await people.db.query(sql`
        update dispatch_slot set due_at = ${past(8)}::timestamptz where dispatch_id = ${dispatch_id}::uuid`)
      await runDueWork()
      const missed = await read(dispatch_id)
      assert.deepEqual([missed.state, missed.reasons, missed.slots[0].state], ['done', { missed: 2 }, 'missed'])
      assert.deepEqual(await receivers(dispatch_id), [])
      // The recipients of the missed slot are known even when the segment has changed.
      assert.equal((await ask('DELETE', `/admin/segments/${segment_id}`)).status, 204)
      await act(dispatch_id, 'send-missed')
      await runDueWork()
      assert.deepEqual(await receivers(dispatch_id), [ann.external_id, bob.external_id].sort())
      const rows = await rowsOf(dispatch_id)
      assert.deepEqual(
        rows.map(({ reason, visit }) => [reason === 'missed', visit]),
        [true, false, true, false].map((was) => [was, was ? 0 : 1000]),
      )
      assert.equal((await read(dispatch_id)).found, 2)
      // Each recipient gets the message once.
      await act(dispatch_id, 'send-missed')
      await runDueWork()
      assert.equal((await rowsOf(dispatch_id)).length, 4)
    })

    test('a dispatch whose segment was deleted ends, and shows why', async () => {
      const ann = person()
      await people.set(ann)
      const segment_id = await segment({
        custom_attribute: { custom_attribute_name: newId('attribute'), comparison: 'exists' },
      })
      const time = new Date((await nowMs()) + hourMs).toISOString()
      const dispatch_id = await schedule({ external_user_ids: [ann.external_id], segment_id }, time)
      assert.equal((await ask('DELETE', `/admin/segments/${segment_id}`)).status, 204)
      await people.service.advance('PT2H')
      const { state, slots } = await read(dispatch_id)
      assert.deepEqual([state, slots[0].state, slots[0].failure], ['done', 'done', 'The segment was deleted'])
      const [{ external_id, reason, rule }, ...others] = (await decisionsOf(dispatch_id)) as [Reason]
      assert.deepEqual(
        [external_id, reason, rule, others],
        [ann.external_id, 'not_in_segment', 'The segment was deleted', []],
      )
      assert.deepEqual((await read(dispatch_id)).reasons, { not_in_segment: 1 })
    })

    test('uncertain messages are listed page by page and sent again on demand, once', async () => {
      const three = [person(), person(), person()]
      await people.set(...three)
      const ended = (i: number) => `2026-02-0${i + 1}T00:00:00Z`
      const named = []
      for (const [i, { external_id }] of three.entries()) {
        named.push(await people.write(external_id, { state: 'uncertain', ended_at: ended(i) }))
      }
      const list = async (query = '') => (await admin('GET', `/admin/messages?state=uncertain&${query}`)).body
      const external = ({ person: { external_id } }: { person: Item }) => external_id
      const newest = three.map(({ external_id }) => external_id).toReversed()
      const first = await list('limit=2')
      assert.deepEqual(first.messages.map(external), newest.slice(0, 2))
      const second = await list(`limit=2&cursor=${first.cursor}`)
      assert.deepEqual(second.messages.map(external), newest.slice(2))
      assert.equal('cursor' in second, false)
      const path = `/admin/messages/${named[0]!.message_id}/resend`
      const resent = await ask('POST', path)
      assert.equal(resent.status, 201)
      assert.notEqual(resent.body.message_id, named[0]!.message_id)
      const again = await ask('POST', path)
      assert.deepEqual([again.status, again.body.message], [409, 'The message was sent again already'])
      assert.equal((await list()).messages.length, 2)
      const [row] = await people.db.query<{ reason: string | null; state: string }>(sql`
        select state from message where message_id = ${named[0]!.message_id}::int8`)
      assert.equal(row?.state, 'uncertain')
    })

    test('a workspace can have as many waiting schedules as its limit allows', async () => {
      const fill = (wanted: number) =>
        people.db.query(sql`
          with made as (
            insert into dispatch (dispatch_id, workspace_id, schedule_id, class, state, sending, created_at, updated_at)
            select gen_random_uuid(), w.workspace_id, gen_random_uuid(), 'marketing', 'active', '{"email":{}}', w.created_at, w.created_at
            from workspace w, generate_series(1, ${wanted}::int4 - (
              select count(*)::int4 from dispatch_slot where state = 'waiting')) returning dispatch_id, workspace_id)
          insert into dispatch_slot (dispatch_id, zone, workspace_id, due_at, state)
          select dispatch_id, '', workspace_id, '9000-01-01', 'waiting' from made`)
      const asked = { external_user_ids: [newId('nobody')], messages: { email }, schedule: { time: '8000-01-01' } }
      await fill(schedulesMax - 1)
      const last = await people.service.post('/messages/schedule/create', asked)
      assert.equal(last.status, 201, last.text)
      const refused = await people.service.post('/messages/schedule/create', asked)
      assert.deepEqual([refused.status, refused.body.message], [429, 'At most 10000 schedules may wait at a time'])
      // An order without a schedule does not wait and does not count.
      await send({ external_user_ids: [newId('nobody')] })
      await people.service.send('POST', '/messages/schedule/delete', { schedule_id: last.body.schedule_id })
      assert.equal((await people.service.post('/messages/schedule/create', asked)).status, 201)
      await people.db.query(sql`delete from dispatch_slot where due_at >= '7000-01-01'`)
    })

    test('dispatches are listed newest first, page by page', async () => {
      const made: string[] = []
      for (const _ of [1, 2, 3]) made.push(await send({ external_user_ids: [newId('nobody')] }))
      const all: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await admin('GET', `/admin/dispatches?limit=2${cursor}`)
        assert.ok(body.dispatches.length <= 2)
        all.push(...body.dispatches.map((dispatch: Item) => dispatch.dispatch_id))
        if (!body.cursor || all.length > 10) break
        cursor = `&cursor=${body.cursor}`
      }
      assert.equal(new Set(all).size, all.length)
      assert.deepEqual(new Set(all.slice(0, 3)), new Set(made))
    })

    test('an unknown dispatch is 404, an invalid request is 400, and an API key is refused', async () => {
      const unknown = 'a'.repeat(32)
      for (const id of [unknown, 'x', '%00', '1', `${unknown}0`, '__proto__']) {
        assert.equal((await ask('GET', `/admin/dispatches/${id}`)).status, 404, id)
        assert.equal((await ask('POST', `/admin/dispatches/${id}/pause`)).status, 404, id)
      }
      for (const id of ['0', '1', '-1', 'x', '9'.repeat(19), '9'.repeat(400), '1.5', '%00']) {
        assert.equal((await ask('POST', `/admin/messages/${id}/resend`)).status, 404, id)
      }
      const bad = ['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'cursor=MS54', 'limit=1&limit=2']
      for (const query of bad) {
        assert.equal((await ask('GET', `/admin/dispatches?${query}`)).status, 400, query)
      }
      assert.equal((await ask('GET', '/admin/dispatches?workspace=none')).status, 404)
    })
  })
}
