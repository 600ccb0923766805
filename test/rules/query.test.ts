import assert from 'node:assert/strict'
import test from 'node:test'
import { parseBoolean, parseDay, parseQuery } from '../../src/base/http/query.ts'

const cases: readonly [text: string, expected: { [name: string]: string[] }][] = [
  ['', {}],
  ['external_id=a', { external_id: ['a'] }],
  ['external_id[]=a&external_id[]=b', { external_id: ['a', 'b'] }],
  ['external_id%5B%5D=a&external_id%5B%5D=b', { external_id: ['a', 'b'] }],
  ['external_id[0]=a&external_id[1]=b', { external_id: ['a', 'b'] }],
  ['external_id=a&external_id=b', { external_id: ['a', 'b'] }],
  ['phone=%2B15551234567', { phone: ['+15551234567'] }],
  ['phone=+15551234567', { phone: ['+15551234567'] }],
  ['phone[]=+15551234567&phone%5B%5D=+15557654321', { phone: ['+15551234567', '+15557654321'] }],
  ['phone=%2B1+555+1234567', { phone: ['+1 555 1234567'] }],
  ['phone=+1+555+1234567', { phone: ['+1 555 1234567'] }],
  ['phone=+%2B1', { phone: [' +1'] }],
  ['email=ann+news@b.c&email[]=a+b+c@b.c', { email: ['ann+news@b.c', 'a+b+c@b.c'] }],
  ['email=ann%20news@b.c', { email: ['ann news@b.c'] }],
  ['my_email=a+b&a=email=c+d&phones=+1', { my_email: ['a b'], a: ['email=c d'], phones: [' 1'] }],
  ['external_id=a+b', { external_id: ['a b'] }],
  ['email=a%40b.c&limit=10', { email: ['a@b.c'], limit: ['10'] }],
  ['empty=&bare', { empty: [''], bare: [''] }],
  ['broken=%zz', { broken: ['%zz'] }],
  ['__proto__=x&constructor=y', { ['__proto__']: ['x'], constructor: ['y'] } as never],
]

for (const [text, expected] of cases) {
  test(`The query "${text}" becomes lists by name.`, () => {
    const query = parseQuery(text)
    assert.deepEqual(Object.entries(query), Object.entries(expected))
    assert.equal(Object.getPrototypeOf(query), null)
  })
}

test('A boolean is written as languages write booleans.', () => {
  for (const text of ['true', 'True', 'TRUE', '1']) assert.equal(parseBoolean(text), true, text)
  for (const text of ['false', 'False', '0']) assert.equal(parseBoolean(text), false, text)
  for (const text of ['', 'yes', '2', '-1', '01', ' 1']) assert.equal(parseBoolean(text), undefined, text)
})

test('A time stands for its day, as it was written.', () => {
  for (const time of ['', 'T00:00:00Z', 'T23:59:59.999+02:00', ' 23:30:00 -0500', 'T01:00:00 02:00', ' 01:00:00 UTC']) {
    assert.equal(parseDay(`2020-02-29${time}`), '2020-02-29', time)
  }
  for (const text of [
    '',
    '2021-02-29',
    '2020-2-9',
    '01/31/2020',
    '20200131',
    '1580428800',
    'T00:00Z',
    '2020-01-31T25:00Z',
  ]) {
    assert.equal(parseDay(text), undefined, text)
  }
})
