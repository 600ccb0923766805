import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeConversion, describeEntry } from '../../src/messaging/flows/describe-entry.ts'
import type { Graph, Trigger } from '../../src/messaging/flows/flow.ts'
import { referencesMax, referencesOfDefinition, referencesOfText } from '../../src/messaging/heads/references.ts'
import { namedUsersMax, type User } from '../../src/messaging/heads/schema.ts'
import { nameReadable, UsersOf } from '../../src/messaging/heads/users.ts'

const nothing = { on: undefined, schedule: undefined, again: 'never' } as const
const signedUp: Trigger = { kind: 'event', name: 'signed_up', tests: [], same: [] }
const schedule = { at: '09:00', days: [], zone: 'local', from: undefined, until: undefined }
const entry = (more: Partial<Graph['entry']>): Graph['entry'] => ({ by: new Set(), ...nothing, ...more })

describe('how people enter a flow, in a sentence', () => {
  const day = 24 * 60 * 60_000
  const cases: readonly (readonly [string, Partial<Graph['entry']>])[] = [
    ['People enter when the API says so, once each.', { by: new Set(['api']) }],
    ['People enter when they do "signed_up", once each.', { by: new Set(['event']), on: signedUp }],
    [
      'People enter when they do "signed_up" with certain properties, as often as that happens.',
      { by: new Set(['event']), on: { ...signedUp, same: ['shop'] }, again: 'always' },
    ],
    [
      'People enter when they buy, and again after 30 days at the earliest.',
      { by: new Set(['event']), on: { ...signedUp, kind: 'purchase', name: undefined }, again: { afterMs: 30 * day } },
    ],
    [
      'People enter when they buy "shoe", and again after 1 week at the earliest.',
      { by: new Set(['event']), on: { ...signedUp, kind: 'purchase', name: 'shoe' }, again: { afterMs: 7 * day } },
    ],
    ['People enter every day at 09:00 in their own time zone, once each.', { by: new Set(['schedule']), schedule }],
    [
      'People enter every Monday, Wednesday and Friday at 09:00 in Europe/Paris from 2027-01-01 until 2027-02-01, once each.',
      {
        by: new Set(['schedule']),
        schedule: { ...schedule, days: [1, 3, 5], zone: 'Europe/Paris', from: '2027-01-01', until: '2027-02-01' },
      },
    ],
    [
      'People enter when they do "signed_up", every day at 09:00 in their own time zone or when the API says so, ' +
        'and again after 90 minutes at the earliest.',
      { by: new Set(['api', 'schedule', 'event']), on: signedUp, schedule, again: { afterMs: 90 * 60_000 } },
    ],
  ]
  for (const [sentence, given] of cases) {
    test(sentence, () => assert.equal(describeEntry({ entry: entry(given), segment: undefined }), sentence))
  }

  test('an audience is named', () => {
    const segment = { segment_id: 'gold' }
    const sentence = 'People of its audience enter when the API says so, once each.'
    assert.equal(describeEntry({ entry: entry({ by: new Set(['api']) }), segment }), sentence)
  })

  const dayMs = 24 * 60 * 60_000
  const conversions: [string, Parameters<typeof describeConversion>[0]][] = [
    [
      'People convert when they do "signed_up" within 2 days after a message of the canvas.',
      { on: signedUp, withinMs: 2 * dayMs },
    ],
    [
      'People convert when they open an e-mail of the canvas within 1 week.',
      { on: { kind: 'engagement', name: 'opened' }, withinMs: 7 * dayMs },
    ],
    [
      'People convert when they click a link in an e-mail of the canvas within 1 hour.',
      { on: { kind: 'engagement', name: 'clicked' }, withinMs: dayMs / 24 },
    ],
  ]
  for (const [sentence, conversion] of conversions) {
    test(sentence, () => assert.equal(describeConversion(conversion, 'canvas'), sentence))
  }
})

