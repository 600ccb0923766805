import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { openDb } from '../../src/base/db/open.ts'
import { newDatabase } from '../servers/template.ts'
import { eventually } from '../support/eventually.ts'
import { databases } from '../support/harness.ts'
import { newEmail, newId, People } from '../support/people.ts'

const skip = databases.includes('postgres') ? false : 'no PostgreSQL: the embedded database has no neighbours'
/** A wait for the neighbour would take 5 s before an answer, and 30 s before a merge. */
const answerMsMax = 4_000

/** Opens a transaction of another application that has written and then does nothing. */
async function idleWriter(databaseUrl: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: databaseUrl })
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
  test(`an idle transaction of another application in ${where} delays neither answers nor merges`, {
    skip,
  }, async () => {
    await using stack = new AsyncDisposableStack()
    const own = await newDatabase('own')
    const people = await startPeople(stack, { DATABASE_URL: own })
    stack.use(await idleWriter(where === 'the same database' ? own : await newDatabase('neighbour')))
    const [kept, merged] = [newId(), newId()]
    const email = newEmail()
    await people.set({ external_id: kept, email }, { external_id: merged, colour: 'red' })

    const startMs = performance.now()
    const answer = await people.send('/email/status', { email, subscription_state: 'unsubscribed' })
    assert.equal(answer.status, 201, answer.text)
    assert.equal((await people.person(kept)).email_subscribe, 'unsubscribed')
    assert.ok(performance.now() - startMs < answerMsMax, `${performance.now() - startMs} ms`)

    await people.merge({ external_id: merged }, { external_id: kept })
    assert.equal((await people.custom(kept)).colour, 'red')
    await people.settled()
    assert.equal((await people.get('/ready')).status, 200)
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
  const hanging = other.transaction(
    async () => {
      begun.resolve()
      await ended.promise
    },
    { assignTransactionId: true },
  )
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
    waits_for.map(({ state, statement }) => ({ state, statement: statement.replace(/^.*; /, '') })),
    [{ state: 'idle in transaction', statement: 'select pg_current_xact_id()' }],
  )
  assert.ok(waits_for.every(({ pid, since }) => pid > 0 && Date.parse(since) > 0))
})
