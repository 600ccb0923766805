import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ExactNumber, numberCharactersMax } from '../../src/base/exact-number.ts'
import { propertiesBytesMax } from '../../src/people/intake/schema.ts'
import { type SplitTrack, splitTrack, type TrackRules } from '../../src/people/intake/split-track.ts'
import { depthMax } from '../../src/people/values/values.ts'

const nowMs = Date.UTC(2026, 10, 20, 12)
const time = '2026-11-20T10:00:00Z'
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

const badProperties = "Invalid 'properties' field"
const event = { external_id: 'u', name: 'e', time }
const purchase = { external_id: 'u', product_id: 'p', currency: 'USD', price: 9.5, time }

function split(body: unknown, more: Partial<TrackRules> = {}): SplitTrack {
  return splitTrack(body, { ...rules, ...more })
}

/** Returns the error of an event that is sent with a valid one. */
function eventError(members: Record<string, unknown>, more: Partial<TrackRules> = {}): string | undefined {
  return split({ events: [event, { ...event, ...members }] }, more).errors[0]?.type
}

function purchaseError(members: Record<string, unknown>, more: Partial<TrackRules> = {}): string | undefined {
  return split({ purchases: [purchase, { ...purchase, ...members }] }, more).errors[0]?.type
}

function eventProperties(properties: unknown): string | null {
  return split({ events: [{ ...event, properties }] }).events[0]!.properties
}

function purchaseProperties(properties: unknown): string | null {
  return split({ purchases: [{ ...purchase, properties }] }).purchases[0]!.properties
}

describe('events', () => {
  test('need a name and a time', () => {
    for (const name of [undefined, null, '']) assert.equal(eventError({ name }), "'name' is required")
    for (const name of [5, {}, 'x'.repeat(256)]) assert.equal(eventError({ name }), "'name' is not valid")
    for (const length of [254, 255]) assert.equal(eventError({ name: 'x'.repeat(length) }), undefined)
    for (const missing of [undefined, null, '']) assert.equal(eventError({ time: missing }), "'time' is required")
    for (const bad of ['12345', 'soon', 5, '2019-02-30']) assert.equal(eventError({ time: bad }), "'time' is not valid")
  })

  test('have a notice when they are older than their retention', () => {
    const cutoffMs = nowMs - 400 * 86_400_000
    for (const [timeMs, isOld] of [
      [cutoffMs - 1, true],
      [cutoffMs, false],
      [cutoffMs + 1, false],
    ] as const) {
      const sent = { events: [{ ...event, time: new Date(timeMs).toISOString() }] }
      const { notices } = split(sent, { historyCutoffMs: () => cutoffMs }).notices.members()
      assert.deepEqual(
        notices?.map(({ member, reason }) => `${member} ${reason}`),
        isOld ? ['time is before the retention of events and purchases: what is as old is deleted soon'] : undefined,
      )
    }
  })

  test('have the current time when their time is in the future', () => {
    const times = ['2026-11-20T11:59:59.999Z', '2026-11-20T12:00:00Z', '2026-11-20T12:00:00.001Z', '2030-01-01']
    const { events } = split({ events: times.map((at) => ({ ...event, time: at })) })
    assert.deepEqual(
      events.map((item) => item.timeMs),
      [nowMs - 1, nowMs, nowMs, nowMs],
    )
  })

  test('may have the id of an unknown app', () => {
    assert.equal(split({ events: [{ ...event, app_id: 'x'.repeat(255) }] }).events[0]!.app_id?.length, 255)
    assert.equal(split({ events: [{ ...event, app_id: '' }] }).events[0]!.app_id, null)
    for (const app_id of ['x'.repeat(256), {}, true]) assert.equal(eventError({ app_id }), "'app_id' is not valid")
  })

  test('have free-form properties: an object with any names and texts of any length', () => {
    for (const properties of ['x', 5, [], true]) assert.equal(eventError({ properties }), badProperties)
    const text = 'ü'.repeat(300)
    for (const properties of [
      { price: '9.99', currency: 5, quantity: [], product_id: {}, $x: 1, '': 1, 'a b': 1, 'a.b': 1 },
      { [text]: text, list: [{ [text]: [text] }], nested: { time: 1, event_name: 1, $time: 'x', '': null } },
      Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`n${i}`, i])),
    ]) {
      assert.equal(eventProperties(properties), JSON.stringify(properties))
      assert.equal(purchaseProperties(properties), JSON.stringify(properties))
    }
    for (const properties of [null, {}]) assert.equal(eventProperties(properties), null)
  })

  test('may not name properties time or event_name', () => {
    for (const key of ['time', 'event_name']) assert.equal(eventError({ properties: { [key]: 1 } }), badProperties, key)
    const properties = { time: 1, event_name: 'x' }
    assert.equal(purchaseProperties(properties), JSON.stringify(properties))
  })

  test('and purchases have at most 100 KB of properties', () => {
    const sized = (bytes: number) => ({ properties: { text: 'x'.repeat(bytes - JSON.stringify({ text: '' }).length) } })
    // The database writes these as 301 digits each.
    const numbers = Array.from({ length: 330 }, () => 1e300)
    const numbered = (bytes: number) => {
      const text = 'x'.repeat(bytes - 330 * 302 + 1 - JSON.stringify({ text: '', numbers: [] }).length)
      return { properties: { text, numbers } }
    }
    for (const errorOf of [eventError, purchaseError]) {
      for (const make of [sized, numbered]) {
        for (const bytes of [propertiesBytesMax - 1, propertiesBytesMax]) assert.equal(errorOf(make(bytes)), undefined)
        assert.equal(errorOf(make(propertiesBytesMax + 1)), badProperties)
      }
    }
  })

  test('and purchases have properties of at most 50 levels', () => {
    const deep = (levels: number) => {
      let value: unknown = 1
      for (let i = 1; i < levels; i++) value = i % 2 ? [value] : { value }
      return { properties: { value } }
    }
    for (const errorOf of [eventError, purchaseError]) {
      for (const levels of [depthMax - 1, depthMax]) assert.equal(errorOf(deep(levels)), undefined)
      assert.equal(errorOf(deep(depthMax + 1)), "'properties' is not valid")
    }
  })

  test('have notices for what is not stored as it was sent', () => {
    const reasonsOf = (members: Record<string, unknown>, more: Partial<TrackRules> = {}) => {
      const { notices } = split({ events: [{ ...event, ...members }] }, more).notices.members()
      return notices?.map(({ member, reason }) => `${member} ${reason}`)
    }
    assert.deepEqual(reasonsOf({ time: '2026-11-20T12:00:00.001Z' }), [
      'time is in the future: the time of the request was stored',
    ])
    assert.equal(reasonsOf({ time: '2026-11-20T12:00:00Z', app_id: 'a', _update_existing_only: true }), undefined)
    assert.deepEqual(reasonsOf({ price: 5, colour: 'red', size: null }), [
      'price is not a member of events: it was not stored',
      'colour is not a member of events: it was not stored',
    ])
    assert.deepEqual(reasonsOf({ email: 'a@example.com', phone: '+15551234567' }), [
      'email was not stored: another member identifies the person of this object',
      'phone was not stored: another member identifies the person of this object',
    ])
    assert.equal(reasonsOf({ external_id: null, email: 'a@example.com' }), undefined)
    assert.equal(reasonsOf({ external_id: null, service_id: '5eea769d45bb2e1467418f92' }), undefined)
    const properties = JSON.parse('{"a":{"constructor":1}}')
    assert.deepEqual(reasonsOf({ properties }, { suspicious: true }), [
      'properties has keys __proto__ or constructor: they are left out',
    ])
  })

  test('with the recommended e-commerce names need numbers in numeric properties', () => {
    const text = "The property '#/price' of type string did not match the following type: number"
    assert.equal(eventError({ name: 'ecommerce.order_placed', properties: { price: '5' } }), text)
    assert.equal(eventError({ name: 'ecommerce.order_placed', properties: { price: 5, total_value: 1.5 } }), undefined)
    assert.equal(eventError({ name: 'other', properties: { price: '5' } }), undefined)
  })

  test('are refused for values that cannot be stored', () => {
    let deep: unknown = 1
    for (let i = 0; i < 60; i++) deep = [deep]
    for (const value of [new ExactNumber('7'.repeat(numberCharactersMax + 1)), Number.POSITIVE_INFINITY, deep]) {
      assert.equal(eventError({ properties: { value } }), "'properties' is not valid")
      assert.equal(eventError({ unread: { value } }), "'unread' is not valid")
    }
    const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`n${i}`, i]))
    assert.equal(eventError(wide), "'events' is not valid")
    const suspicious = { suspicious: true }
    assert.equal(eventError({ name: 'a\u0000' }, suspicious), "'name' is not valid")
    assert.equal(eventError({ app_id: '\ud800' }, suspicious), "'app_id' is not valid")
    assert.equal(eventError({ unread: '\u0000' }, suspicious), "'unread' is not valid")
    assert.equal(eventError({ properties: { a: ['\u0000'] } }, suspicious), "'properties' is not valid")
    assert.equal(eventError({ properties: { 'a\ud800': 1 } }, suspicious), "'properties' is not valid")
  })

  test('lose the keys that reach a prototype', () => {
    const properties = JSON.parse('{"a":{"__proto__":1,"b":2},"constructor":1,"prototype":{}}')
    assert.equal(
      split({ events: [{ ...event, properties }] }, { suspicious: true }).events[0]!.properties,
      '{"a":{"b":2},"prototype":{}}',
    )
  })
})

