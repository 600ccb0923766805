import assert from 'node:assert/strict'
import test from 'node:test'
import { parseQuery } from '../../src/base/http/query.ts'

const cases: readonly [text: string, expected: { [name: string]: string[] }][] = [
  ['', {}],
  ['external_id=a', { external_id: ['a'] }],
  ['external_id[]=a&external_id[]=b', { external_id: ['a', 'b'] }],
  ['external_id%5B%5D=a&external_id%5B%5D=b', { external_id: ['a', 'b'] }],
  ['external_id[0]=a&external_id[1]=b', { external_id: ['a', 'b'] }],
  ['external_id=a&external_id=b', { external_id: ['a', 'b'] }],
  ['phone=%2B15551234567', { phone: ['+15551234567'] }],
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