describe('what something refers to', () => {
  const block = (word: string) => ({ kind: 'content_blocks', word })
  const catalog = (word: string) => ({ kind: 'catalogs', word })

  test('texts refer to blocks and catalogs, each once', () => {
    const text = `{{content_blocks.\${footer}}} {{ content_blocks . \${ top bar } | upcase }} {{content_blocks.\${footer}}}
      {% catalog_items shoes {{id}} %} {%- catalog_selection_items "big hats" new -%} {% catalog_items 'bags' 1, 2 %}`
    assert.deepEqual(referencesOfText(text), [
      ...['footer', 'top bar'].map(block),
      ...['shoes', 'big hats', 'bags'].map(catalog),
    ])
  })

  test('texts that do not parse, and texts about something else, refer to nothing', () => {
    for (const text of [
      '',
      '{{content_blocks.${',
      '{% catalog_items %}',
      'content_blocks catalog_items shoes',
      '{{${footer}}}',
    ]) {
      assert.deepEqual(referencesOfText(text), [], text)
    }
  })

  test('a text that never closes what it opens is read in one pass', () => {
    for (const text of [
      `content_blocks.\${${' '.repeat(1_000_000)}`,
      'content_blocks.${'.repeat(60_000),
      '{% catalog_items "'.repeat(60_000),
    ]) {
      assert.ok(referencesOfText(text).length <= 1)
    }
  })

  test('some references of a thing are kept', () => {
    for (const count of [referencesMax - 1, referencesMax, referencesMax + 1]) {
      const text = Array.from({ length: count }, (_, i) => `{{content_blocks.\${b${i}}}}`).join('')
      assert.equal(referencesOfText(text).length, Math.min(count, referencesMax))
    }
  })

  test('definitions refer by ids in members, and by Liquid in texts at any depth', () => {
    const definition = {
      segment: { segment_id: 'gold' },
      steps: [
        { message: { email_template_id: 'welcome', subject: '{{content_blocks.${greeting}}}' } },
        { audience: { AND: [{ NOT: { subscription_group: { subscription_group_id: 'news', value: 'x' } } }] } },
        { body: { segment_id: 'no reference', text: ['{% catalog_items shoes 1 %}'] } },
        { attributes: { email_template_id: 'no reference' } },
        { segment_id: 7 },
      ],
    }
    assert.deepEqual(referencesOfDefinition(definition), [
      { kind: 'segments', word: 'gold' },
      { kind: 'email_templates', word: 'welcome' },
      block('greeting'),
      { kind: 'subscription_groups', word: 'news' },
      catalog('shoes'),
    ])
  })
})

describe('what uses something', () => {
  const user = (id: string): User => ({ kind: 'canvases', id, name: id.toUpperCase() })
  const referred = {
    segments: [
      { id: 's1', name: 'Gold' },
      { id: 's2', name: 'Silver' },
    ],
    subscription_groups: [],
    email_templates: [{ id: 't1', name: 's1' }],
    content_blocks: [{ id: 'b1', name: 'footer' }],
    catalogs: [],
  }
  const uses = (id: string, ...references: ['segments' | 'email_templates' | 'content_blocks', string][]) => {
    return { user: user(id), references: references.map(([kind, word]) => ({ kind, word })) }
  }

  test('segments are found by id or name, templates by id, blocks by name, each user once', () => {
    const users = new UsersOf(referred, [
      uses('one', ['segments', 's1'], ['segments', 'Gold'], ['email_templates', 's1'], ['content_blocks', 'b1']),
      uses('two', ['segments', 'Gold'], ['content_blocks', 'footer'], ['email_templates', 't1']),
      uses('three', ['segments', 'Bronze']),
    ])
    assert.deepEqual(users.of('segments', 's1'), { used_by: [user('one'), user('two')], used_by_count: 2 })
    assert.deepEqual(users.of('segments', 's2'), { used_by: [], used_by_count: 0 })
    assert.deepEqual(users.of('email_templates', 't1').used_by, [user('two')])
    assert.deepEqual(users.of('content_blocks', 'b1').used_by, [user('two')])
  })

  test('some are named, all are counted', () => {
    for (const count of [namedUsersMax - 1, namedUsersMax, namedUsersMax + 1]) {
      const all = Array.from({ length: count }, (_, i) => uses(`c${i}`, ['segments', 's1']))
      const users = new UsersOf(referred, all).of('segments', 's1')
      const { used_by, used_by_count } = nameReadable(users, () => true)
      assert.deepEqual([used_by.length, used_by_count], [Math.min(count, namedUsersMax), count])
      assert.deepEqual(
        nameReadable(users, (kind) => kind === 'campaigns'),
        { used_by: [], used_by_count: count },
      )
    }
  })
})
