import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBodyPacing } from '../../src/base/http/body-pacing.ts'

const bytesPerTurn = 4096
const turnsMax = 20

/** Returns the turn of the event loop, counted from 0, in which each body is read. The bodies arrive in the same turn. */
async function readingTurns(sizes: readonly number[], turns = openBodyPacing()): Promise<number[]> {
  const read: number[] = []
  let turn = 0
  const bodies = sizes.map(async (bytes, i) => {
    await turns(bytes)
    read[i] = turn
  })
  await Promise.resolve()
  for (turn = 1; turn < turnsMax; turn++) await new Promise<void>((resume) => setImmediate(resume))
  await Promise.all(bodies)
  return read
}

describe('the pacing of bodies', () => {
  for (const [what, sizes, expected] of [
    ['a single body is read at once', [bytesPerTurn * 100], [0]],
    ['small bodies share a turn', [1, 100, bytesPerTurn - 101], [0, 0, 0]],
    ['with one byte left in the turn another body is read', [bytesPerTurn - 1, bytesPerTurn, 1], [0, 0, 1]],
    ['with no byte left in the turn a body waits', [bytesPerTurn, 1], [0, 1]],
    ['large bodies are read one a turn, in their order', Array(5).fill(bytesPerTurn + 1), [0, 1, 2, 3, 4]],
    ['a small body waits for a large one before it', [bytesPerTurn, bytesPerTurn * 2, 1, 1], [0, 1, 2, 2]],
  ] as const) {
    test(what, async () => assert.deepEqual(await readingTurns(sizes), expected))
  }

  test('a body is read at once after a turn without bodies', async () => {
    const turns = openBodyPacing()
    await readingTurns([bytesPerTurn, bytesPerTurn], turns)
    assert.deepEqual(await readingTurns([bytesPerTurn, 1], turns), [0, 1])
  })
})
