import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { definitionContext } from '../../src/messaging/flows/definition-context.ts'
import type { Graph } from '../../src/messaging/flows/flow.ts'
import { outlineDefinition, readCampaign, readCanvas } from '../../src/messaging/flows/read-definition.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'
import { after, bad, conversions, email, entered, gold, good, hi, least } from './flows-given.ts'

const lists: Readonly<Record<string, readonly { id: string; name: string }[]>> = {
  apps: [{ id: 'web', name: 'Web' }],
  segments: [{ id: 'gold-id', name: 'Gold' }],
  email_templates: [{ id: 'welcome', name: 'Welcome' }],
}
const known = definitionContext(completeSettings({ extras_header: 'X-Extras' }), (name) => lists[name] ?? [])

function graphOf(given: object): Graph {
  const result = readCanvas(given as never, known)
  assert.ok('graph' in result, JSON.stringify(result))
  return result.graph
}

function mistakeOf(given: object, read = readCanvas): string | undefined {
  const result = read(given as never, known)
  return 'mistake' in result ? `${result.mistake.path} ${result.mistake.message}` : undefined
}

describe('the definition of a canvas', () => {
  for (const [title, given] of good) test(title, () => assert.equal(mistakeOf(given), undefined))

  for (const [given, mistake] of bad) {
    test(`${mistake.slice(0, 100)} is refused`, () => {
      const actual = mistakeOf(given)
      if (mistake.endsWith('one of')) assert.ok(actual?.startsWith(mistake), `${actual}`)
      else assert.equal(actual, mistake)
    })
  }

  test('a value of a wrong type anywhere is reported as a mistake', () => {
    const odd = [null, 0, -1, '', 'x', true, [], [null], {}, { __proto__: null }, 'a'.repeat(10_000)]
    const whole = {
      ...entered({
        event: { event: 'e', properties: { a: 1 } },
        schedule: { at: '09:00', days: ['mon'] },
        again: 'always',
      }),
      segment: gold,
      exit: { events: ['e'], audience: gold },
      conversions: conversions(1),
      rate: '1/min',
      steps: [
        { ...hi, next: 'a' },
        { id: 'a', type: 'delay', for: 'P1D', next: 'b' },
        { id: 'b', type: 'paths', paths: [{ audience: gold, next: 'c' }], otherwise: 'c' },
        { id: 'c', type: 'action_paths', within: 'P1D', paths: [{ event: 'e', same: ['x'], next: 'd' }] },
        { id: 'd', type: 'experiment', paths: [{ percent: 100, next: 'e' }] },
        { id: 'e', type: 'update_user', attributes: { a: 1 }, next: 'f' },
        { id: 'f', type: 'webhook', url: 'https://example.com', headers: { a: 'b' }, body: 'c' },
      ],
    }
    assert.equal(mistakeOf(whole), undefined)
    for (const path of pathsIn(whole).filter(([first]) => first !== 'id')) {
      for (const value of odd) {
        const result = readCanvas(replaced(whole, path, value) as never, known)
        assert.ok('graph' in result || typeof result.mistake.message === 'string', path.join('.'))
        const { mistakes } = outlineDefinition('canvas', replaced(whole, path, value) as never, known)
        assert.equal(mistakes.length > 0, 'mistake' in result, path.join('.'))
      }
    }
  })
})

