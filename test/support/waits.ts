import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** The 99th percentile may grow this much while somebody attacks. */
const slowdownMax = 5
/** Below it a slowdown is the noise of a busy machine. */
const floorMs = 250
/** An attack delays every round, a busy machine only some. */
const roundsMax = 5
const samplesMin = 120
const betweenMs = 2

/** Asks one after the other while `act` runs, and at least some times. Returns how long each took, in ms. */
export async function measureWaits(ask: () => Promise<unknown>, act: () => Promise<unknown>): Promise<number[]> {
  const waits: number[] = []
  let acting = true
  const acted = act().finally(() => {
    acting = false
  })
  // It is awaited below.
  acted.catch(() => undefined)
  while (acting || waits.length < samplesMin) {
    const startMs = performance.now()
    await ask()
    waits.push(performance.now() - startMs)
    await pause(betweenMs)
  }
  await acted
  return waits
}

/**
 * Asserts that the 99th percentile of `ask` stays under five times its quiet value while somebody attacks. `attack` is carried out anew in
 * each round. Returns what was measured.
 */
export async function assertServed(ask: () => Promise<unknown>, attack: () => Promise<unknown>): Promise<string> {
  const rounds: string[] = []
  while (rounds.length < roundsMax) {
    const before = p99Of(await measureWaits(ask, async () => undefined))
    const waits = await measureWaits(ask, attack)
    const during = p99Of(waits)
    rounds.push(`p99 ${before.toFixed(0)} ms quiet, ${during.toFixed(0)} ms under attack (${waits.length} requests)`)
    if (during < Math.max(slowdownMax * before, floorMs)) return rounds.join('; ')
  }
  assert.fail(rounds.join('; '))
}

function p99Of(waits: readonly number[]): number {
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)]!
}
