import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Failure } from '../../src/base/errors.ts'
import { bulkItemsMax, bulkItemsPerPersonMax } from '../../src/people/intake/schema.ts'
import { type SplitTrack, splitTrack, type TrackRules } from '../../src/people/intake/split-track.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const time = '2026-11-20T10:00:00Z'
const timeMs = Date.UTC(2026, 10, 20, 10)
const rules: TrackRules = {
  nowMs,
  suspicious: false,
  batchMax: 50,
  batchMaxPerArray: null,
  perPersonMax: null,
  reservedExternalIds: new Set(),
  reservedIdsPartial: false,
  appIds: new Set(['app']),
  groups: new Map(),
  serviceName: 'service',
}
const noValidItems = "Valid data must be provided in the 'attributes', 'events', or 'purchases' fields."
const blacklisted = 'provided external_id is blacklisted and disallowed'

const event = { external_id: 'u', name: 'e', time }
const purchase = { external_id: 'u', product_id: 'p', currency: 'USD', price: 9.5, time }

function split(body: unknown, more: Partial<TrackRules> = {}): SplitTrack {
  return splitTrack(body, { ...rules, ...more })
}

function failure(
  body: unknown,
  more: Partial<TrackRules> = {},
): { message: string; errors: readonly unknown[] | undefined } {
  try {
    split(body, more)
  } catch (error) {
    assert.ok(error instanceof Failure)
    assert.equal(error.kind, 'invalid')
    return { message: error.message, errors: error.details.errors }
  }
  assert.fail('nothing was refused')
}

/** Returns the error of an event that is sent with a valid one. */
function eventError(members: Record<string, unknown>, more: Partial<TrackRules> = {}): string | undefined {
  return split({ events: [event, { ...event, ...members }] }, more).errors[0]?.type
}

describe('a track request', () => {
  test('is split into attributes, events and purchases', () => {
    const body = {
      partner: 'ignored',
      attributes: [{ external_id: 'u', plan: 'pro' }],
      events: [{ ...event, app_id: 'any', properties: { a: [1, { b: null }] } }],
      purchases: [{ ...purchase, product_id: 12, currency: 'usd', quantity: 3 }],
    }
    const identifier = { kind: 'external_id', value: 'u' }
    const { attributes, positions, notices, ...rest } = split(body)
    assert.deepEqual(notices.members(), {})
    assert.deepEqual(positions, [0])
    assert.deepEqual(
      [attributes[0]!.identifier, attributes[0]!.create, attributes[0]!.change.custom],
      [identifier, true, { plan: 'pro' }],
    )
    assert.deepEqual(rest, {
      events: [{ identifier, create: true, name: 'e', app_id: 'any', timeMs, properties: '{"a":[1,{"b":null}]}' }],
      purchases: [
        {
          identifier,
          create: true,
          product_id: '12',
          app_id: null,
          currency: 'USD',
          price: 9.5,
          quantity: 3,
          timeMs,
          properties: null,
        },
      ],
      errors: [],
      sent: { attributes: true, events: true, purchases: true },
      processed: { attributes: 1, events: 1, purchases: 1 },
    })
  })

  test('keeps valid objects and reports the others by array and index', () => {
    const bad = {}
    const required = "'external_id', 'service_id', 'user_alias', 'email' or 'phone' is required"
    const { errors, processed, sent } = split({
      purchases: [bad, purchase],
      events: [event, bad],
      attributes: [{ external_id: 'u' }, { external_id: 'u', email: 'x' }, 'text', null, [bad]],
    })
    assert.deepEqual(errors, [
      { index: 1, input_array: 'attributes', type: "The value provided for the 'email' field is not a valid email." },
      { index: 2, input_array: 'attributes', type: 'Each item must be an object' },
      { index: 3, input_array: 'attributes', type: 'Each item must be an object' },
      { index: 4, input_array: 'attributes', type: 'Each item must be an object' },
      { index: 1, input_array: 'events', type: required },
      { index: 0, input_array: 'purchases', type: required },
    ])
    assert.deepEqual(processed, { attributes: 1, events: 1, purchases: 1 })
    assert.deepEqual(sent, { attributes: true, events: true, purchases: true })
  })

  test('fails as a whole when no object is accepted', () => {
    const whole = { message: noValidItems, errors: [] }
    for (const body of [
      undefined,
      null,
      'x',
      5,
      [],
      [{ events: [event] }],
      {},
      { events: [] },
      { attributes: null, other: [event] },
    ]) {
      assert.deepEqual(failure(body), whole)
    }
    for (const value of [{}, 'x', 5, true]) assert.deepEqual(failure({ attributes: value, events: [event] }), whole)
    assert.deepEqual(failure({ purchases: [{ ...purchase, quantity: 0 }], events: [] }), {
      message: noValidItems,
      errors: [{ index: 0, input_array: 'purchases', type: "'quantity' is not valid" }],
    })
    const { sent } = split({ attributes: null, events: [event], purchases: [] })
    assert.deepEqual(sent, { attributes: false, events: true, purchases: false })
  })

  test('has at most 50 objects in its three arrays together', () => {
    const body = (count: number) => ({
      attributes: Array.from({ length: 10 }, () => ({ external_id: 'u' })),
      events: Array.from({ length: count - 20 }, () => event),
      purchases: Array.from({ length: 10 }, () => purchase),
    })
    for (const count of [49, 50]) assert.equal(split(body(count)).processed.events, count - 20)
    const message = 'Max Input Length Exceeded'
    assert.deepEqual(failure(body(51)), { message, errors: [] })
    assert.deepEqual(failure({ events: Array.from({ length: 51 }, () => 'x') }).message, message)
  })

  test('has a limit of objects in each array instead when that is set', () => {
    const body = (count: number) => ({
      attributes: Array(75).fill({ external_id: 'u' }),
      events: Array(count).fill(event),
    })
    for (const count of [74, 75]) assert.equal(split(body(count), { batchMaxPerArray: 75 }).processed.events, count)
    assert.equal(failure(body(76), { batchMaxPerArray: 75 }).message, 'Max Input Length Exceeded')
  })

  test('in bulk has at most 1,000 objects and 100 for one user', () => {
    const bulk = { batchMax: bulkItemsMax, perPersonMax: bulkItemsPerPersonMax }
    const many = (count: number) => ({
      events: Array.from({ length: count }, (_, i) => ({ ...event, external_id: i })),
    })
    for (const count of [999, 1000]) assert.equal(split(many(count), bulk).processed.events, count)
    assert.equal(failure(many(1001), bulk).message, 'Max Input Length Exceeded')
    const one = (count: number) => ({
      attributes: Array(50).fill({ external_id: 'u' }),
      events: Array(count - 50).fill(event),
    })
    for (const count of [99, 100]) assert.equal(split(one(count), bulk).processed.events, count - 50)
    const message = 'A single request may not contain more than 100 objects for one user'
    assert.deepEqual(failure(one(101), bulk), { message, errors: [] })
  })

  test('fails as a whole for a reserved external_id, or only that object fails when the workspace says so', () => {
    const reservedExternalIds = new Set(['dummy', '7'])
    const body = {
      attributes: [{ external_id: 'u' }],
      events: [event, { external_id: 7 }],
      purchases: [{ ...purchase, external_id: 'dummy' }],
    }
    const entries = [
      { index: 1, input_array: 'events', type: blacklisted },
      { index: 0, input_array: 'purchases', type: blacklisted },
    ]
    assert.deepEqual(failure(body, { reservedExternalIds }), { message: blacklisted, errors: entries })
    const { errors, processed } = split(body, { reservedExternalIds, reservedIdsPartial: true })
    assert.deepEqual(errors, entries)
    assert.deepEqual(processed, { attributes: 1, events: 1, purchases: 0 })
  })
})

