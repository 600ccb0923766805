import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseCustomDate } from '../../src/base/dates.ts'
import { ExactNumber } from '../../src/base/exact-number.ts'
import { Notices } from '../../src/base/http/notices.ts'
import { type AttributeChange, isPlain, readAttributes } from '../../src/people/profile/attributes.ts'
import { blankState, fold, foldCustom, mergePlain, type ProfileState } from '../../src/people/profile/fold.ts'
import { identifierWords } from '../../src/people/values/refusals.ts'
import type { Json } from '../../src/people/values/values.ts'
import { seed, sizes } from '../sizes.ts'

const who = { kind: 'external_id', value: 'u' } as const
const rules = { suspicious: false, appIds: new Set<string>(), groups: new Map() }
const blank = blankState(who)

const exact = new ExactNumber('12345678901234567890')

type Sent = Readonly<Record<string, unknown>>

function change(object: Sent): AttributeChange {
  const read = readAttributes(object, who, rules, identifierWords('service'), new Notices(false))
  assert.ok(typeof read !== 'string')
  return read
}

/** Returns the profile after these attributes objects, each with the next stamp. */
function after(...objects: Sent[]): ProfileState {
  return objects.reduce<ProfileState>((state, object, i) => fold(state, change(object), i + 1), blank)
}

function customAfter(...objects: Sent[]): unknown {
  return after(...objects).custom
}

const items = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `i${from + i}`)
const where = (value: unknown, more: object = {}) => ({ $identifier_key: 'id', $identifier_value: value, ...more })

