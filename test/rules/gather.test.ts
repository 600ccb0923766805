import assert from 'node:assert/strict'
import test from 'node:test'
import { gather } from '../../src/messaging/delivery/gather.ts'

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
    await gather({ untilInFlight: async (inFlightMax) => void asked.push(inFlightMax) }, connections)
    assert.deepEqual(asked, [busyMax])
  }
})

test('a hand-over goes on when the connections do not become free', async () => {
  await gather({ untilInFlight: () => new Promise(() => {}) }, 20)
  await gather({ untilInFlight: () => new Promise(() => {}) }, 20, 1)
})