describe('the creation of people', () => {
  const identifiers = {
    external_id: { external_id: 'u' },
    alias: { user_alias: { alias_name: 'n', alias_label: 'l' } },
    email: { email: 'a@b.c' },
    phone: { phone: '+15551234567' },
    service_id: { service_id: '5eea769d45bb2e1467418f92' },
  }
  const expected: Readonly<
    Record<keyof typeof identifiers, readonly [omitted: boolean, only: boolean, notOnly: boolean]>
  > = {
    external_id: [true, false, true],
    alias: [false, false, true],
    email: [true, false, true],
    phone: [true, false, true],
    service_id: [false, false, false],
  }
  for (const [kind, [omitted, only, notOnly]] of Object.entries(expected)) {
    test(`by ${kind} follows _update_existing_only, in all three arrays`, () => {
      const who = identifiers[kind as keyof typeof identifiers]
      for (const [flag, create] of [
        [undefined, omitted],
        [null, omitted],
        [true, only],
        ['true', only],
        [false, notOnly],
        ['false', notOnly],
      ] as const) {
        const object = { ...who, _update_existing_only: flag }
        const { external_id: _e, ...rest } = event
        const { external_id: _p, ...bought } = purchase
        const { attributes, events, purchases } = split({
          attributes: [object],
          events: [{ ...rest, ...object }],
          purchases: [{ ...bought, ...object }],
        })
        for (const [item] of [attributes, events, purchases]) assert.equal(item!.create, create, String(flag))
        assert.equal(attributes[0]!.identifier.kind, kind)
      }
    })
  }

  test('a flag that is not a boolean is refused', () => {
    assert.equal(eventError({ _update_existing_only: 1 }), "'_update_existing_only' is not valid")
  })
})

describe('push token import', () => {
  const push_tokens = [
    { app_id: 'app', token: 'a' },
    { app_id: 'app', token: 'b', device_id: 'device-1' },
  ]

  test('creates an anonymous person for each token and counts the object once', () => {
    const { attributes, processed } = split({
      attributes: [{ push_token_import: true, push_tokens, plan: 'pro', email: 'a@b.c' }],
    })
    assert.deepEqual(processed, { attributes: 1, events: 0, purchases: 0 })
    assert.deepEqual(
      attributes.map(({ identifier, create }) => [identifier, create]),
      [
        [{ kind: 'push_token', value: 'app\u001fa' }, true],
        [{ kind: 'push_token', value: 'app\u001fb' }, true],
      ],
    )
    const [first] = attributes
    assert.equal(first!.change.custom, null)
    assert.deepEqual(first!.change.push_tokens, [
      { app_id: 'app', token: 'a', device_id: null, notifications_enabled: true },
    ])
  })

  test('needs tokens and an object without an identifier', () => {
    const error = (object: object): string | undefined =>
      split({ attributes: [{ external_id: 'u' }, object] }).errors[0]?.type
    const code = 'BAD_PUSH_TOKEN_IMPORT'
    assert.equal(error({ push_token_import: true }), code)
    assert.equal(error({ push_token_import: true, push_tokens: [] }), code)
    assert.equal(error({ push_token_import: true, push_tokens, external_id: 'u' }), code)
    assert.equal(error({ push_token_import: true, push_tokens, service_id: 'x' }), code)
    assert.equal(
      error({ push_token_import: true, push_tokens: [{ app_id: 'no', token: 'a' }] }),
      'BAD_PUSH_TOKEN_APP_ID',
    )
    assert.equal(error({ push_token_import: false, push_tokens, external_id: 'u' }), undefined)
  })
})
