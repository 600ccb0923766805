import assert from 'node:assert/strict'
import test from 'node:test'
import { quietUntil } from '../../src/messaging/delivery/quiet-hours.ts'
import type { Recurrence } from '../../src/messaging/flows/flow.ts'
import { recurrenceTimes } from '../../src/messaging/flows/recurrence.ts'
import { delayUntil } from '../../src/messaging/journeys/delay.ts'
import { zonedInstant } from '../../src/messaging/orders/schedule.ts'
import { long } from '../sizes.ts'
import { allClocks, type ZoneClock } from './zone-clocks.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The clock of a zone, an instant at which it changes, and the local times that it shows or skips around it, written as UTC. */
type Change = { readonly clock: ZoneClock; readonly atMs: number; readonly times: readonly number[] }

const changes: readonly Change[] = allClocks().flatMap((clock) => {
  const instants = clock.changesMs.length > 0 ? clock.changesMs : [Date.UTC(2028, 1, 29, 12)]
  return instants.map((atMs) => {
    const edges = [clock.shownAt(atMs - 1) + 1, clock.shownAt(atMs)]
    const middle = (edges[0]! + edges[1]!) / 2
    return { clock, atMs, times: [...edges.flatMap((ms) => [ms - minuteMs, ms]), middle] }
  })
})

/** The long run tests every zone, the short run one of the zones with the same rules. */
const tried = long ? changes : [...new Map(changes.map((change) => [alike(change), change])).values()]

function alike({ atMs, times }: Change): string {
  return `${atMs} ${times}`
}

function iso(shownMs: number): string {
  return new Date(shownMs).toISOString().slice(0, 16)
}

function timeOf(shownMs: number): string {
  return iso(shownMs).slice(11)
}

function dayOf(shownMs: number): number {
  return Math.floor(shownMs / dayMs) * dayMs
}

function weekdayOf(shownMs: number): number {
  return new Date(shownMs).getUTCDay() || 7
}

/** Returns when clocks show a time of day, on each of the days around an instant. */
function daily(clock: ZoneClock, shownMs: number, aroundMs: number, days: readonly number[]) {
  const day = dayOf(clock.shownAt(aroundMs))
  return Array.from({ length: 14 }, (_, i) => day + (i - 4) * dayMs + (shownMs - dayOf(shownMs)))
    .filter((shown) => days.length === 0 || days.includes(weekdayOf(shown)))
    .map((shown) => ({ shown, ms: clock.instantOf(shown) }))
}

test('clocks change by every usual number of minutes in these years', () => {
  const byMinutes = Object.groupBy(changes, ({ clock, atMs }) => {
    return `${(clock.shownAt(atMs) - clock.shownAt(atMs - 1) - 1) / minuteMs}`
  })
  assert.ok(changes.length > 1200)
  assert.deepEqual(Object.keys(byMinutes).sort(), ['-120', '-30', '-60', '0', '120', '30', '60'])
})

test('a local time is due when clocks first show it, around every change of every zone', () => {
  for (const { clock, times } of changes) {
    for (const shown of times) {
      for (const ms of [shown, shown + 1, shown + 29 * minuteMs, shown + 61 * minuteMs]) {
        const local = new Date(ms).toISOString().slice(0, -1)
        assert.equal(zonedInstant(clock.zone, local), clock.instantOf(ms), `${local} in ${clock.zone}`)
      }
    }
  }
})

test('a delay until a time of day ends when clocks show it next, around every change of every zone', () => {
  for (const { clock, atMs, times } of tried) {
    for (const shown of times) {
      const first = clock.instantOf(shown)
      const froms = new Set([atMs - dayMs, atMs - 1, atMs, atMs + hourMs, first - 1, first])
      for (const fromMs of froms) {
        const wait = { until: timeOf(shown), weekdays: [] }
        const expected = daily(clock, shown, fromMs, []).find(({ ms }) => ms > fromMs)!.ms
        assert.equal(
          delayUntil(wait, fromMs, clock.zone),
          expected,
          `${wait.until} after ${iso(fromMs)} in ${clock.zone}`,
        )
      }
    }
  }
})

test('a delay until a weekday ends on that day, around every change of every zone', () => {
  for (const [i, { clock, atMs, times }] of tried.entries()) {
    const shown = times[i % times.length]!
    const weekday = weekdayOf(shown)
    for (const weekdays of [[weekday], [(weekday % 7) + 1], [((weekday + 5) % 7) + 1]]) {
      for (const fromMs of [atMs - 1, atMs, clock.instantOf(shown)]) {
        const expected = daily(clock, shown, fromMs, weekdays).find(({ ms }) => ms > fromMs)!.ms
        const what = `${timeOf(shown)} on ${weekdays} after ${iso(fromMs)} in ${clock.zone}`
        assert.equal(delayUntil({ until: timeOf(shown), weekdays }, fromMs, clock.zone), expected, what)
      }
    }
  }
})

test('quiet hours end when clocks stop showing them, around every change of every zone', () => {
  for (const [i, { clock, atMs, times }] of tried.entries()) {
    const [start, end] = [timeOf(times[i % 5]!), timeOf(times[(i + 1 + (i % 3)) % 5]!)]
    const night = timeOf(times[i % 5]! - 6 * hourMs)
    for (const quiet of [
      { start, end },
      { start: end, end: start },
      { start: night, end },
    ]) {
      for (const nowMs of [atMs - hourMs, atMs - 1, atMs, atMs + 31 * minuteMs]) {
        const what = `${quiet.start} to ${quiet.end} at ${new Date(nowMs).toISOString()} in ${clock.zone}`
        assert.equal(quietUntil(quiet, nowMs, clock.zone), quietEnd(quiet, nowMs, clock), what)
      }
    }
  }
})

