import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type Db, OutcomeUnknown } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { Failure } from '../../src/base/errors.ts'
import { answerKeptMs, type Commit, defineIdempotent, reservedMs } from '../../src/base/http/idempotency.ts'
import { deleteAnswers } from '../../src/base/http/idempotency-store.ts'
import { ReplyWithHeaders, type Request } from '../../src/base/http/route.ts'
import { onBothDatabases, quiet } from '../support/databases.ts'
import { drawDatabases } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many, newId, peopleOf } from '../support/people.ts'

const path = '/messages/send'
const replayed = 'idempotent-replayed'
const badKey = "'Idempotency-Key' must be 1 to 255 visible characters"
const otherBody = "This 'Idempotency-Key' was used with another request"
const stillRunning = "The request with this 'Idempotency-Key' is still being processed"
const body = letter({ external_user_ids: ['ann'], send_id: 'summer' })

for (const database of drawDatabases('idempotency')) {
  describe(`Idempotency-Key (${database})`, () => {
    const people = peopleOf(database, { workspace: sendingWorkspace })
    const send = (key: string, what: unknown = body, where = path) =>
      people.send(where, what, { 'idempotency-key': key })

    test('a repeated request gets the first answer, word for word, and nothing is sent twice', async () => {
      const key = newId('key')
      const first = await send(key)
      assert.deepEqual([first.status, first.headers[replayed]], [201, undefined])
      for (let again = 0; again < 2; again++) {
        const { status, headers, text } = await send(key)
        assert.deepEqual([status, headers[replayed], text], [201, 'true', first.text])
      }
      const atOnce = await Promise.all(many(4, () => send(key)))
      for (const { status, text } of atOnce) assert.deepEqual([status, text], [201, first.text])
      assert.notEqual((await send(newId('key'))).text, first.text)
      assert.notEqual((await people.send(path, body)).text, first.text)
    })

    test('the order of members does not matter, their values do', async () => {
      const key = newId('key')
      const first = await send(key)
      const turned = Object.fromEntries(Object.entries(body).reverse())
      assert.equal((await send(key, turned)).text, first.text)
      for (const other of [{ ...body, send_id: 'autumn' }, { ...body, more: null }, {}, [body]]) {
        const answer = await send(key, other)
        assert.deepEqual([answer.status, answer.body], [422, { message: otherBody }])
      }
      assert.equal((await send(key)).text, first.text)
    })

    test('a refusal is not stored: the key can be used again', async () => {
      const key = newId('key')
      const wrong = await send(key, { ...body, segment_id: 'silver' })
      assert.equal(wrong.status, 400)
      assert.equal((await send(key, {})).status, 400)
      const right = await send(key)
      assert.deepEqual([right.status, right.headers[replayed]], [201, undefined])
    })

    test('a key has 1 to 255 visible characters', async () => {
      for (const length of [1, 254, 255]) assert.equal((await send('~'.repeat(length), body)).status, 201)
      for (const key of ['', '~'.repeat(256), 'two words', 'caf\u00e9', 'tab\t.']) {
        const answer = await send(key)
        assert.deepEqual([answer.status, answer.body], [400, { message: badKey }], key)
      }
    })

    test('each path has its own keys', async () => {
      const key = newId('key')
      const schedule = { time: '2040-01-01T00:00:00Z' }
      const sent = await send(key)
      const made = await send(key, { ...body, schedule }, '/messages/schedule/create')
      assert.deepEqual([sent.status, made.status, made.headers[replayed]], [201, 201, undefined])
      const { schedule_id } = made.body as { schedule_id?: string }
      const ask = (where: string, more: object) => send(key, { schedule_id, ...more }, `/messages/schedule/${where}`)
      for (let again = 0; again < 2; again++) {
        assert.equal((await send(key, { ...body, schedule }, '/messages/schedule/create')).text, made.text)
        assert.deepEqual((await ask('update', { schedule })).body, { message: 'success' })
      }
      assert.equal((await ask('delete', {})).status, 201)
      const again = await ask('delete', {})
      assert.deepEqual([again.status, again.headers[replayed]], [201, 'true'])
      assert.equal((await people.send('/messages/schedule/delete', { schedule_id })).status, 400)
    })

    test('of many concurrent requests one is executed, and the others wait or get its answer', async () => {
      for (let round = 0; round < 3; round++) {
        const key = newId('key')
        const asked = { ...body, send_id: key }
        const answers = await Promise.all(many(12, () => send(key, asked)))
        for (const { status, body: said, headers } of answers) {
          if (status === 201) continue
          assert.deepEqual([status, said, headers['retry-after']], [409, { message: stillRunning }, '1'])
        }
        const taken = answers.filter(({ status }) => status === 201)
        assert.equal(new Set(taken.map(({ text }) => text)).size, 1)
        assert.equal(taken.filter(({ headers }) => headers[replayed] === undefined).length, 1)
        const { dispatches } = (await people.service.admin('GET', '/admin/dispatches?limit=100')).body
        assert.equal(dispatches.filter(({ send_id }: { send_id: string }) => send_id === key).length, 1)
      }
    })

    test('a key belongs to its workspace', async () => {
      const key = newId('key')
      const first = await send(key)
      await people.service.admin('POST', '/admin/apply', {
        ...sendingWorkspace,
        workspace: { id: 'other', name: 'Other' },
      })
      const { body: made } = await people.service.admin('POST', '/admin/keys?workspace=other', {
        name: 'other',
        permissions: ['messages.send'],
      })
      const headers = { 'idempotency-key': key }
      const there = await people.service.post(path, body, { key: made.key.key, headers })
      assert.deepEqual([there.status, there.headers[replayed]], [201, undefined])
      assert.notEqual(there.text, first.text)
    })
  })
}

