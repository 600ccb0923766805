import assert from 'node:assert/strict'
import test from 'node:test'
import { windowMs } from '../../src/accounts/sign-in/limit-attempts.ts'
import {
  openAnswerPace,
  pacedNetworksMax,
  paceMs,
  turnWaitMsMax,
  unconfirmedMax,
} from '../../src/accounts/sign-in/pace-answers.ts'

/** A pace on a clock that moves only with `pass`. `waits` has how long each answer waited. */
function opened() {
  let nowMs = 0
  const waits: number[] = []
  const { run } = openAnswerPace({ elapsed: () => nowMs }, async (ms) => waits.push(ms))
  const refused = async (ip: string, times: number) => {
    for (let n = 0; n < times; n++)
      await assert.rejects(
        run(ip, () => Promise.reject(new Error('refused'))),
        /refused/,
      )
  }
  return { run, refused, waits, pass: (ms: number) => (nowMs += ms) }
}
const here = '192.0.2.1'
const confirm = async () => 'confirmed'

test('answers wait from the sixty-first unconfirmed one of a network on, until its window ends', async () => {
  const { run, refused, waits, pass } = opened()
  await refused(here, unconfirmedMax - 1)
  for (let n = 0; n < 3; n++) assert.equal(await run(here, confirm), 'confirmed')
  await refused('192.0.2.200', 1)
  assert.deepEqual(waits, [])
  assert.equal(await run(here, confirm), 'confirmed')
  await refused(here, 1)
  await run('192.0.3.1', confirm)
  assert.deepEqual(waits, [0, paceMs])
  pass(windowMs)
  await refused(here, unconfirmedMax)
  assert.deepEqual(waits, [0, paceMs])
})

test('answers that are being asked about count, so that many at once wait too', async () => {
  const { run, waits } = opened()
  const { promise, resolve } = Promise.withResolvers<string>()
  const open = Array.from({ length: unconfirmedMax + 1 }, () => run(here, () => promise))
  assert.deepEqual(waits, [0])
  resolve('confirmed')
  await Promise.all(open)
  await run(here, confirm)
  assert.deepEqual(waits, [0], 'confirmed answers do not count')
})

test('an answer that would wait for too long is not asked about', async () => {
  const { run, refused, waits, pass } = opened()
  await refused(here, unconfirmedMax)
  const turns = turnWaitMsMax / paceMs + 1
  await refused(here, turns)
  assert.equal(waits.at(-1), turnWaitMsMax)
  const late = { kind: 'unavailable', details: { retryAfterS: Math.ceil(turnWaitMsMax / 1000) } }
  await assert.rejects(run(here, confirm), late)
  pass(paceMs)
  assert.equal(await run(here, confirm), 'confirmed')
  await assert.rejects(run(here, confirm), late)
})

test('so many networks are counted at a time, and the oldest is forgotten first', async () => {
  const { run, refused, waits } = opened()
  const network = (n: number) => `10.${n >> 8}.${n & 255}.1`
  await refused(network(0), unconfirmedMax)
  for (let n = 1; n < pacedNetworksMax; n++) await run(network(n), confirm)
  await run(network(0), confirm)
  assert.equal(waits.length, 1)
  await run(network(pacedNetworksMax), confirm)
  await run(network(0), confirm)
  assert.equal(waits.length, 1, 'it was forgotten')
})
