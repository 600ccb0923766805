import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ExactNumber, numberCharactersMax } from '../../src/base/exact-number.ts'
import { Notices } from '../../src/base/http/notices.ts'
import type { Identifier } from '../../src/people/identity/identifier.ts'
import { type AttributeChange, isPlain, readAttributes } from '../../src/people/profile/attributes.ts'
import type { NestedNulls } from '../../src/people/values/nulls.ts'
import { identifierWords } from '../../src/people/values/refusals.ts'
import { arrayItemsMax, keysMax, nestedBytesMax } from '../../src/people/values/values.ts'

const someone: Identifier = { kind: 'external_id', value: 'u' }
const rules = { suspicious: false, appIds: new Set(['app']), groups: new Map() }

function read(object: Record<string, unknown>, suspicious = false): AttributeChange | string {
  return readAttributes(
    { external_id: 'u', ...object },
    someone,
    { ...rules, suspicious },
    identifierWords('service'),
    new Notices(false),
  )
}

function change(object: Record<string, unknown>): AttributeChange {
  const result = read(object)
  assert.ok(typeof result !== 'string', `refused: ${result}`)
  return result
}

describe('custom attributes', () => {
  test('are kept as sent, and values that read as dates are also kept as dates', () => {
    const values = {
      s: 'fruit',
      n: 25,
      f: 1.5,
      b: false,
      a: ['x', 1],
      o: { k: [1, { l: 'm' }] },
      e: '',
      d: '2020-01-01',
    }
    const { custom, typed, removed } = change({ ...values, gone: null })
    assert.deepEqual(custom, values)
    assert.deepEqual(typed, { d: Date.UTC(2020, 0, 1) })
    assert.deepEqual(removed, ['gone'])
    assert.ok(isPlain(change(values)))
  })

  test('are not plain when their JSON may have more than twice the bytes that the database takes', () => {
    const zeros = '0'.repeat(39)
    for (const [value, plain] of [
      [1e20, true],
      [1e21, false],
      [[{ a: -1e-7 }], false],
      [new ExactNumber(`9${zeros.slice(1)}`), true],
      [new ExactNumber(`9${zeros}`), false],
      ['line\n', true],
      ['\u0001', false],
      [{ '\u001f': 1 }, false],
    ] as const) {
      const given = read({ a: value }, true)
      assert.ok(typeof given !== 'string' && isPlain(given) === plain, JSON.stringify(value))
    }
    const named = read({ 'a\u0001': 1 }, true)
    assert.ok(typeof named !== 'string' && !isPlain(named))
  })

  test('may have any name except the reserved ones', () => {
    const names = {
      ' a ': 1,
      'a.b': 1,
      $x: 1,
      toString: 1,
      valueOf: 1,
      device_id: 1,
      app_id: 1,
      time: '1',
      name: 'n',
      updated_at: 1,
    }
    assert.deepEqual(change(names).custom, names)
    const reserved = {
      created_at: 1,
      random_bucket: 1,
      total_revenue: 1,
      devices: 1,
      apps: 1,
      bio: 'x',
      service_id: 'x',
      alias_name: 'x',
    }
    assert.equal(change(reserved).custom, null)
    assert.equal(
      change({ _x: 1, _merge_objects: true, _update_existing_only: false, push_opted_in_at: 'x' }).custom,
      null,
    )
  })

  test('a name or text of 256 characters is dropped, and the rest is applied', () => {
    for (const [length, applied] of [
      [254, true],
      [255, true],
      [256, false],
    ] as const) {
      assert.equal(Object.keys(change({ ['k'.repeat(length)]: 1, other: 1 }).custom ?? {}).length, applied ? 2 : 1)
      assert.equal(change({ k: 'ü'.repeat(length) }).custom !== null, applied)
      assert.equal(change({ k: ['a'.repeat(length)] }).custom !== null, applied)
      assert.equal(change({ k: { a: 'a'.repeat(length) } }).custom !== null, applied)
      assert.equal(change({ k: { ['a'.repeat(length)]: 1 } }).custom !== null, applied)
    }
    assert.equal(change({ '': 1 }).custom, null)
  })

  test('an array loses repeated items, and is dropped when it has more than 500 different ones', () => {
    assert.deepEqual(change({ a: ['hotdog', 'hotdog', 'hotdog', 'pizza'] }).custom, { a: ['hotdog', 'pizza'] })
    const items = (count: number): string[] => Array.from({ length: count }, (_, i) => `i${i}`)
    for (const [count, applied] of [
      [499, true],
      [arrayItemsMax, true],
      [501, false],
    ] as const) {
      assert.equal(change({ a: items(count) }).custom !== null, applied)
    }
    assert.deepEqual(change({ a: [...items(500), ...items(500)] }).custom?.a, items(500))
    const objects = Array.from({ length: 600 }, (_, i) => ({ i }))
    assert.deepEqual(change({ a: objects }).custom, { a: objects })
  })

  test('a nested value has at most 100 KB and no odd key or bad date', () => {
    for (const [bytes, applied] of [
      [nestedBytesMax - 1, true],
      [nestedBytesMax, true],
      [nestedBytesMax + 1, false],
    ] as const) {
      const value = sized(bytes)
      assert.equal(Buffer.byteLength(JSON.stringify(value)), bytes)
      assert.equal(change({ o: value }).custom !== null, applied)
    }
    for (const value of [{ 'a b': 1 }, { 'a.b': 1 }, { $a: 1 }, { '': 1 }]) {
      const { custom } = change({ o: value, other: 1 })
      assert.deepEqual(custom, { other: 1 }, JSON.stringify(value))
    }
  })

  test('{"$time"} becomes the date as it was sent, or drops its attribute', () => {
    const sent = {
      o: { at: { $time: '2020-01-01 10:00:00' }, list: [{ $time: '2019-02-28' }] },
      top: { $time: '2020-01-01' },
    }
    const { custom, typed } = change(sent)
    assert.deepEqual(custom, { o: { at: '2020-01-01 10:00:00', list: ['2019-02-28'] }, top: '2020-01-01' })
    assert.deepEqual(typed, { top: Date.UTC(2020, 0, 1) })
    for (const time of ['soon', null, 5, '3001-01-01', '2020-02-30']) {
      assert.deepEqual(change({ o: { at: { $time: time } }, top: { $time: time } }).custom, null)
    }
  })

  test('instructions such as $add and inc are distinguished from values', () => {
    const { operations, custom } = change({
      _merge_objects: true,
      points: { inc: -2 },
      list: { add: ['a', 'b'], remove: ['c'] },
      other: { $add: [{ id: 1 }], $remove: [{ $identifier_key: 'id', $identifier_value: 2 }] },
      things: {
        $update: [{ $identifier_key: 'id', $identifier_value: 'x', $new_object: { age: { $time: '2020-01-01' } } }],
      },
      nested: { a: { b: 1 } },
    })
    const none = { add: [], remove: [], removeWhere: [], update: [], merging: true }
    assert.equal(custom, null)
    assert.deepEqual(operations, [
      { kind: 'inc', key: 'points', by: -2 },
      { kind: 'array', key: 'list', ...none, add: ['a', 'b'], remove: ['c'] },
      { kind: 'array', key: 'other', ...none, add: [{ id: 1 }], removeWhere: [{ key: 'id', value: 2 }] },
      {
        kind: 'array',
        key: 'things',
        ...none,
        update: [{ where: { key: 'id', value: 'x' }, value: { age: '2020-01-01' } }],
      },
      { kind: 'merge', key: 'nested', value: { a: { b: 1 } } },
    ])
  })

  test('an invalid instruction is dropped without an error', () => {
    const mistakes = [
      { inc: 1.5 },
      { inc: '1' },
      { add: ['x'.repeat(256)] },
      { $add: [{ 'a b': 1 }] },
      { $remove: [{ $identifier_key: 'id' }] },
      { $remove: [{ $identifier_value: 1 }] },
      { $update: [{ $identifier_key: 'id', $identifier_value: 1 }] },
      { $update: ['x'] },
      { $update: [{ $identifier_key: 'id', $identifier_value: 1, $new_object: 'x' }] },
    ]
    for (const value of mistakes) {
      const { operations, custom } = change({ a: value, b: 1 })
      assert.deepEqual([operations, custom], [[], { b: 1 }], JSON.stringify(value))
    }
  })

  test('an object that only looks like an instruction is a value', () => {
    for (const value of [
      {},
      { add: 'x' },
      { remove: 'x' },
      { inc: { a: 1 } },
      { inc: 1, step: 2 },
      { add: ['x'], note: 'y' },
    ]) {
      assert.deepEqual(change({ a: value }).custom, { a: value })
    }
  })
})

