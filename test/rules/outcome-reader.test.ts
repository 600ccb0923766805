import assert from 'node:assert/strict'
import test from 'node:test'
import type { Tx } from '../../src/base/db/db.ts'
import { OutcomeReader } from '../../src/messaging/overview/read-outcomes.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A message was sent in each step of time. */
const rows = [{ reason: 'sent', count: '1' }]

function reading() {
  const bench = { nowMs: Date.UTC(2030, 0, 1, 12, 30), elapsedMs: 0, statements: 0, tookMs: 1 }
  const tx = {
    async query() {
      bench.statements++
      bench.elapsedMs += bench.tookMs
      return rows
    },
  } as unknown as Tx
  const reader = new OutcomeReader({ now: () => bench.nowMs, elapsed: () => bench.elapsedMs })
  const countStatements = async (hours: number) => {
    const before = bench.statements
    await reader.read(tx, 1, hours)
    return bench.statements - before
  }
  return { bench, reader, tx, countStatements }
}

test('columns of long ago are read again after a pause, and the latest ones each time', async () => {
  const { bench, countStatements } = reading()
  assert.equal(await countStatements(24), 24)
  bench.elapsedMs += 1_000
  // Of 10:00, 11:00 and 12:00, the first ended less than two hours ago.
  assert.equal(await countStatements(24), 3)
  bench.elapsedMs += 10 * minuteMs
  assert.equal(await countStatements(24), 24)
})

test('a column that takes long is read less often', async () => {
  const { bench, countStatements } = reading()
  bench.tookMs = 500
  await countStatements(1)
  assert.equal(await countStatements(1), 0)
  bench.elapsedMs += 20 * 500
  assert.ok((await countStatements(1)) > 0)
})

test('a chart covers the hours, with the family of each outcome', async () => {
  for (const [hours, columns, stepMs] of [
    [1, 12, 5 * minuteMs],
    [2, 24, 5 * minuteMs],
    [3, 3, hourMs],
    [48, 48, hourMs],
    [49, 9, 6 * hourMs],
    [168, 28, 6 * hourMs],
  ] as const) {
    const { reader, tx } = reading()
    const outcomes = await reader.read(tx, 1, hours)
    assert.deepEqual([outcomes.columns.length, outcomes.step_ms, outcomes.sent], [columns, stepMs, columns])
  }
})
