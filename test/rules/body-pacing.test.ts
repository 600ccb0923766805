import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openBodyPacing } from '../../src/base/http/body-pacing.ts'

const bytesPerTurn = 4096
const turnsMax = 20

/** In which turn of the event loop, counted from 0, each body of these sizes is read; they arrive in the same turn. */
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

describe('turns', () => {
  for (const [what, sizes, expected] of [
    ['a body that is alone is read at once', [bytesPerTurn * 100], [0]],
    ['small ones share a turn', [1, 100, bytesPerTurn - 101], [0, 0, 0]],
    ['with one byte left another one is read', [bytesPerTurn - 1, bytesPerTurn, 1], [0, 0, 1]],
    ['with none left it waits', [bytesPerTurn, 1], [0, 1]],
    ['large ones are read one a turn, in their order', Array(5).fill(bytesPerTurn + 1), [0, 1, 2, 3, 4]],
    ['a small one waits behind a large one', [bytesPerTurn, bytesPerTurn * 2, 1, 1], [0, 1, 2, 2]],
  ] as const) {
    test(what, async () => assert.deepEqual(await readingTurns(sizes), expected))
  }

  test('who comes when nobody has been read for a turn is read at once', async () => {
    const turns = openBodyPacing()
    await readingTurns([bytesPerTurn, bytesPerTurn], turns)
    assert.deepEqual(await readingTurns([bytesPerTurn, 1], turns), [0, 1])
  })
})
