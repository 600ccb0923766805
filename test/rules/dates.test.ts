import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isCalendarDate, parseCustomDate, parseTime, parseWrittenTime } from '../../src/base/dates.ts'
import { seed, sizes } from '../sizes.ts'

const dates: Readonly<Record<string, string>> = {
  '2013-07-16T19:20:30+01:00': '2013-07-16T18:20:30.000Z',
  '2013-07-16T19:20:30+1:00': '2013-07-16T18:20:30.000Z',
  '2013-07-16T19:20:30-05:30': '2013-07-17T00:50:30.000Z',
  '2013-07-16T19:20:30+01': '2013-07-16T18:20:30.000Z',
  '2019-07-22T13:17:55+0000': '2019-07-22T13:17:55.000Z',
  '2019-02-15 00:00:00 -0500': '2019-02-15T05:00:00.000Z',
  '2019-02-15 00:00:00 UTC': '2019-02-15T00:00:00.000Z',
  '2019-02-15 00:00:00': '2019-02-15T00:00:00.000Z',
  '2017-05-12T18:47:12Z': '2017-05-12T18:47:12.000Z',
  '2017-05-12t18:47:12z': '2017-05-12T18:47:12.000Z',
  '2017-05-12T18:47:12': '2017-05-12T18:47:12.000Z',
  '2017-05-12T18:47Z': '2017-05-12T18:47:00.000Z',
  '2022-09-05T18:39:56.056Z': '2022-09-05T18:39:56.056Z',
  '2023-06-16T00:00:00.00Z': '2023-06-16T00:00:00.000Z',
  '2023-06-16T00:00:00.5Z': '2023-06-16T00:00:00.500Z',
  '2023-06-16T00:00:00,25Z': '2023-06-16T00:00:00.250Z',
  '2023-06-16T00:00:00.123999999999+00:00': '2023-06-16T00:00:00.123Z',
  '2013-07-16T19:20:30:123Z': '2013-07-16T19:20:30.123Z',
  '2013-07-16T19:20:30:123+0100': '2013-07-16T18:20:30.123Z',
  '2020-12-10': '2020-12-10T00:00:00.000Z',
  '2000-02-29': '2000-02-29T00:00:00.000Z',
  '0000-01-01': '0000-01-01T00:00:00.000Z',
  '0099-12-31T23:59:59Z': '0099-12-31T23:59:59.000Z',
  '9999-12-31T23:59:59.999Z': '9999-12-31T23:59:59.999Z',
  '07/16/2013': '2013-07-16T00:00:00.000Z',
  '20130716T192030Z': '2013-07-16T19:20:30.000Z',
  '20130716T192030.5+0100': '2013-07-16T18:20:30.500Z',
  '20130716T1920Z': '2013-07-16T19:20:00.000Z',
  '20130716T1920': '2013-07-16T19:20:00.000Z',
  'Tue 07 16 19:20:30.Z 2013': '2013-07-16T19:20:30.000Z',
  'Tue 07 16 19:20:30.+01:00 2013': '2013-07-16T18:20:30.000Z',
  'Tue Jul 16 19:20:30 +0000 2013': '2013-07-16T19:20:30.000Z',
  'Tue Jul 16 19:20:30 UTC 2013': '2013-07-16T19:20:30.000Z',
  'Sat Jul  6 19:20:30 2013': '2013-07-06T19:20:30.000Z',
}

const noDates = [
  '',
  '12345',
  '20130716',
  '1595872213',
  '1.5',
  'tomorrow',
  '2019-02-29',
  '1900-02-29',
  '2019-02-30T00:00:00Z',
  '2019-04-31',
  '2019-13-01',
  '2019-00-10',
  '2019-01-00',
  '02/30/2013',
  '13/01/2013',
  '1/2/2013',
  '2013-7-16',
  '2013-07',
  '2013-197',
  '2013-07-16T24:00:00Z',
  '2013-07-16T19:60:00Z',
  '2013-07-16T19:20:61Z',
  '2013-07-16T19',
  '2013-07-16T19:20:30.Z',
  '2013-07-16T19:20:30+',
  '2013-07-16T19:20:30+1:0',
  '2013-07-16T19:20:30+01:60',
  '2013-07-16T19:20:30+24:00',
  '2013-07-16T19:20:30 EST',
  '2013-07-16T19:20:30Z ',
  ' 2013-07-16',
  '2013-07-16 ',
  '2013/07/16',
  '16.07.2013',
  '20130716T1920.5Z',
  '20130716T19Z',
  '20130716T19203Z',
  '20130716T246060Z',
  'Tue Foo 16 19:20:30.Z 2013',
  'Tue 02 30 19:20:30.Z 2013',
  '+12013-07-16',
  '-0001-07-16',
]