/** Searches minute by minute, because zones change at whole minutes. */
function quietEnd(quiet: { start: string; end: string }, nowMs: number, clock: ZoneClock): number | undefined {
  const [start, end] = [quiet.start, quiet.end].map((time) => Date.parse(`1970-01-01T${time}Z`))
  const isQuiet = (ms: number) => {
    const time = clock.shownAt(ms) % dayMs
    return start! <= end! ? time >= start! && time < end! : time >= start! || time < end!
  }
  if (!isQuiet(nowMs)) return undefined
  let ms = Math.floor(nowMs / minuteMs) * minuteMs
  while (isQuiet(ms)) ms += minuteMs
  return ms
}

test('quiet hours exclude their end, and are empty when beginning and end are equal', () => {
  const at = (time: string, start: string, end: string) => {
    const ms = quietUntil({ start, end }, Date.parse(`2027-03-01T${time}Z`), 'UTC')
    return ms === undefined ? undefined : new Date(ms).toISOString().slice(5, 16)
  }
  assert.equal(at('08:59:59.999', '09:00', '17:00'), undefined)
  assert.equal(at('09:00', '09:00', '17:00'), '03-01T17:00')
  assert.equal(at('16:59:59.999', '09:00', '17:00'), '03-01T17:00')
  assert.equal(at('17:00', '09:00', '17:00'), undefined)
  assert.equal(at('20:59:59.999', '21:00', '08:00'), undefined)
  assert.equal(at('21:00', '21:00', '08:00'), '03-02T08:00')
  assert.equal(at('00:00', '21:00', '08:00'), '03-01T08:00')
  assert.equal(at('08:00', '21:00', '08:00'), undefined)
  assert.equal(at('23:00', '21:00', '00:00'), '03-02T00:00')
  assert.equal(at('09:00', '09:00', '09:00'), undefined)
})

test('a recurrence occurs once on each of its days, around every change of every zone', () => {
  for (const [i, { clock, atMs, times }] of tried.entries()) {
    const shown = times[i % times.length]!
    const days = i % 2 === 0 ? [] : [weekdayOf(shown), (weekdayOf(shown) % 7) + 1]
    const [fromMs, untilMs] = [atMs - 3 * dayMs, clock.instantOf(shown) + 5 * dayMs]
    const recurrence = { at: timeOf(shown), days, zone: clock.zone, from: undefined, until: undefined }
    const found = recurrenceTimes(recurrence, 'UTC', fromMs, untilMs)
    const expected = daily(clock, shown, atMs, days)
      .filter(({ ms }) => ms >= fromMs && ms < untilMs)
      .map((each) => ({ local: iso(each.shown), firstMs: each.ms, zone: clock.zone }))
    assert.deepEqual(found, expected, `${recurrence.at} in ${clock.zone}`)
    assert.ok(found.length > 0 && new Set(found.map(({ local }) => local)).size === found.length)
  }
})

const march = { fromMs: Date.UTC(2027, 2, 1), untilMs: Date.UTC(2027, 2, 8) }

function occurring(given: Partial<Recurrence>, { fromMs, untilMs } = march) {
  const recurrence = { at: '09:00', days: [], zone: 'Europe/Paris', from: undefined, until: undefined, ...given }
  return recurrenceTimes(recurrence, 'Asia/Tokyo', fromMs, untilMs)
}

test('consecutive windows of a recurrence have each time once', () => {
  const whole = occurring({}, { fromMs: Date.UTC(2027, 2, 1), untilMs: Date.UTC(2027, 3, 1) })
  assert.equal(whole.length, 31)
  for (const stepMs of [hourMs, 5 * hourMs, 25 * hourMs]) {
    const parts = []
    for (let ms = Date.UTC(2027, 2, 1); ms < Date.UTC(2027, 3, 1); ms += stepMs) {
      parts.push(...occurring({}, { fromMs: ms, untilMs: Math.min(ms + stepMs, Date.UTC(2027, 3, 1)) }))
    }
    assert.deepEqual(parts, whole)
  }
  const { firstMs } = whole[0]!
  assert.equal(occurring({}, { fromMs: firstMs, untilMs: firstMs }).length, 0)
  assert.equal(occurring({}, { fromMs: firstMs, untilMs: firstMs + 1 }).length, 1)
  assert.equal(occurring({}, { fromMs: firstMs + 1, untilMs: firstMs + 2 }).length, 0)
})

test('a recurrence occurs on its weekdays, from its first to its last date', () => {
  const locals = (given: Partial<Recurrence>) => occurring(given).map(({ local }) => local.slice(8))
  assert.deepEqual(locals({ days: [1, 5] }), ['01T09:00', '05T09:00'])
  assert.deepEqual(locals({ from: '2027-03-03', until: '2027-03-04' }), ['03T09:00', '04T09:00'])
  assert.deepEqual(locals({ from: '2027-03-03', until: '2027-03-03' }), ['03T09:00'])
  assert.deepEqual(locals({ until: '2027-02-28' }), [])
  assert.deepEqual(locals({ from: '2027-03-08' }), [])
})

test('a recurrence in local times begins where its time comes first, and an unknown zone is that of the workspace', () => {
  const [first] = occurring({ zone: 'local' })
  // It is nine in the morning on the Line Islands.
  assert.deepEqual(first, { local: '2027-03-02T09:00', firstMs: Date.UTC(2027, 2, 1, 19), zone: 'local' })
  const [there] = occurring({ zone: 'Middle/Earth' })
  assert.deepEqual(there, { local: '2027-03-01T09:00', firstMs: Date.UTC(2027, 2, 1), zone: 'Asia/Tokyo' })
})
