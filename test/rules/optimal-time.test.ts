import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { quietUntil } from '../../src/messaging/delivery/quiet-hours.ts'
import {
  addHistograms,
  type Engagement,
  type Histogram,
  histogramOf,
  optimalTime,
  ownWeightLeast,
  workspaceCountLeast,
} from '../../src/messaging/expansion/optimal-time.ts'
import { seed, sizes } from '../sizes.ts'

const now = '2027-03-01T12:00:00Z'
const nowMs = Date.parse(now)
const dayMs = 86_400_000
const given = {
  date: '2027-03-10',
  zone: 'Europe/Paris',
  local: '2027-03-10T18:30:00.000',
  profile_id: '4503599627370497',
}

/** Returns a histogram with these weights by hour. */
function weighing(weights: Readonly<Record<number, number>>, count = 0): Histogram {
  return { hours: Array.from({ length: 24 }, (_, hour) => weights[hour] ?? 0), count }
}

function engaged(kind: Engagement['kind'], time: string): Engagement {
  return { kind, timeMs: Date.parse(time) }
}

function hourOf(own: Histogram | undefined, workspace?: Histogram): string {
  const { hour, source } = optimalTime({ own, workspace }, given)
  return `${hour} ${source}`
}

function shown(ms: number, zone = given.zone): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDateTime().toString()
}

test('engagements have a weight by kind in the local hour, half of it after thirty days, and each kind counts once an hour', () => {
  const old = new Date(nowMs - 30 * dayMs).toISOString()
  const { hours, count } = histogramOf(
    [
      engaged('clicked', now),
      engaged('opened', now),
      engaged('session', now),
      engaged('session', '2027-03-01T11:59:59Z'),
      engaged('clicked', old),
      engaged('clicked', old),
      // Another hour of the same day, and an hour in the future.
      engaged('opened', '2027-03-01T11:00:00Z'),
      engaged('clicked', '2027-03-01T12:00:01Z'),
    ],
    'Asia/Tokyo',
    nowMs,
  )
  // It is nine in the evening in Tokyo.
  assert.equal(count, 6)
  assert.equal(hours[21], 3 + 2 + 1 + 1.5)
  assert.ok(Math.abs(hours[20]! - 3) < 0.01)
  assert.equal(hours.filter((weight) => weight > 0).length, 2)
})

test('the hour with the largest sum of its weight and half of its neighbours is chosen, of equal ones the earlier', () => {
  assert.equal(hourOf(weighing({ 9: 5 })), '9 own')
  assert.equal(hourOf(weighing({ 9: 3, 15: 2, 16: 2 })), '9 own')
  assert.equal(hourOf(weighing({ 9: 3, 15: 2, 16: 3 })), '16 own')
  assert.equal(hourOf(weighing({ 9: 3, 20: 3 })), '9 own')
  assert.equal(hourOf(weighing({ 8: 3, 9: 3 })), '8 own')
  // Midnight and eleven in the evening are neighbours.
  assert.equal(hourOf(weighing({ 23: 2, 0: 2, 1: 2, 12: 3 })), '0 own')
  assert.equal(hourOf(weighing({ 22: 2, 23: 2, 0: 2, 12: 3 })), '23 own')
})

test('a person with few engagements gets the hour of the workspace, and a workspace with few the hour of the schedule', () => {
  const own = (weight: number) => weighing({ 9: weight })
  const workspace = (count: number) => weighing({ 20: 1 }, count)
  assert.equal(hourOf(own(ownWeightLeast), workspace(workspaceCountLeast)), '9 own')
  assert.equal(hourOf(own(ownWeightLeast + 0.01)), '9 own')
  assert.equal(hourOf(own(ownWeightLeast - 0.01), workspace(workspaceCountLeast)), '20 workspace')
  assert.equal(hourOf(undefined, workspace(workspaceCountLeast + 1)), '20 workspace')
  assert.equal(hourOf(undefined, workspace(workspaceCountLeast - 1)), '18 schedule')
  assert.equal(hourOf(undefined), '18 schedule')
})

test('the time of the schedule is exact to the second, and in a computed hour each person has a minute', () => {
  assert.equal(shown(optimalTime({}, given).dueMs), '2027-03-10T18:30:00')
  const own = weighing({ 9: 5 })
  const minutes = Array.from({ length: 300 }, (_, i) => {
    const { dueMs } = optimalTime({ own }, { ...given, profile_id: `${i}` })
    assert.equal(dueMs, optimalTime({ own }, { ...given, profile_id: `${i}` }).dueMs)
    assert.match(shown(dueMs), /^2027-03-10T09:..:00$/)
    return shown(dueMs).slice(14, 16)
  })
  assert.ok(new Set(minutes).size > 50)
})

test('a time in quiet hours moves to their end, and the result has the chosen hour', () => {
  const quiet = { start: '21:00', end: '08:00' }
  const late = optimalTime({ own: weighing({ 23: 5 }) }, { ...given, quiet })
  assert.deepEqual([shown(late.dueMs), late.hour, late.source], ['2027-03-11T08:00:00', 23, 'own'])
  const early = optimalTime({ own: weighing({ 3: 5 }) }, { ...given, quiet })
  assert.equal(shown(early.dueMs), '2027-03-10T08:00:00')
  assert.equal(
    shown(optimalTime({}, { ...given, local: '2027-03-10T22:00:00.000', quiet }).dueMs),
    '2027-03-11T08:00:00',
  )
})

test('histograms of several people can be added', () => {
  const sum = addHistograms([weighing({ 1: 2 }, 3), weighing({ 1: 1, 2: 5 }, 4)])
  assert.deepEqual(sum, weighing({ 1: 3, 2: 5 }, 7))
  assert.deepEqual(addHistograms([]), weighing({}))
})

test('for any engagements the time is on the date in the returned hour, or at the end of quiet hours', () => {
  const time = fc.nat({ max: 13 }).map((hour) => `${hour + 10}:00`)
  const engagements = fc.array(
    fc.record({
      kind: fc.constantFrom('clicked' as const, 'opened' as const, 'session' as const),
      timeMs: fc.integer({ min: nowMs - 90 * dayMs, max: nowMs + dayMs }),
    }),
    { maxLength: 20 },
  )
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
  const property = fc.property(engagements, zone, time, time, (done, zone, start, end) => {
    const own = histogramOf(done, zone, nowMs)
    const best = optimalTime({ own }, { ...given, zone })
    assert.deepEqual(optimalTime({ own: histogramOf(done.toReversed(), zone, nowMs) }, { ...given, zone }), best)
    assert.equal(shown(best.dueMs, zone).slice(0, 13), `2027-03-10T${`${best.hour}`.padStart(2, '0')}`)
    const moved = optimalTime({ own }, { ...given, zone, quiet: { start, end } })
    assert.equal(moved.dueMs, quietUntil({ start, end }, best.dueMs, zone) ?? best.dueMs)
    assert.equal(quietUntil({ start, end }, moved.dueMs, zone), undefined)
  })
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})
