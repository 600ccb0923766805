import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { SegmentSchema } from '../../src/audience/conditions/schema.ts'
import { definitionContext } from '../../src/messaging/flows/definition-context.ts'
import { describedFlows } from '../../src/messaging/flows/flow-schema.ts'
import { outlineDefinition, readCanvas } from '../../src/messaging/flows/read-definition.ts'
import { CampaignShape, CanvasShape } from '../../src/messaging/flows/schema.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'
import { seed, sizes } from '../sizes.ts'
import { mail } from '../support/messages.ts'
import { randomCanvases } from '../support/random-flows.ts'
import { bad, good } from './flows-given.ts'

const components = { schemas: { Condition: SegmentSchema } }
const described = Compile({ ...describedFlows.canvas.whole, components })
const changes = Compile({ ...describedFlows.canvas.change, components })
const lists: Readonly<Record<string, readonly { id: string; name: string }[]>> = {
  apps: [
    { id: 'web', name: 'Web' },
    { id: mail().app_id as string, name: 'Of the mails' },
  ],
  segments: [{ id: 'gold-id', name: 'Gold' }],
  email_templates: [{ id: 'welcome', name: 'Welcome' }],
}
const known = definitionContext(completeSettings({ extras_header: 'X-Extras' }), (name) => lists[name] ?? [])

function problemsOf(value: object, schema = described): string {
  const [fits, errors] = schema.Errors(value)
  return fits ? '' : errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join('; ')
}

/** Removes the members that are null, anywhere. A schema for forms has them absent. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(members.map(([name, one]) => [name, withoutNull(one)]))
}

describe('the described shape of a flow', () => {
  test('has the members that are accepted, and no others', () => {
    assert.deepEqual(Object.keys(describedFlows.canvas.whole.properties), Object.keys(CanvasShape.properties))
    assert.deepEqual(Object.keys(describedFlows.campaign.whole.properties), Object.keys(CampaignShape.properties))
  })

  for (const [title, given] of good) {
    test(`${title} fits`, () => {
      const canvas = withoutNull({ name: 'Canvas', ...given }) as object
      assert.equal(problemsOf(canvas), '')
    })
  }

  test('random valid canvases fit, and their readers accept them', () => {
    fc.assert(
      fc.property(randomCanvases, (given) => {
        const canvas = { id: 'c', ...given }
        const read = readCanvas(canvas, known)
        assert.ok('graph' in read, JSON.stringify(read))
        assert.equal(problemsOf({ name: 'Canvas', ...canvas }), '')
        assert.deepEqual(outlineDefinition('canvas', canvas, known).mistakes, [])
      }),
      { seed, numRuns: sizes.propertyRuns },
    )
  })

  test('a change may remove a member of the definition, and not the name', () => {
    assert.equal(problemsOf({ exit: null, rate: null, segment: null }, changes), '')
    assert.notEqual(problemsOf({ name: null }, changes), '')
  })

  test('what is no canvas does not fit', () => {
    const hi = { id: 'hi', type: 'message', message: mail() }
    const wrong = [
      {},
      { name: 'a', steps: [] },
      { name: 'a', steps: [{ ...hi, type: 'sms' }] },
      { name: 'a', steps: [{ ...hi, wait: 'P1D' }] },
      { name: 'a', steps: [hi], color: 1 },
      { name: 'a', steps: [hi], segment: { AND: [{ OR: [{ color: 1 }] }] } },
      { name: 'a', steps: [hi], control_percent: 101 },
      { name: 'a', steps: [hi], entry: { schedule: { at: '24:00' } } },
    ]
    for (const given of wrong) assert.notEqual(problemsOf(given), '', JSON.stringify(given))
  })
})

describe('a definition that is read on after a mistake', () => {
  for (const [title, given] of good) {
    test(`${title} has no mistakes and the same graph`, () => {
      const { mistakes, graph } = outlineDefinition('canvas', given as never, known)
      assert.deepEqual(mistakes, [])
      assert.deepEqual({ graph }, readCanvas(given as never, known))
    })
  }

  for (const [given, mistake] of bad) {
    test(`${mistake.slice(0, 100)} is among its mistakes`, () => {
      const { mistakes } = outlineDefinition('canvas', given as never, known)
      const read = readCanvas(given as never, known)
      assert.ok('mistake' in read)
      const told = mistakes.some(({ path, message }) => {
        // Mistakes within an audience have their own place here.
        return path === read.mistake.path ? message === read.mistake.message : path.startsWith(`${read.mistake.path}.`)
      })
      assert.ok(told, JSON.stringify([read.mistake, mistakes]))
    })
  }
})
