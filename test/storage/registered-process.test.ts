import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { processNotice } from '../../src/base/db/held-lock.ts'
import { openDb } from '../../src/base/db/open.ts'
import { registerProcess } from '../../src/workspace/clock/register-process.ts'
import { testPostgres } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'
import { quiet } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'

/** Longer than another process is assumed without asking. */
const laterMs = 60_000

test('a process alone on a server learns of other processes and of commands', async (t) => {
  if (!(await testPostgres(t))) return
  const databaseUrl = await newDatabase('test')
  const time = shiftedClock()
  const first = await register(t, databaseUrl, time.clock)
  let notices = 0
  first.onOthers(() => {
    notices++
  })
  assert.equal(await first.isAlone(), false, 'it has not asked yet')
  time.pass(laterMs)
  assert.equal(await first.isAlone(), true)

  const second = await register(t, databaseUrl, systemClock())
  await eventually('the first process gets a notice', async () => notices > 0)
  assert.equal(await first.isAlone(), false)
  time.pass(laterMs)
  assert.equal(await first.isAlone(), false, 'the second one still holds the lock')
  await second.close()
  await eventually('the first one is alone again', async () => {
    time.pass(laterMs)
    return first.isAlone()
  })

  notices = 0
  const db = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock: systemClock() })
  t.after(() => db.close())
  await eventually('the first process gets a notice when a command has opened the database', async () => notices > 0)
  assert.equal(await first.isAlone(), false)
  notices = 0
  await db.execute(processNotice)
  await eventually('the first process gets a notice when a command may have written', async () => notices > 0)
})

test('a process with an embedded database is alone', async () => {
  const clock = systemClock()
  const alone = await registerProcess({ databaseUrl: undefined, clock, log: quiet, onExcluded: () => {} })
  assert.equal(await alone.isAlone(), true)
})

async function register(t: TestContext, databaseUrl: string, clock: Clock) {
  const registered = await registerProcess({ databaseUrl, clock, log: quiet, onExcluded: () => {} })
  t.after(() => registered.close())
  return registered
}

function shiftedClock() {
  const own = systemClock()
  let shiftMs = 0
  return {
    clock: { ...own, elapsed: () => own.elapsed() + shiftMs },
    pass(ms: number) {
      shiftMs += ms
    },
  }
}