describe('dates', () => {
  for (const [text, expected] of Object.entries(dates)) {
    test(`"${text}" is ${expected}`, () => {
      const ms = parseTime(text)
      assert.ok(ms !== undefined)
      assert.equal(new Date(ms).toISOString(), expected)
    })
  }

  for (const text of noDates) {
    test(`"${text}" is no date`, () => {
      assert.equal(parseTime(text), undefined)
      assert.equal(parseCustomDate(text), undefined)
    })
  }

  test('an instant in ISO 8601 has the time of day and the offset as they were written', () => {
    const written: Readonly<Record<string, readonly [local: string, offset: string | undefined]>> = {
      '2013-07-16': ['2013-07-16T00:00:00.000', undefined],
      '2013-07-16T19:20': ['2013-07-16T19:20:00.000', undefined],
      '2013-07-16T19:20:30.5': ['2013-07-16T19:20:30.500', undefined],
      '2013-07-16T19:20:30Z': ['2013-07-16T19:20:30.000', 'Z'],
      '2013-07-16 19:20:30 -0500': ['2013-07-16T19:20:30.000', '-0500'],
      '2013-07-16T19:20:30+1:00': ['2013-07-16T19:20:30.000', '+1:00'],
      '2013-07-16T19:20:30 UTC': ['2013-07-16T19:20:30.000', 'UTC'],
      '20130716T192030': ['2013-07-16T19:20:30.000', undefined],
      '20130716T192030.123+05': ['2013-07-16T19:20:30.123', '+05'],
      '20130716T1920-0330': ['2013-07-16T19:20:00.000', '-0330'],
      '0000-01-01T00:00:00+23:59': ['0000-01-01T00:00:00.000', '+23:59'],
      '9999-12-31T23:59:59-12': ['9999-12-31T23:59:59.000', '-12'],
    }
    for (const [text, [local, offset]] of Object.entries(written)) {
      assert.deepEqual(parseWrittenTime(text), { ms: parseTime(text), local, offset }, text)
    }
    for (const text of [...noDates, '07/16/2013', 'Tue 07 16 19:20:30.Z 2013']) {
      assert.equal(parseWrittenTime(text), undefined, text)
    }
  })

  test('a leap second is read as the second before it', () => {
    assert.equal(parseTime('2016-12-31T23:59:60Z'), Date.UTC(2016, 11, 31, 23, 59, 59))
  })

  test('a custom value is a date from the year 0 to the end of the year 3000', () => {
    assert.equal(parseCustomDate('0000-01-01'), -62_167_219_200_000)
    assert.equal(parseCustomDate('3000-12-31T23:59:59.999Z'), Date.UTC(3000, 11, 31, 23, 59, 59, 999))
    assert.equal(parseCustomDate('3001-01-01'), undefined)
    assert.equal(parseCustomDate('0000-01-01T00:00:00+01:00'), undefined)
    assert.ok(parseTime('3001-01-01') !== undefined)
  })

  test('a date of birth is a calendar date without a time', () => {
    assert.ok(isCalendarDate('2000-12-10'))
    assert.ok(isCalendarDate('1904-02-29'))
    for (const text of ['2001-02-29', '2000-12-10T00:00:00Z', '12/10/2000', '', '2000-1-1', '20001210']) {
      assert.ok(!isCalendarDate(text), text)
    }
  })

  test('every instant that the runtime writes is read as the same instant, with any offset', () => {
    const moments = fc.integer({ min: Date.UTC(1, 0, 2), max: Date.UTC(9998, 0, 1) })
    const property = fc.property(moments, fc.integer({ min: -14 * 60, max: 14 * 60 }), (ms, offset) => {
      assert.equal(parseTime(new Date(ms).toISOString()), ms)
      const sign = offset < 0 ? '-' : '+'
      const pad = (number: number): string => String(Math.abs(number)).padStart(2, '0')
      const zone = `${sign}${pad(Math.trunc(offset / 60))}:${pad(offset % 60)}`
      const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1)
      assert.equal(parseTime(local + zone), ms)
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })

  test('a day is accepted exactly when the calendar has it', () => {
    const days = fc.record({
      year: fc.integer({ min: 1000, max: 9999 }),
      month: fc.integer({ min: 0, max: 13 }),
      day: fc.integer({ min: 0, max: 32 }),
    })
    const property = fc.property(days, ({ year, month, day }) => {
      const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      const date = new Date(Date.UTC(year, month - 1, day))
      const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
      assert.equal(parseTime(text), exists ? date.getTime() : undefined)
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })

  test('no text makes the parser throw or return NaN', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[\d:+ TZ./-]{10,30}$/))
    const property = fc.property(texts, (text) => {
      const ms = parseTime(text)
      assert.ok(ms === undefined || Number.isSafeInteger(ms), text)
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  })
})
