import assert from 'node:assert/strict'
import test from 'node:test'
import { Notices } from '../../src/base/http/notices.ts'
import { passedMsMax, readSchedule } from '../../src/messaging/orders/read-schedule.ts'
import {
  isLate,
  lateAfterMs,
  lateOptimalAfterMs,
  type PlannedSlot,
  planSlots,
  zonedInstant,
} from '../../src/messaging/orders/schedule.ts'
import { toTimeZone } from '../../src/people/values/time-zones.ts'

const now = '2027-03-01T12:00:00Z'
const nowMs = Date.parse(now)
const hourMs = 3_600_000

function read(value: unknown, notices = new Notices(false)) {
  return readSchedule(value, nowMs, notices)
}

/** Returns what the answer names of a schedule. */
function noticesOf(value: unknown) {
  const notices = new Notices(false)
  read(value, notices)
  return notices.members().notices
}

function iso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

test('a time is ISO 8601, in UTC when it names no offset', () => {
  const times = {
    '2027-03-02T09:30:00Z': '2027-03-02T09:30:00Z',
    '2027-03-02T09:30:00': '2027-03-02T09:30:00Z',
    '2027-03-02T09:30': '2027-03-02T09:30:00Z',
    '2027-03-02 09:30:15': '2027-03-02T09:30:15Z',
    '2027-03-02T09:30:15.1234567+01:00': '2027-03-02T08:30:15.123Z',
    '2027-03-02T09:30:15,5-0530': '2027-03-02T15:00:15.500Z',
    '2027-03-02 09:30:00 +02': '2027-03-02T07:30:00Z',
    '2027-03-02t09:30:00z': '2027-03-02T09:30:00Z',
    '2027-03-02': '2027-03-02T00:00:00Z',
    '2028-02-29T00:00:00Z': '2028-02-29T00:00:00Z',
    '20270302T093015Z': '2027-03-02T09:30:15Z',
    '20270302T093015.5+0100': '2027-03-02T08:30:15.500Z',
    '20270302T0930': '2027-03-02T09:30:00Z',
    '2027-03-02T09:30:60Z': '2027-03-02T09:30:59Z',
    '2027-03-02T09:30:00:123 UTC': '2027-03-02T09:30:00.123Z',
  }
  for (const [time, instant] of Object.entries(times)) {
    assert.equal(iso(read({ time }).at_ms), instant, time)
  }
})

test('a time that cannot be read is a bad request', () => {
  const unreadable = [
    ...['', 'tomorrow', '2027', '2027-03', '09:30', '02/03/2027', '1772445000', '2027-3-2T09:30:00Z', '+012027-03-02'],
    ...['2027-02-29T09:30:00Z', '2027-02-30', '2027-13-01', '2027-00-10', '2027-03-02T24:00:00Z', '2027-03-02T09:60Z'],
    ...['2027-03-02T09:30:61Z', '2027-03-02T09:30:00+24:00', '2027-03-02T09:30:00[Europe/Paris]', '2027-03-02T9:30Z'],
    ...['2027-03-02T09:30:00Z\u0000', '\ud800', ' 2027-03-02', 1_772_445_000, true, {}, [], ['2027-03-02']],
  ]
  for (const time of unreadable) {
    assert.throws(() => read({ time }), { message: 'Bad Request', kind: 'invalid' }, JSON.stringify(time))
  }
})

test('an invalid schedule is refused with the name of the member', () => {
  const refusals: readonly [unknown, string][] = [
    [undefined, "'schedule' must be an object with 'time'"],
    [null, "'schedule' must be an object with 'time'"],
    ['2027-03-02', "'schedule' must be an object with 'time'"],
    [[], "'schedule' must be an object with 'time'"],
    [{}, "'schedule.time' is required"],
    [{ time: null }, "'schedule.time' is required"],
    [{ time: now, in_local_time: 1 }, "'schedule.in_local_time' must be true or false"],
    [{ time: now, in_local_time: 'yes' }, "'schedule.in_local_time' must be true or false"],
    [{ time: now, at_optimal_time: {} }, "'schedule.at_optimal_time' must be true or false"],
    [{ time: now, at_optimal_time: 'best' }, "'schedule.at_optimal_time' must be true or false"],
  ]
  for (const [value, message] of refusals) assert.throws(() => read(value), { message, kind: 'invalid' })
})

test('booleans may be texts, and null is the same as absent', () => {
  const time = '2027-03-02T09:30:00'
  for (const yes of [true, 'true']) assert.equal(read({ time, in_local_time: yes }).in_local_time, true)
  for (const no of [false, 'false', null, undefined]) {
    assert.equal(read({ time, in_local_time: no, at_optimal_time: no }).in_local_time, false)
  }
})

