import assert from 'node:assert/strict'
import test from 'node:test'
import type { ClockKind, RunningProcess } from '../../src/workspace/clock/process-store.ts'
import { findRenewed, listExcluding } from '../../src/workspace/clock/register-process.ts'

const nowMs = 1_000_000
const running = (process_id: string, clock: ClockKind, expiresMs: number): RunningProcess => ({
  ...{ process_id, host: 'one', pid: 7, clock },
  expires_at: new Date(expiresMs),
})

const cases: readonly [own: ClockKind, other: ClockKind, expiresMs: number, excluded: boolean][] = [
  ['system', 'system', nowMs + 1, false],
  ['system', 'virtual', nowMs + 1, true],
  ['virtual', 'system', nowMs + 1, true],
  ['virtual', 'virtual', nowMs + 1, true],
  ['virtual', 'virtual', nowMs, true],
  ['virtual', 'virtual', nowMs - 1, false],
  ['system', 'virtual', nowMs - 1, false],
]

for (const [own, other, expiresMs, excluded] of cases) {
  test(`a ${own} clock is ${excluded ? '' : 'not '}excluded by a ${other} clock whose lease ends in ${expiresMs - nowMs} ms`, () => {
    const found = listExcluding(
      { process_id: 'a', host: 'two', pid: 1, clock: own },
      [running('b', other, expiresMs)],
      nowMs,
    )
    assert.equal(found.length, excluded ? 1 : 0)
  })
}

test('a process does not exclude itself', () => {
  const own = running('a', 'virtual', nowMs + 1)
  assert.deepEqual(listExcluding(own, [own], nowMs), [])
})

test('a process is known to run when its lease is later than before, and not when it has only appeared', () => {
  const before = [running('a', 'system', nowMs), running('b', 'system', nowMs)]
  assert.equal(findRenewed(before, before), undefined)
  assert.equal(findRenewed(before, [running('c', 'system', nowMs + 5)]), undefined)
  assert.equal(findRenewed(before, [running('a', 'system', nowMs), running('b', 'system', nowMs + 1)])?.process_id, 'b')
})