describe('purchases', () => {
  test('need a product, a currency, a price and a time', () => {
    for (const missing of [undefined, null, '']) {
      assert.equal(purchaseError({ product_id: missing }), "'product_id' is required")
      assert.equal(purchaseError({ currency: missing }), "'currency' is required")
      assert.equal(purchaseError({ time: missing }), "'time' is required")
    }
    for (const missing of [undefined, null]) assert.equal(purchaseError({ price: missing }), "'price' is required")
    for (const product_id of [{}, 1.5, 'x'.repeat(256)])
      assert.equal(purchaseError({ product_id }), "'product_id' is not valid")
    for (const length of [254, 255]) assert.equal(purchaseError({ product_id: 'x'.repeat(length) }), undefined)
    for (const currency of ['test', 'XYZ', 'US', 5, 'HRK']) {
      assert.equal(purchaseError({ currency }), "'currency' must be an ISO 4217 currency")
    }
    for (const price of ['9.99', '', {}, 2 ** 53, Number.POSITIVE_INFINITY])
      assert.equal(purchaseError({ price }), "'price' is not valid")
    for (const price of [0, -5, 0.1]) assert.equal(purchaseError({ price }), undefined)
  })

  test('have a quantity from 1 to 100, by default 1', () => {
    for (const quantity of [1, 2, 99, 100, undefined, null]) assert.equal(purchaseError({ quantity }), undefined)
    for (const quantity of [0, -1, 101, 1.5, '1', true])
      assert.equal(purchaseError({ quantity }), "'quantity' is not valid")
    assert.deepEqual(
      split({ purchases: [purchase, { ...purchase, quantity: null }] }).purchases.map((item) => item.quantity),
      [1, 1],
    )
  })
})