test('an offset in a local time is dropped and reported', () => {
  const schedule = read({ time: '2027-03-02T09:30:00+05:00', in_local_time: true })
  assert.deepEqual([schedule.local, schedule.dropped_offset], ['2027-03-02T09:30:00.000', '+05:00'])
  assert.equal(iso(zonedInstant('Europe/Paris', schedule.local)), '2027-03-02T08:30:00Z')
  const dropped = [{ member: 'schedule.time', reason: 'has an offset, which a local time does not use' }]
  assert.deepEqual(noticesOf({ time: '2027-03-02T09:30:00+05:00', in_local_time: true }), dropped)
  assert.equal(noticesOf({ time: '2027-03-02T09:30:00', in_local_time: true }), undefined)
  assert.ok(!('dropped_offset' in read({ time: '2027-03-02T09:30:00', in_local_time: true })))
  assert.ok(!('dropped_offset' in read({ time: '2027-03-02T09:30:00+05:00' })))
})

test('a time that has passed is sent at once with a notice, and is a bad request after more than a day', () => {
  const ago = (ms: number) => ({ time: new Date(nowMs - ms).toISOString() })
  const sentAtOnce = [{ member: 'schedule.time', reason: 'has passed, so it is sent at once' }]
  for (const [ms, notices] of [
    [-1, undefined],
    [0, undefined],
    [1, sentAtOnce],
    [passedMsMax - 1, sentAtOnce],
    [passedMsMax, sentAtOnce],
  ] as const) {
    assert.equal(read(ago(ms)).at_ms, nowMs - ms)
    assert.deepEqual(noticesOf(ago(ms)), notices, String(ms))
  }
  assert.throws(() => read(ago(passedMsMax + 1)), { message: 'Bad Request', kind: 'invalid' })
  assert.throws(() => read({ time: '2017-05-24T21:30:00Z' }), { message: 'Bad Request', kind: 'invalid' })
})

test('a local time in the basic form has the time of day that was written', () => {
  const { local, dropped_offset } = read({ time: '20270302T093015+0500', in_local_time: true })
  assert.deepEqual([local, dropped_offset], ['2027-03-02T09:30:15.000', '+0500'])
})

test('a local time that has passed in every time zone is a bad request', () => {
  // UTC-12 shows it twelve hours after UTC.
  const last = '2027-03-01T00:00:00'
  assert.equal(read({ time: last, in_local_time: true }).in_local_time, true)
  const over = { message: 'Bad Request', kind: 'invalid' }
  assert.throws(() => read({ time: '2027-02-28T23:59:59.999', in_local_time: true }), over)
  assert.throws(() => readSchedule({ time: last, in_local_time: true }, nowMs + 1, new Notices(false)), over)
  const plan = { nowMs: nowMs + 1, workspaceZone: 'UTC' }
  assert.throws(() => planSlots(read({ time: last, in_local_time: true }), [], plan), over)
})

test('every zone has a slot for a local time that is skipped or repeated', () => {
  const cases: readonly [zone: string, local: string, instant: string, why: string][] = [
    ['America/New_York', '2027-03-14T02:30', '2027-03-14T07:30:00Z', 'a gap: the later'],
    ['America/New_York', '2027-03-14T01:59:59', '2027-03-14T06:59:59Z', 'before a gap'],
    ['America/New_York', '2027-03-14T03:00', '2027-03-14T07:00:00Z', 'after a gap'],
    ['America/New_York', '2027-03-14T09:00', '2027-03-14T13:00:00Z', 'the offset of the day itself'],
    ['America/New_York', '2027-11-07T01:30', '2027-11-07T05:30:00Z', 'an overlap: the first'],
    ['America/New_York', '2027-11-07T02:00', '2027-11-07T07:00:00Z', 'after an overlap'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00Z', 'a gap of half an hour'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00Z', 'an overlap of half an hour'],
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00Z', 'a day that was skipped'],
    ['Europe/Paris', '2027-03-28T02:30', '2027-03-28T01:30:00Z', 'a gap in Europe'],
    ['Asia/Kathmandu', '2027-03-28T02:30', '2027-03-27T20:45:00Z', 'an offset of 5:45'],
    ['Europe/Kyiv', '2027-07-01T09:00', '2027-07-01T06:00:00Z', 'a new name'],
    ['Europe/Kiev', '2027-07-01T09:00', '2027-07-01T06:00:00Z', 'its old name'],
    ['US/Pacific', '2027-07-01T09:00', '2027-07-01T16:00:00Z', 'a link'],
  ]
  for (const [zone, local, instant, why] of cases) assert.equal(iso(zonedInstant(zone, local)), instant, why)
})