describe('the graph of a canvas', () => {
  test('has the documented defaults', () => {
    const graph = graphOf(least)
    assert.deepEqual([...graph.entry.by], ['api'])
    const { segment, exit, conversions, controlPercent, wanted, quietHours, rate } = graph
    assert.deepEqual(
      { segment, exit, conversions, controlPercent, wanted, quietHours, rate, again: graph.entry.again },
      {
        ...{ segment: undefined, exit: { on: [], condition: undefined }, conversions: [], controlPercent: 0 },
        ...{ wanted: 'subscribed', quietHours: 'hold', rate: undefined, again: 'never' },
      },
    )
    assert.deepEqual(graph.steps.get('hi'), {
      id: 'hi',
      name: 'hi',
      type: 'message',
      channel: 'email',
      content: email,
      next: undefined,
    })
    assert.equal(graphOf({ ...least, class: 'transactional' }).wanted, 'all')
  })

  test('has the entry triggers that the file gives', () => {
    assert.deepEqual([...graphOf(entered({ event: 'e' })).entry.by], ['event'])
    assert.deepEqual([...graphOf(entered({ schedule: { at: '09:00' } })).entry.by], ['schedule'])
    const { on, schedule } = graphOf(
      entered({
        event: { purchase: 'any', properties: { size: { comparison: 'greater_than', value: 3 }, kind: 'hat' } },
        schedule: { at: '09:00', days: ['sun', 'mon'], zone: 'Europe/Paris', from: '2027-03-01' },
      }),
    ).entry
    assert.deepEqual(on, {
      kind: 'purchase',
      name: undefined,
      tests: [
        { property: 'size', comparison: 'greater_than', value: 3 },
        { property: 'kind', comparison: 'equals', value: 'hat' },
      ],
      same: [],
    })
    assert.deepEqual(schedule, {
      at: '09:00',
      days: [1, 7],
      zone: 'Europe/Paris',
      from: '2027-03-01',
      until: undefined,
    })
  })

  test('has durations in elapsed time', () => {
    const waits = ['P1D', 'P1W', 'P1DT2H', 'PT90M', 'PT1.5S'].map((wait) => {
      const step = graphOf(after({ for: wait, next: 'hi' })).steps.get('own')
      return step?.type === 'delay' && 'forMs' in step.wait ? step.wait.forMs : undefined
    })
    const hour = 3_600_000
    assert.deepEqual(waits, [24 * hour, 168 * hour, 26 * hour, 1.5 * hour, 1500])
    assert.deepEqual(graphOf({ ...least, rate: '500/min' }).rate, { count: 500, perMs: 60_000 })
  })

  test('has conversions with the names of the interface', () => {
    const given = [
      { on: { purchase: 'any' }, within: 'P1D' },
      { on: { opened: 'email' }, within: 'P1D' },
    ]
    const { conversions } = graphOf({ ...least, conversions: given })
    assert.deepEqual(
      conversions.map(({ name, on }) => [name, on.kind, on.name]),
      [
        ['Primary Conversion Event - A', 'purchase', undefined],
        ['Primary Conversion Event - B', 'engagement', 'opened'],
      ],
    )
  })

  test('has variants whose id depends on the ids of flow and variant name only', () => {
    const given = (id: string) => ({ ...least, id, first: null, variants: [{ name: 'A', percent: 100, first: 'hi' }] })
    const idOf = (id: string) => graphOf(given(id)).variants[0]!.id
    assert.equal(idOf('c'), idOf('c'))
    assert.notEqual(idOf('c'), idOf('d'))
    assert.match(idOf('c'), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })
})

describe('campaigns', () => {
  const campaign = { id: 'c', messages: [{ email }] }

  test('a campaign is a canvas of one message for each variant', () => {
    const messages = [
      { id: 'one', name: 'One', percent: 40, email },
      { id: 'two', name: 'Two', percent: 60, email },
    ]
    const result = readCampaign({ id: 'c', messages }, known)
    assert.ok('graph' in result)
    const { variants, steps, entry } = result.graph
    assert.deepEqual(variants, [
      { id: 'one', name: 'One', percent: 40, first: 'one' },
      { id: 'two', name: 'Two', percent: 60, first: 'two' },
    ])
    assert.deepEqual(
      [...steps.values()].map(({ id, name, type }) => [id, name, type]),
      [
        ['one', 'One', 'message'],
        ['two', 'Two', 'message'],
      ],
    )
    assert.equal(entry.again, 'always')
  })

  test('one message needs neither id nor percent', () => {
    const result = readCampaign(campaign, known)
    assert.ok('graph' in result)
    const [variant] = result.graph.variants
    assert.deepEqual([variant?.percent, variant?.name, variant?.first], [100, 'Variant 1', variant?.id])
  })

  for (const [given, mistake] of [
    [{ messages: [] }, 'messages must be a list of 1 to 8 messages, not of 0'],
    [{ steps: [] }, 'steps is not known here'],
    [
      {
        messages: [
          { id: 'a', email, percent: 50 },
          { id: 'a', name: 'B', email, percent: 50 },
        ],
      },
      'messages[1].id is the same as that of messages[0]',
    ],
    [{ messages: [{ email, percent: 50 }] }, 'messages must have percents that add to 100, not 50'],
    [
      { messages: [{ email: { ...email, from: 'x' } }] },
      'messages[0].email.from must be a valid address in the form Display Name <address>',
    ],
  ] as const) {
    test(`${mistake} is refused`, () => assert.equal(mistakeOf({ ...campaign, ...given }, readCampaign), mistake))
  }
})

type Path = readonly (string | number)[]

function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [...(at.length > 0 ? [at] : []), ...Object.entries(value).flatMap(([key, one]) => pathsIn(one, [...at, key]))]
}

function replaced(value: unknown, [first, ...rest]: Path, by: unknown): unknown {
  if (first === undefined) return by
  const copy = structuredClone(value) as Record<string | number, unknown>
  copy[first] = replaced(copy[first], rest, by)
  return copy
}