describe('a null inside a custom attribute', () => {
  const $identifier = { $identifier_key: 'id', $identifier_value: 1 }
  const leftOut = (paths: string) => `has null at ${paths}: it was left out`
  const none = { add: [], remove: [], removeWhere: [], update: [], merging: false }
  const array = (more: object) => ({ kind: 'array', key: 'o', ...none, ...more })
  const where = { key: 'id', value: 1 }

  /** Reads one attribute. Returns what is set, the operation on it, and the reason of its notice. */
  const reads = (o: unknown, nestedNulls: NestedNulls, more: object = {}) => {
    const notices = new Notices(false)
    const given = { external_id: 'u', ...more, o, other: 1 }
    const read = readAttributes(given, someone, { ...rules, nestedNulls }, identifierWords('service'), notices)
    assert.ok(typeof read !== 'string')
    assert.equal(read.custom?.other, 1)
    const found = notices.members().notices ?? []
    assert.ok(found.every(({ member }) => member === 'o'))
    return [read.custom?.o ?? read.operations[0], found.map(({ reason }) => reason).join(' | ')]
  }

  test('leaves its key out, or refuses the attribute, or is stored', () => {
    for (const [sent, kept, paths] of [
      [{ a: null }, {}, 'o.a'],
      [{ a: 1, b: { c: null, d: 2 } }, { a: 1, b: { d: 2 } }, 'o.b.c'],
      [{ a: [1, null, { b: null }] }, { a: [1, {}] }, 'o.a[1], o.a[2].b'],
      [[{ id: 1, a: null }, { id: 2 }], [{ id: 1 }, { id: 2 }], 'o[0].a'],
      [['x', null], ['x'], 'o[1]'],
      [{ at: { $time: '2020-01-01' }, a: null }, { at: '2020-01-01' }, 'o.a'],
      [{ a: null, b: null, c: null, d: null, e: null }, {}, 'o.a, o.b, o.c, o.d, o.e'],
      [{ a: null, b: null, c: null, d: null, e: null, f: null }, {}, 'o.a, o.b, o.c, o.d, o.e, ...'],
    ] as const) {
      assert.deepEqual(reads(sent, 'drop_key'), [kept, leftOut(paths)])
      const refused = `has null at ${paths}: the attribute was not stored`
      assert.deepEqual(reads(sent, 'refuse_attribute'), [undefined, refused])
      const stored = JSON.parse(JSON.stringify(sent).replace('{"$time":"2020-01-01"}', '"2020-01-01"'))
      assert.deepEqual(reads(sent, 'store'), [stored, ''])
    }
  })

  test('does so in instructions and in objects to merge', () => {
    for (const [sent, dropped, paths, stored] of [
      [{ add: [1, null] }, { add: [1] }, 'o.add[1]', { add: [1, null] }],
      [{ $add: [{ id: 1, a: null }] }, { add: [{ id: 1 }] }, 'o.$add[0].a', { add: [{ id: 1, a: null }] }],
      [
        { $update: [{ ...$identifier, $new_object: { a: null, b: 1 } }] },
        { update: [{ where, value: { b: 1 } }] },
        'o.$update[0].$new_object.a',
        { update: [{ where, value: { a: null, b: 1 } }] },
      ],
    ] as const) {
      assert.deepEqual(reads(sent, 'drop_key'), [array(dropped), leftOut(paths)])
      const refused = `has null at ${paths}: the attribute was not stored`
      assert.deepEqual(reads(sent, 'refuse_attribute'), [undefined, refused])
      assert.deepEqual(reads(sent, 'store'), [array(stored), ''])
    }
    const merge = { _merge_objects: true }
    const merges = (value: object) => ({ kind: 'merge', key: 'o', value })
    assert.deepEqual(reads({ a: null, b: 1 }, 'drop_key', merge), [merges({ b: 1 }), leftOut('o.a')])
    assert.deepEqual(reads({ a: null, b: 1 }, 'store', merge), [merges({ a: null, b: 1 }), ''])
  })

  test('does not hide another reason', () => {
    const [kept, reasons] = reads(['x', 'x', null], 'drop_key')
    assert.deepEqual([kept, reasons], [['x'], `has equal items: only the last of them is kept; ${leftOut('o[2]')}`])
    const [lost, why] = reads({ 'a b': 1, c: null }, 'drop_key')
    assert.equal(lost, undefined)
    assert.match(String(why), /^has a key that is empty or has a space/)
  })
})

