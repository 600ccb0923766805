import assert from 'node:assert/strict'
import test from 'node:test'
import { isVirtual, syncClock, systemClock, virtualClock } from '../../src/base/clock.ts'

const startMs = Date.UTC(2030, 0, 31, 9)

test('Stamps are microseconds, strictly increasing, and never behind the time.', () => {
  for (const clock of [systemClock(), virtualClock(startMs)]) {
    let last = 0
    for (let i = 0; i < 5000; i++) {
      const nowUs = clock.now() * 1000
      const stamp = clock.stamp()
      assert.ok(Number.isSafeInteger(stamp))
      assert.ok(stamp > last && stamp >= nowUs)
      last = stamp
    }
  }
})

test('Stamps continue after the last stored stamp.', () => {
  const clock = virtualClock(startMs)
  clock.continueAfter(startMs * 1000 + 500)
  assert.equal(clock.stamp(), startMs * 1000 + 501)
  clock.continueAfter(startMs * 1000)
  assert.equal(clock.stamp(), startMs * 1000 + 502)
})

test('A virtual clock does not advance by itself, while elapsed time does.', async () => {
  const clock = virtualClock(startMs)
  const elapsedMs = clock.elapsed()
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(clock.now(), startMs)
  assert.ok(clock.elapsed() - elapsedMs >= 15)
  clock.moveTo(startMs + 1000)
  assert.equal(clock.now(), startMs + 1000)
  assert.ok(clock.stamp() >= (startMs + 1000) * 1000)
})

test('A virtual clock never goes back.', () => {
  const clock = virtualClock(startMs)
  assert.throws(() => clock.moveTo(startMs - 1), RangeError)
  assert.throws(() => clock.moveTo(Number.NaN), RangeError)
  assert.equal(clock.now(), startMs)
})

test('Elapsed time counts from the epoch, and never goes back when the offset does.', () => {
  const clock = systemClock()
  assert.ok(Math.abs(clock.elapsed() - Date.now()) < 2000)
  clock.setOffset(60_000)
  assert.ok(Math.abs(clock.now() - Date.now() - 60_000) < 2000)
  const aheadMs = clock.elapsed()
  clock.setOffset(0)
  assert.ok(clock.elapsed() >= aheadMs)
})

test('The clock follows the time of the database, in whole milliseconds.', async () => {
  const clock = systemClock()
  await syncClock(clock, async () => Date.now() + 5000.25)
  assert.ok(Number.isInteger(clock.now()))
  assert.ok(Math.abs(clock.now() - Date.now() - 5000) < 500)
  assert.ok(!isVirtual(clock))
})

test('Of several readings of the database time the one with the shortest round trip counts.', async () => {
  const clock = systemClock()
  const delaysMs = [60, 40, 0, 50, 30]
  await syncClock(clock, async () => {
    const theirMs = Date.now() + 5000
    await new Promise((resolve) => setTimeout(resolve, delaysMs.shift()))
    return theirMs
  })
  assert.ok(Math.abs(clock.now() - Date.now() - 5000) <= 10, `${clock.now() - Date.now()}`)
})

test('Both clocks follow the time of the database when the clock of the machine is set.', async (t) => {
  const now = Date.now.bind(Date)
  for (const stepMs of [-5000, 5000]) {
    const clock = systemClock()
    const { mock } = t.mock.method(Date, 'now', () => now() + stepMs)
    await syncClock(clock, async () => now())
    for (const reading of [clock.now(), clock.elapsed()]) assert.ok(Math.abs(reading - now()) < 500, `${stepMs}`)
    mock.restore()
  }
})
