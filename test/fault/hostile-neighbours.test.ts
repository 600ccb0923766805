import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { applicationName } from '../../src/base/db/backends.ts'
import { openDb } from '../../src/base/db/open.ts'
import { registrationOf } from '../../src/base/db/registration.ts'
import { sql } from '../../src/base/db/sql.ts'
import { newDatabase } from '../servers/template.ts'
import { attackedService } from '../support/attacked.ts'
import { eventually } from '../support/eventually.ts'
import { databases } from '../support/harness.ts'
import { newEmail, newId, People } from '../support/people.ts'
import { assertServed, assertSoon } from '../support/waits.ts'

const skip = databases.includes('postgres') ? false : 'no PostgreSQL: the embedded database has no neighbours'
/** A workspace may export 250 times a minute. */
const exportPauseMs = 100
const fields_to_export = ['email_subscribe', 'custom_attributes']
/** A wait for the neighbour would take 5 s before an answer, and 30 s before a merge. */
const answerMsMax = 4_000

/** Opens a transaction of another application that has written and then does nothing. Its name is that of Easel. */
async function idleWriter(databaseUrl: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: applicationName })
  await client.connect()
  await client.query('begin')
  await client.query('create table made_by_a_neighbour (one int)')
  return { [Symbol.asyncDispose]: () => client.end() }
}

async function startPeople(stack: AsyncDisposableStack, env: Record<string, string>, log = pino({ level: 'silent' })) {
  const people = new People()
  stack.defer(() => people.stop())
  await people.start({ env, log })
  return people
}

for (const where of ['another database of the server', 'the same database']) {
  test(`an idle transaction of another application in ${where} delays neither others nor merges`, {
    skip,
  }, async (t) => {
    const attacked = await attackedService('postgres')
    const databaseUrl = where === 'the same database' ? attacked.databaseUrl! : await newDatabase('neighbour')
    await using _ = await idleWriter(databaseUrl)
    await assertServed(t, attacked, async (measured) => {
      const [kept, merged, email] = [newId(), newId(), newEmail()]
      const attributes = [
        { external_id: kept, email },
        { external_id: merged, colour: 'red' },
      ]
      assert.equal((await attacked.post('/users/track', { attributes })).status, 201)
      await assertSoon(answerMsMax, 'an answer', async () => {
        const answer = await attacked.post('/email/status', { email, subscription_state: 'unsubscribed' })
        assert.equal(answer.status, 201, answer.text)
      })
      const find = async () =>
        (await attacked.post('/users/export/ids', { external_ids: [kept], fields_to_export })).body
      assert.equal((await find()).users[0].email_subscribe, 'unsubscribed')
      const merge_updates = [
        { identifier_to_merge: { external_id: merged }, identifier_to_keep: { external_id: kept } },
      ]
      assert.equal((await attacked.post('/users/merge', { merge_updates })).status, 202)
      const isMerged = async () => (await find()).users[0].custom_attributes?.colour === 'red'
      await eventually('they are merged', isMerged, exportPauseMs)
      await measured
    })
    assert.equal((await attacked.get('/ready')).status, 200)
  })
}

test('a transaction of Easel is waited for, and a log line says which one it is', { skip }, async () => {
  await using stack = new AsyncDisposableStack()
  const lines: { msg: string; waits_for?: { pid: number; since: string; state: string; statement: string }[] }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  // A name in the URL does not hide the sessions of Easel from each other.
  const databaseUrl = `${await newDatabase('own')}?application_name=crm`
  const people = await startPeople(stack, { DATABASE_URL: databaseUrl }, log)
  const other = await openDb({ dataDir: 'memory', databaseUrl, log, clock: systemClock() })
  stack.defer(() => other.close())
  const email = newEmail()
  await people.set({ external_id: newId(), email })

  const ended = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const hanging = other.transaction(async (tx) => {
    await tx.query(sql`select 1`)
    begun.resolve()
    await ended.promise
  })
  await begun.promise
  let isAnswered = false
  const answering = people.send('/email/status', { email, subscription_state: 'unsubscribed' }).finally(() => {
    isAnswered = true
  })
  await eventually('the wait is logged', () => lines.some(({ waits_for }) => waits_for !== undefined))
  assert.equal(isAnswered, false)
  ended.resolve()
  await hanging
  assert.equal((await answering).status, 201)
  const { msg, waits_for = [] } = lines.find((line) => line.waits_for !== undefined)!
  assert.match(msg, /waits for transactions of Easel/)
  assert.deepEqual(
    waits_for.map(({ state, statement }) => ({ state, statement })),
    [{ state: 'idle in transaction', statement: `begin; ${registrationOf('people')}; select 1` }],
  )
  assert.ok(waits_for.every(({ pid, since }) => pid > 0 && Date.parse(since) > 0))
})