test('slots are right in every zone around its next changes of the clock', () => {
  let changes = 0
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    let at: Temporal.ZonedDateTime | null = Temporal.Instant.from('2026-06-01T00:00:00Z').toZonedDateTimeISO(zone)
    for (let i = 0; i < 3 && at; i++) {
      for (const minutes of [-61, -31, -30, -1, 0, 1, 29, 30, 59, 61]) checkAround(zone, at, minutes)
      at = at.getTimeZoneTransition('next')
      if (at) changes++
    }
  }
  assert.ok(changes > 200, `${changes} changes`)
})

/**
 * Returns the first instant at which a clock shows a time. A time that is skipped is as long after the change as it is after the
 * beginning of the gap. Does not use the disambiguation of Temporal.
 */
function checkAround(zone: string, change: Temporal.ZonedDateTime, minutes: number): void {
  const local = change.toPlainDateTime().add({ minutes })
  const ms = zonedInstant(zone, local.toString())
  const back = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDateTime()
  const utcMs = local.toZonedDateTime('UTC').epochMilliseconds
  const offsets = [-26, 26].map((hours) => {
    return (
      Temporal.Instant.fromEpochMilliseconds(utcMs + hours * hourMs).toZonedDateTimeISO(zone).offsetNanoseconds / 1e6
    )
  })
  const shown = offsets.map((offsetMs) => utcMs - offsetMs).filter((at) => showsAt(zone, at, local))
  const what = `${local} in ${zone}`
  if (shown.length > 0) assert.equal(ms, Math.min(...shown), what)
  else assert.ok(Temporal.PlainDateTime.compare(back, local) > 0, `${what}: a skipped time moves forward`)
}

function showsAt(zone: string, ms: number, local: Temporal.PlainDateTime): boolean {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDateTime().equals(local)
}

function shown(slots: readonly PlannedSlot[]): Record<string, string> {
  return Object.fromEntries(
    slots.map(({ zone, dueMs, reason }) => [zone, reason ? `${iso(dueMs)} ${reason}` : iso(dueMs)]),
  )
}

test('an order that is sent at once or at one instant has one slot', () => {
  const plan = { nowMs, workspaceZone: 'Asia/Tokyo' }
  const zones = ['Europe/Paris']
  assert.deepEqual(shown(planSlots(undefined, zones, plan)), { '': now })
  assert.deepEqual(shown(planSlots(read({ time: '2027-03-02T09:30:00' }), zones, plan)), { '': '2027-03-02T09:30:00Z' })
  assert.deepEqual(shown(planSlots(read({ time: '2027-03-01T11:30:00Z' }), zones, plan)), { '': now })
})

test('a local time has a slot for each zone, for people without a zone, and for the rest', () => {
  const schedule = read({ time: '2027-03-02T09:00:00', in_local_time: 'true' })
  const zones = ['Asia/Tokyo', 'Europe/Paris', 'Middle/Earth', 'US/Pacific']
  assert.deepEqual(shown(planSlots(schedule, zones, { nowMs, workspaceZone: 'America/New_York' })), {
    'Asia/Tokyo': '2027-03-02T00:00:00Z',
    'Europe/Paris': '2027-03-02T08:00:00Z',
    'Middle/Earth': '2027-03-02T14:00:00Z',
    'US/Pacific': '2027-03-02T17:00:00Z',
    '-': '2027-03-02T14:00:00Z',
    '*': '2027-03-02T22:00:00Z',
  })
})

test('people whose local time has passed are skipped when the first slot is due', () => {
  const schedule = read({ time: '2027-03-01T13:00:00', in_local_time: true })
  // It is 21:00 in Tokyo, 13:00 in Paris, 12:00 in London, 7:00 in New York.
  const zones = ['America/New_York', 'Asia/Tokyo', 'Europe/London', 'Europe/Paris']
  assert.deepEqual(shown(planSlots(schedule, zones, { nowMs, workspaceZone: 'Asia/Tokyo' })), {
    'America/New_York': '2027-03-01T18:00:00Z',
    'Asia/Tokyo': `${now} local_time_passed`,
    'Europe/London': '2027-03-01T13:00:00Z',
    'Europe/Paris': now,
    '-': `${now} local_time_passed`,
    '*': '2027-03-02T02:00:00Z',
  })
  const later = planSlots(schedule, ['Asia/Tokyo'], { nowMs: nowMs + 60_000, workspaceZone: 'UTC' })
  assert.deepEqual(shown(later), {
    'Asia/Tokyo': '2027-03-01T13:00:00Z local_time_passed',
    '-': '2027-03-01T13:00:00Z',
    '*': '2027-03-02T02:00:00Z',
  })
})