/** A route that counts how often it is executed, and a client for it. */
function counting(work: () => Promise<void> = async () => undefined) {
  const clock = systemClock()
  let done = 0
  const route = defineIdempotent({
    method: 'POST',
    path: '/count',
    permission: 'public',
    errors: 'standard',
    reply: { 201: {} },
    handle: (_call, _request, commit: Commit) =>
      commit(async (tx) => {
        await work()
        await tx.query(sql`insert into counted values (1)`)
        done++
        return { done }
      }),
  })
  const ask = (db: Db, asked: unknown = { a: 1 }, aheadMs = 0) => {
    const later = { ...clock, elapsed: () => clock.elapsed() + aheadMs }
    const call = { db, clock: later, workspace_id: 1, log: quiet } as unknown as Call
    const request = { body: asked, params: {}, headers: { 'idempotency-key': 'k' } } as unknown as Request
    return route.handle(call, request)
  }
  return { ask, clock }
}

async function countedIn(db: Db): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from counted`)
  return row!.count
}

const makeTable = (db: Db) => db.execute('create table counted (one int not null)')

onBothDatabases('an answer that was lost at the COMMIT is given to the retry', async (open) => {
  const db = await open()
  await makeTable(db)
  const { ask } = counting()
  const lost: Db = {
    ...withMethods(db),
    transaction: async (work, options) => {
      await db.transaction(work, options)
      throw new OutcomeUnknown(new Error('the connection was lost'))
    },
  }
  await assert.rejects(ask(lost), (error) => error instanceof Failure && error.kind === 'unavailable')
  const answer = await ask(db)
  assert.ok(answer instanceof ReplyWithHeaders)
  assert.deepEqual([answer.body, answer.headers], [{ done: 1 }, { 'Idempotent-Replayed': 'true' }])
  assert.equal(await countedIn(db), 1)
})

onBothDatabases('a transaction that was rolled back stores no answer', async (open) => {
  const db = await open()
  await makeTable(db)
  const undone: Db = {
    ...withMethods(db),
    transaction: (work, options) =>
      db.transaction(async (tx) => {
        await work(tx)
        throw new OutcomeUnknown(new Error('the connection was lost'))
      }, options),
  }
  const { ask } = counting()
  await assert.rejects(ask(undone))
  assert.deepEqual(await ask(db), { done: 2 })
  assert.equal(await countedIn(db), 1)
})

onBothDatabases('an answer is stored for a day of machine time, and then deleted', async (open) => {
  const db = await open()
  await makeTable(db)
  const { ask, clock } = counting()
  const beforeMs = clock.elapsed()
  assert.deepEqual(await ask(db), { done: 1 })
  assert.ok((await ask(db, { a: 1 }, answerKeptMs - 60_000)) instanceof ReplyWithHeaders)
  assert.deepEqual(await ask(db, { b: 1 }, answerKeptMs + 60_000), { done: 2 })
  const kept = async () => (await db.query(sql`select 1 from idempotency`)).length
  await deleteAnswers(db, beforeMs + 2 * answerKeptMs)
  assert.equal(await kept(), 1)
  await deleteAnswers(db, clock.elapsed() + 2 * answerKeptMs + 60_000)
  assert.equal(await kept(), 0)
})

onBothDatabases('a key whose request was refused is deleted after ten minutes', async (open) => {
  const db = await open()
  await makeTable(db)
  const refusing = counting(() => Promise.reject(new Failure('invalid', 'no')))
  await assert.rejects(refusing.ask(db), { kind: 'invalid' })
  const kept = async () => (await db.query(sql`select 1 from idempotency`)).length
  await deleteAnswers(db, refusing.clock.elapsed() + reservedMs - 60_000)
  assert.equal(await kept(), 1)
  await deleteAnswers(db, refusing.clock.elapsed() + reservedMs)
  assert.equal(await kept(), 0)
  // A key with an answer is stored for the full time.
  await assert.rejects(refusing.ask(db), { kind: 'invalid' })
  const { ask, clock } = counting()
  assert.deepEqual(await ask(db), { done: 1 })
  await deleteAnswers(db, clock.elapsed() + answerKeptMs - 60_000)
  assert.equal(await kept(), 1)
})

onBothDatabases('two processes that get the same request execute it once', async (open) => {
  const dbs = await open.processes(2)
  const [a, b = a!] = dbs
  await makeTable(a!)
  const slow = counting(() => pause(20))
  const quick = counting()
  for (let round = 0; round < 10; round++) {
    await a!.query(sql`delete from idempotency`)
    await a!.query(sql`delete from counted`)
    const asked = await Promise.allSettled([slow.ask(a!), pause(round).then(() => quick.ask(b))])
    for (const { reason } of asked.filter((each) => each.status === 'rejected')) {
      assert.ok(reason instanceof Failure && reason.kind === 'conflict', String(reason))
    }
    assert.equal(await countedIn(a!), 1)
  }
})

/** The methods of a database; a test replaces one of them. */
function withMethods(db: Db): Db {
  return {
    backend: db.backend,
    log: db.log,
    query: (statement) => db.query(statement),
    transaction: (work, options) => db.transaction(work, options),
    execute: (text) => db.execute(text),
    close: () => db.close(),
  }
}