describe('folding custom attributes', () => {
  const cases: readonly [string, readonly Sent[], unknown][] = [
    ['sets replace', [{ a: 1, b: 2 }, { a: 'x' }], { a: 'x', b: 2 }],
    [
      'null removes',
      [
        { a: 1, b: 2 },
        { a: null, c: null },
      ],
      { b: 2 },
    ],
    ['inc adds to a number', [{ a: 5 }, { a: { inc: 2 } }, { a: { inc: -10 } }], { a: -3 }],
    ['inc of a missing attribute starts at 0', [{ a: { inc: 7 } }], { a: 7 }],
    ['inc adds to a number with a fraction', [{ a: 1.5 }, { a: { inc: 2 } }], { a: 3.5 }],
    ['inc does not change values that are not numbers', [{ a: '5' }, { a: { inc: 1 } }], { a: '5' }],
    [
      'inc adds integers of any size',
      [{ a: 2 ** 53 - 2 }, { a: { inc: 1 } }, { a: { inc: 1 } }],
      { a: new ExactNumber('9007199254740992') },
    ],
    [
      'inc does nothing when the sum is beyond a double',
      [{ a: Number.MAX_VALUE }, { a: { inc: Number.MAX_VALUE } }],
      { a: Number.MAX_VALUE },
    ],
    [
      'numbers with many digits are equal by value',
      [{ a: [exact, 1] }, { a: { add: [1, exact] } }, { a: { remove: [exact] } }, { b: [exact, 2, exact] }],
      { a: [1], b: [2, exact] },
    ],
    ['add appends', [{ a: ['x'] }, { a: { add: ['y', 'z'] } }], { a: ['x', 'y', 'z'] }],
    ['add makes an array', [{ a: { add: ['x', 'x'] } }], { a: ['x'] }],
    ['add moves an existing item to the end', [{ a: ['x', 'y', 'z'] }, { a: { add: ['x'] } }], { a: ['y', 'z', 'x'] }],
    ['remove removes items', [{ a: ['x', 'y', 1] }, { a: { remove: ['x', 1, 'q'] } }], { a: ['y'] }],
    ['remove of the last leaves an empty array', [{ a: ['x'] }, { a: { remove: ['x'] } }], { a: [] }],
    ['remove of a missing attribute does not create an array', [{ a: { remove: ['x'] } }], {}],
    ['add and remove work together', [{ a: ['x'] }, { a: { add: ['y'], remove: ['x'] } }], { a: ['y'] }],
    ['add does not change values that are not arrays', [{ a: 'x' }, { a: { add: ['y'] } }], { a: 'x' }],
    [
      '$add appends objects, also equal ones',
      [{ a: [{ id: 1 }] }, { a: { $add: [{ id: 1 }] } }],
      { a: [{ id: 1 }, { id: 1 }] },
    ],
    [
      '$remove removes every match',
      [{ a: [{ id: 1 }, { id: 2 }, { id: 1 }] }, { a: { $remove: [where(1)] } }],
      { a: [{ id: 2 }] },
    ],
    [
      '$update replaces',
      [{ a: [{ id: 1, n: 1, k: 1 }, { id: 2 }] }, { a: { $update: [where(1, { $new_object: { id: 1, n: 2 } })] } }],
      { a: [{ id: 1, n: 2 }, { id: 2 }] },
    ],
    [
      '$update merges with _merge_objects',
      [
        { a: [{ id: 1, n: { x: 1 }, k: 1 }] },
        { _merge_objects: true, a: { $update: [where(1, { $new_object: { n: { y: 2 } } })] } },
      ],
      { a: [{ id: 1, n: { x: 1, y: 2 }, k: 1 }] },
    ],
    [
      'together they run in the order $add, $remove, $update',
      [
        { a: [{ id: 1 }] },
        {
          a: {
            $update: [where(3, { $new_object: { id: 4 } })],
            $remove: [where(2), where(1)],
            $add: [{ id: 2 }, { id: 3 }],
          },
        },
      ],
      { a: [{ id: 4 }] },
    ],
    ['an object is replaced as a whole', [{ a: { x: 1, y: 2 } }, { a: { x: 3 } }], { a: { x: 3 } }],
    [
      'an object is merged with _merge_objects',
      [{ a: { x: { p: 1 }, y: [1] } }, { _merge_objects: true, a: { x: { q: 2 }, y: [2], z: 's' } }],
      { a: { x: { p: 1, q: 2 }, y: [2], z: 's' } },
    ],
    [
      'merging replaces values that are not objects',
      [{ a: [1] }, { _merge_objects: true, a: { x: 1 } }],
      { a: { x: 1 } },
    ],
    [
      'an invalid nested value drops its attribute',
      [{ a: { x: 1 } }, { a: { x: 'x'.repeat(256) }, b: 1 }],
      { a: { x: 1 }, b: 1 },
    ],
    ['a nested null is left out', [{ a: { x: 1 } }, { a: { x: null, y: [null, 2] } }], { a: { y: [2] } }],
    [
      'an instruction with null changes nothing',
      [
        { a: 1, b: [1] },
        { a: { inc: null }, b: { add: null }, c: { $update: null } },
      ],
      { a: 1, b: [1] },
    ],
    [
      'names of prototype members are usual names',
      [{ toString: { inc: 1 } }, { valueOf: { add: ['x'] } }],
      { toString: 1, valueOf: ['x'] },
    ],
  ]
  for (const [title, objects, expected] of cases) {
    test(title, () => assert.deepEqual(customAfter(...objects), expected))
  }

  test('an array overflows by its oldest items', () => {
    assert.deepEqual(customAfter({ a: items(0, 499) }, { a: { add: items(499, 500) } }), { a: items(0, 500) })
    assert.deepEqual(customAfter({ a: items(0, 500) }, { a: { add: items(500, 501) } }), { a: items(1, 501) })
    assert.deepEqual(customAfter({ a: items(0, 500) }, { a: { add: items(500, 501), remove: ['i499'] } }), {
      a: [...items(0, 499), 'i500'],
    })
    assert.deepEqual(customAfter({ a: { add: items(0, 1200) } }), { a: items(700, 1200) })
    const objects = Array.from({ length: 600 }, (_, id) => ({ id }))
    assert.deepEqual(customAfter({ a: objects }, { a: { $add: [{ id: 600 }] } }), { a: [...objects, { id: 600 }] })
  })

  test('an update that would pass 100 KB is dropped', () => {
    const big = Array.from({ length: 300 }, (_, id) => ({ id, t: 'x'.repeat(255) }))
    const one = { ...after({ a: big, o: { list: big } }) }
    assert.deepEqual(customAfter({ a: big }, { a: { $add: big } }), { a: big })
    assert.deepEqual(customAfter({ o: { list: big } }, { _merge_objects: true, o: { more: big } }), {
      o: { list: big },
    })
    assert.deepEqual(foldCustom(one, change({ a: { $remove: [where(0)] } })).custom.a, big.slice(1))
  })

  test('the stored date of an attribute follows its value', () => {
    const day = Date.UTC(2020, 0, 1)
    assert.deepEqual(after({ a: '2020-01-01', b: '2020-01-01', c: '2020-01-01' }).typed, { a: day, b: day, c: day })
    const rest = after(
      { a: '2020-01-01', b: '2020-01-01', c: '2020-01-01' },
      { a: 'soon', b: null, c: { $time: '2020-01-02' } },
    )
    assert.deepEqual(rest.typed, { c: day + 86_400_000 })
    assert.deepEqual(after({ a: '2020-01-01' }, { _merge_objects: true, a: { x: 1 } }).typed, {})
  })

  test('the arguments are not changed', () => {
    const state = after({ a: ['x'], o: { x: { y: 1 } }, d: '2020-01-01' })
    const copy = structuredClone(state)
    fold(state, change({ _merge_objects: true, a: { add: ['z'] }, o: { x: { z: 1 } }, d: null, n: 1 }), 9)
    assert.deepEqual(state, copy)
    assert.equal(foldCustom(state, change({ first_name: 'J' })), state)
  })
})

