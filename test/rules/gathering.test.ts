import assert from 'node:assert/strict'
import test from 'node:test'
import { Gathering, gatherMs, gatherMsMax } from '../../src/messaging/delivery/gathering.ts'

/** Returns a gathering, and a function that runs a transaction of so many milliseconds by its clock. */
function opened(connections: number, leastMs?: number) {
  let elapsedMs = 1_000
  const gathering = new Gathering({ elapsed: () => elapsedMs }, connections, leastMs)
  const run = (ms: number, fails = false) =>
    gathering.run(async () => {
      elapsedMs += ms
      if (fails) throw new Error('the database is away')
      return 'done'
    })
  return { gathering, run }
}

test('a hand-over waits until at most a quarter of the connections is busy', async () => {
  for (const [connections, busyMax] of [
    [1, 0],
    [3, 0],
    [4, 1],
    [10, 2],
    [20, 5],
    [64, 16],
  ] as const) {
    const asked: number[] = []
    const pipeline = { untilInFlight: async (inFlightMax: number) => void asked.push(inFlightMax) }
    await opened(connections).gathering.wait(pipeline)
    assert.deepEqual(asked, [busyMax])
  }
})

test('a hand-over goes on when the connections do not become free', async () => {
  await opened(20).gathering.wait({ untilInFlight: () => new Promise(() => {}) })
})

test('a wait takes as long as the last transaction did, from the least to the longest', async () => {
  const { gathering, run } = opened(20)
  assert.equal(gathering.waitMs, gatherMs)
  for (const [tookMs, waitMs] of [
    [gatherMs - 1, gatherMs],
    [gatherMs, gatherMs],
    [gatherMs + 1, gatherMs + 1],
    [gatherMsMax - 1, gatherMsMax - 1],
    [gatherMsMax, gatherMsMax],
    [gatherMsMax + 1, gatherMsMax],
    [0, gatherMs],
  ] as const) {
    assert.equal(await run(tookMs), 'done')
    assert.equal(gathering.waitMs, waitMs)
  }
})

test('a transaction that failed counts too, and its error is passed on', async () => {
  const { gathering, run } = opened(20)
  await assert.rejects(run(30, true), /the database is away/)
  assert.equal(gathering.waitMs, 30)
})

test('a channel may let its hand-overs wait longer', async () => {
  const { gathering, run } = opened(64, 25)
  assert.equal(gathering.waitMs, 25)
  await run(24)
  assert.equal(gathering.waitMs, 25)
  await run(26)
  assert.equal(gathering.waitMs, 26)
})
