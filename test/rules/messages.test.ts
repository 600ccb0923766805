import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { hashOf } from '../../src/base/http/idempotency.ts'
import { checkVariation, type MessageCampaign, readCampaign } from '../../src/messaging/orders/message-campaign.ts'
import { seed, sizes } from '../sizes.ts'

const campaign: MessageCampaign = {
  flow_id: 1,
  variations: new Map([
    ['mail-a', 'email'],
    ['push-a', 'apple_push'],
  ]),
}

/** Returns the text of the refusal of a variation; undefined when it is accepted. */
function verdict(of: MessageCampaign | undefined, channel: 'email' | 'apple_push', given: unknown): string | undefined {
  let said: string | undefined
  try {
    checkVariation(of, channel, given)
  } catch (error) {
    said = (error as Error).message
  }
  return said
}

describe('the variation of a message', () => {
  test('belongs to its campaign and channel', () => {
    for (const [of, channel, given, said] of [
      [campaign, 'email', 'mail-a', undefined],
      [campaign, 'apple_push', 'push-a', undefined],
      [campaign, 'email', undefined, 'Message Variant Unspecified'],
      [campaign, 'email', null, 'Message Variant Unspecified'],
      [campaign, 'email', '', 'Message Variant Unspecified'],
      [campaign, 'email', 'mail-b', 'Invalid Message Variant'],
      [campaign, 'email', 7, 'Invalid Message Variant'],
      [campaign, 'email', 'push-a', 'Mismatched Message Type'],
      [campaign, 'apple_push', 'mail-a', 'Mismatched Message Type'],
      [undefined, 'email', undefined, undefined],
      [undefined, 'email', 'mail-a', 'Invalid Message Variant'],
    ] as const) {
      assert.equal(verdict(of, channel, given), said, `${channel} ${given}`)
    }
  })

  test('needs a campaign that exists', () => {
    assert.equal(readCampaign('summer', campaign), campaign)
    for (const absent of [undefined, null, '']) assert.equal(readCampaign(absent, undefined), undefined)
    for (const given of ['winter', 7, {}, ['summer'], true]) {
      assert.throws(() => readCampaign(given, undefined), { message: 'Invalid Campaign ID' })
    }
  })
})

describe('the hash of a request', () => {
  /** Returns the same value with the members of every object in reverse order. */
  function turned(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, turned(inner)]),
    )
  }

  test('does not depend on the order of members', () => {
    const parsed = (text: string): unknown => JSON.parse(text)
    const texts = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value))
    fc.assert(
      fc.property(texts, (text) => hashOf(parsed(text)).equals(hashOf(turned(parsed(text))))),
      { numRuns: sizes.propertyRuns, seed },
    )
  })

  test('distinguishes lists from objects, and nested from flat lists', () => {
    const all = [
      {},
      [],
      [[]],
      [{}],
      { a: [] },
      [['a', []]],
      [1, [2]],
      [[1], 2],
      ['1', ['2']],
      null,
      'null',
      undefined,
      ['[1'],
    ]
    const hashes = new Set(all.map((value) => hashOf(value).toString('hex')))
    assert.equal(hashes.size, all.length)
  })

  test('works at any depth', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    assert.equal(hashOf(deep).length, 32)
  })
})