describe('folding standard fields', () => {
  test('they replace, null removes, and other members of the state stay', () => {
    const state = fold(
      { ...after({ first_name: 'J', country: 'DE' }), bucket: 7 },
      change({ country: null, dob: '1990-01-01' }),
      2,
    )
    assert.deepEqual([state.first_name, state.country, state.dob, state.bucket], ['J', null, '1990-01-01', 7])
  })

  test('a subscription state stamps its change and the time of an opt-in or opt-out', () => {
    const state = after(
      { email_subscribe: 'opted_in' },
      { email_subscribe: 'unsubscribed' },
      { email_subscribe: 'subscribed' },
      { a: 1 },
    )
    const { email_subscribe, email_subscribe_at, email_opted_in_at, email_unsubscribed_at, push_subscribe_at } = state
    assert.deepEqual(
      [email_subscribe, email_subscribe_at, email_opted_in_at, email_unsubscribed_at, push_subscribe_at],
      ['subscribed', 3, 1, 2, null],
    )
    const push = after({ push_subscribe: 'opted_in' }, { push_subscribe: 'unsubscribed' })
    assert.deepEqual([push.push_subscribe_at, push.push_opted_in_at, push.push_unsubscribed_at], [2, 1, 2])
  })

  test('a new profile has what its identifier says', () => {
    assert.equal(blankState({ kind: 'external_id', value: 'u' }).external_id, 'u')
    assert.equal(blankState({ kind: 'email', value: 'a@b.c' }).email, 'a@b.c')
    assert.equal(blankState({ kind: 'phone', value: '+15551234567' }).phone, '+15551234567')
    assert.equal(blankState({ kind: 'alias', value: 'l\u001fn' }).external_id, null)
  })
})

// A second, simple implementation of the rules, directly from the request to the stored values.
type Model = { custom: Map<string, Json>; standard: Record<string, unknown> }

const isRecord = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function modelApply(model: Model, object: Sent, stampUs: number): void {
  const merging = object._merge_objects === true
  for (const [key, value] of Object.entries(object)) {
    if (key === '_merge_objects') continue
    if (key === 'first_name') model.standard.first_name = value
    else if (key === 'email_subscribe') {
      model.standard.email_subscribe = value
      model.standard.email_subscribe_at = stampUs
      if (value === 'opted_in') model.standard.email_opted_in_at = stampUs
      if (value === 'unsubscribed') model.standard.email_unsubscribed_at = stampUs
    } else modelCustom(model.custom, key, value as Json, merging)
  }
}

function modelCustom(custom: Map<string, Json>, key: string, given: Json, merging: boolean): void {
  // A value with nothing to leave out is not copied: the generator makes objects without a prototype.
  const value = JSON.stringify(given).includes('null') ? modelKept(given) : given
  const now = custom.get(key)
  if (value === null) custom.delete(key)
  else if (isRecord(value) && 'inc' in value) {
    if (now === undefined || typeof now === 'number') custom.set(key, (now ?? 0) + Number(value.inc))
  } else if (isRecord(value) && Object.keys(value).some((name) => /^\$?(add|remove|update)$/.test(name))) {
    if (now !== undefined && !Array.isArray(now)) return
    const lists = value as Record<string, Json[]>
    const added = [...(lists.add ?? []), ...(lists.$add ?? [])]
    if (now === undefined && added.length === 0) return
    let list = modelLast([...((now ?? []) as Json[]), ...added])
    for (const gone of lists.remove ?? []) list = list.filter((item) => item !== gone)
    for (const rule of (lists.$remove ?? []) as Record<string, Json>[])
      list = list.filter((item) => !modelHits(item, rule))
    for (const rule of (lists.$update ?? []) as Record<string, Json>[]) {
      const next = rule.$new_object as Record<string, Json>
      list = list.map((item) => (modelHits(item, rule) ? (merging ? modelMerge(item, next) : next) : item))
    }
    custom.set(key, list)
  } else if (Array.isArray(value)) custom.set(key, modelLast([...value]))
  else if (isRecord(value) && merging) custom.set(key, modelMerge(now, value))
  else custom.set(key, value)
}