test('best hours have a slot from the beginning to the end of the date in each zone', () => {
  const plan = { nowMs, workspaceZone: 'America/New_York' }
  const zones = ['Asia/Tokyo', 'Europe/Paris', 'Pacific/Kiritimati']
  const best = (day: string) => read({ time: `${day}T09:00:00+05:00`, at_optimal_time: 'true', in_local_time: true })
  assert.deepEqual(shown(planSlots(best('2027-03-02'), zones, plan)), {
    'Asia/Tokyo': '2027-03-01T15:00:00Z',
    'Europe/Paris': '2027-03-01T23:00:00Z',
    'Pacific/Kiritimati': now,
    '-': '2027-03-02T05:00:00Z',
    '*': '2027-03-02T13:00:00Z',
  })
  assert.deepEqual(shown(planSlots(best('2027-03-01'), zones, plan)), {
    'Asia/Tokyo': now,
    'Europe/Paris': now,
    'Pacific/Kiritimati': `${now} local_time_passed`,
    '-': now,
    '*': '2027-03-01T13:00:00Z',
  })
  assert.equal(best('2027-03-02').dropped_offset, '+05:00')
  assert.equal(best('2027-02-28').at_optimal_time, true)
  assert.throws(() => best('2027-02-27'), { message: 'Bad Request', kind: 'invalid' })
  assert.throws(() => planSlots(best('2027-02-28'), zones, { ...plan, nowMs: nowMs + 1 }), { message: 'Bad Request' })
  const slot = { zone: 'Asia/Tokyo', dueMs: nowMs, schedule: best('2027-03-02') }
  const lateMs = nowMs + 24 * hourMs + lateOptimalAfterMs
  for (const localDelayMaxMs of [0, 100 * hourMs]) {
    const late = (ms: number) => isLate(slot, { createdMs: 0 }, ms, localDelayMaxMs)
    assert.deepEqual([late(lateMs), late(lateMs + 1)], [false, true])
  }
})

test('every zone name that a profile can have has a slot at the right time', () => {
  const schedule = read({ time: '2027-07-01T09:00:00', in_local_time: true })
  const zones = [...Intl.supportedValuesOf('timeZone'), 'Etc/GMT-14', 'Etc/GMT+12', 'Hawaii', 'EST5EDT']
  const slots = planSlots(schedule, zones, { nowMs, workspaceZone: 'UTC' })
  assert.equal(slots.length, zones.length + 2)
  for (const { zone, dueMs } of slots.slice(0, zones.length)) {
    const clock = Temporal.Instant.fromEpochMilliseconds(dueMs).toZonedDateTimeISO(toTimeZone(zone)!)
    assert.equal(clock.toPlainDateTime().toString(), '2027-07-01T09:00:00', zone)
  }
  assert.ok(slots.every(({ dueMs }) => dueMs <= slots.at(-1)!.dueMs))
})

test('a slot is late when only a stopped service explains the delay', () => {
  const dispatch = { createdMs: nowMs - 10 * lateAfterMs }
  const localDelayMaxMs = 2 * hourMs
  const late = (zone: string, dueMs: number, more: object = {}) =>
    isLate({ zone, dueMs }, { ...dispatch, ...more }, nowMs, localDelayMaxMs)
  for (const [zone, limitMs] of Object.entries({
    '': lateAfterMs,
    '!': lateAfterMs,
    '-': localDelayMaxMs,
    '*': localDelayMaxMs,
    'Europe/Paris': localDelayMaxMs,
  })) {
    assert.deepEqual(
      [-hourMs, 0, limitMs, limitMs + 1].map((ago) => late(zone, nowMs - ago)),
      [false, false, false, true],
    )
    // An order that is made or resumed after the due time counts from then.
    const long = nowMs - 5 * lateAfterMs
    assert.equal(late(zone, long, { createdMs: nowMs - limitMs }), false)
    assert.equal(late(zone, long, { createdMs: nowMs - limitMs - 1 }), true)
    assert.equal(late(zone, long, { resumedMs: nowMs - limitMs }), false)
    assert.equal(late(zone, long, { resumedMs: nowMs - limitMs - 1 }), true)
  }
})