/** Returns an object whose JSON has exactly this many bytes. */
function sized(bytes: number): { list: string[] } {
  const list: string[] = []
  for (;;) {
    const spare = bytes - JSON.stringify({ list: [...list, ''] }).length
    list.push('x'.repeat(spare > 255 ? 200 : spare))
    if (spare <= 255) return { list }
  }
}

describe('attributes objects that are refused', () => {
  test('for a number that cannot be stored, and the error names the member', () => {
    const long = new ExactNumber('7'.repeat(numberCharactersMax + 1))
    for (const number of [Number.POSITIVE_INFINITY, long]) {
      assert.equal(read({ ok: 1, big: number }), "'big' is not valid")
      assert.equal(read({ big: { a: [number] } }), "'big' is not valid")
      assert.equal(read({ points: { inc: number } }), "'points' is not valid")
      assert.equal(read({ first_name: number }), "'first_name' is not valid")
      assert.equal(read({ _hidden: number }), "'_hidden' is not valid")
      assert.equal(read({ user_alias: number }), "'user_alias' is not valid")
    }
  })

  test('for NUL and lone surrogates, also in a name', () => {
    assert.equal(read({ t: 'a\u0000' }, true), "'t' is not valid")
    assert.equal(read({ t: ['\ud800'] }, true), "'t' is not valid")
    assert.equal(read({ first_name: '\u0000' }, true), "'first_name' is not valid")
    assert.equal(read({ 'k\u0000': 1 }, true), "'k\ufffd' is not valid")
    assert.equal(read({ 'k\ud800': 1 }, true), "'k\ufffd' is not valid")
    assert.equal(read({ push_tokens: [{ app_id: 'app', token: '\u0000' }] }, true), "'push_tokens' is not valid")
  })

  test('for more than 1,000 members', () => {
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
    assert.equal(typeof read(members(keysMax - 1)), 'object')
    assert.equal(read(members(keysMax)), "'attributes' is not valid")
  })

  test('keys that reach a prototype are removed', () => {
    const object = JSON.parse(
      '{"__proto__":{"a":1},"constructor":2,"prototype":3,"o":{"__proto__":{"a":1},"b":1},"n":{"constructor":null,"b":2}}',
    )
    const read = readAttributes(
      object,
      someone,
      { ...rules, suspicious: true },
      identifierWords('service'),
      new Notices(false),
    )
    assert.ok(typeof read !== 'string')
    assert.deepEqual(read.custom, { prototype: 3, o: { b: 1 }, n: { b: 2 } })
    assert.equal(({} as Record<string, unknown>).a, undefined)
  })
})