function modelKept(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(modelKept)
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(kept.map(([key, inner]) => [key, modelKept(inner as Json)])) as Json
}

function modelLast(list: Json[]): Json[] {
  return list.filter((item, i) => isRecord(item) || list.lastIndexOf(item) === i)
}

function modelHits(item: Json, rule: Record<string, Json>): boolean {
  return isRecord(item) && item[rule.$identifier_key as string] === rule.$identifier_value
}

function modelMerge(now: Json | undefined, value: Record<string, Json>): Json {
  if (!isRecord(now)) return value
  const result: Record<string, Json> = { ...now }
  for (const [key, inner] of Object.entries(value))
    result[key] = isRecord(inner) ? modelMerge(result[key], inner) : inner
  return result
}

const scalar = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom('x', 'y', '2020-01-01'), fc.boolean())
const thing = fc.record({ id: fc.integer({ min: 0, max: 2 }), n: scalar, m: scalar }, { requiredKeys: ['id'] })
const nestedValue = fc.oneof(
  fc.record({ p: scalar }),
  fc.record({ p: fc.record({ q: scalar }), r: fc.array(scalar, { maxLength: 2 }) }),
  fc.record({ p: fc.constant(null) }),
)
const match = fc.integer({ min: 0, max: 2 }).map((id) => where(id))
const update = fc.record({
  $update: fc.array(
    fc.tuple(match, thing).map(([rule, $new_object]) => ({ ...rule, $new_object })),
    { minLength: 1, maxLength: 2 },
  ),
})
const instruction = fc.oneof(
  fc.record({ inc: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ add: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ add: fc.array(scalar, { maxLength: 3 }), remove: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ remove: fc.array(scalar, { maxLength: 3 }) }),
  fc.record({ $add: fc.array(thing, { maxLength: 2 }), $remove: fc.array(match, { maxLength: 2 }) }),
  update,
)
const sentValue = fc.oneof(
  scalar,
  fc.constant(null),
  fc.array(scalar, { maxLength: 4 }),
  fc.array(thing, { maxLength: 3 }),
  nestedValue,
  instruction,
)
const plainValue = fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 4 }), nestedValue)
const sentObject = fc.oneof(
  fc.dictionary(fc.constantFrom('a', 'b', 'c', 'toString'), plainValue, { maxKeys: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c', 'toString'), sentValue, { maxKeys: 3 }),
  fc.record({ a: sentValue, b: sentValue, _merge_objects: fc.constant(true) }),
  fc.record({ a: fc.array(thing, { minLength: 1, maxLength: 3 }) }),
  fc.record({ a: update, _merge_objects: fc.boolean() }),
  fc.record({ first_name: fc.constantFrom('J', 'K', null), b: sentValue }),
  fc.record({ email_subscribe: fc.constantFrom('opted_in', 'subscribed', 'unsubscribed') }),
)

/** Groups changes as the intake does: neighbours that only set and remove become one. */
function grouped(changes: readonly AttributeChange[]): { change: AttributeChange; stampUs: number }[] {
  const groups: { change: AttributeChange; stampUs: number }[] = []
  for (const [i, next] of changes.entries()) {
    const last = groups.at(-1)
    if (last && isPlain(last.change) && isPlain(next)) {
      groups[groups.length - 1] = { change: mergePlain(last.change, next), stampUs: i + 1 }
    } else groups.push({ change: next, stampUs: i + 1 })
  }
  return groups
}

describe('folding in any order and grouping', () => {
  test('any sequence has the same result one by one, grouped and in a naive model', () => {
    const property = fc.property(fc.array(sentObject, { maxLength: 12 }), (objects) => {
      const oneByOne = after(...objects)
      const batch = grouped(objects.map(change)).reduce<ProfileState>(
        (state, step) => fold(state, step.change, step.stampUs),
        blank,
      )
      assert.deepEqual(batch, oneByOne)
      const model: Model = { custom: new Map(), standard: {} }
      for (const [i, object] of objects.entries()) modelApply(model, object, i + 1)
      assert.deepEqual(oneByOne.custom, Object.fromEntries(model.custom))
      for (const [column, value] of Object.entries(model.standard))
        assert.equal(oneByOne[column as keyof ProfileState], value)
      const dates = [...model.custom].filter(
        ([, value]) => typeof value === 'string' && parseCustomDate(value) !== undefined,
      )
      assert.deepEqual(
        oneByOne.typed,
        Object.fromEntries(dates.map(([key, value]) => [key, parseCustomDate(value as string)])),
      )
    })
    fc.assert(property, { seed, numRuns: sizes.propertyRuns * 5 })
  })
})
