import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSections } from '../../src/config-sections.ts'
import type { FlowEntry } from '../../src/messaging/flows/config-section.ts'
import { definitionContext } from '../../src/messaging/flows/definition-context.ts'
import type { Graph } from '../../src/messaging/flows/flow.ts'
import { computeImpact } from '../../src/messaging/flows/impact.ts'
import { readCanvas } from '../../src/messaging/flows/read-definition.ts'
import { allDefinitionBytesMax, definitionBytesMax, flowsMax } from '../../src/messaging/flows/schema.ts'
import { checkFile } from '../../src/workspace/file/check-file.ts'
import { type Plan, plan } from '../../src/workspace/file/plan.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'

const apps = [{ id: 'web', name: 'Web', platform: 'web' }]
const email = { app_id: 'web', from: 'Shop <shop@example.com>', subject: 'Hello', body: '<p>Hello</p>' }
const steps = [{ id: 'hi', type: 'message', message: email }]
const canvas = { id: 'c', name: 'Welcome', first: 'hi', steps }

function planned(file: object, canvases: readonly object[] = []): Plan {
  const entries = new Map<string, never[]>([
    ['apps', apps as never[]],
    ['canvases', canvases as never[]],
  ])
  const checked = checkFile(file, '', () => undefined, configSections)
  return plan(configSections, { workspace: { id: 'd', name: 'D' }, settings: {}, entries }, checked, () => 'new')
}

function mistakes(made: Plan): string[] {
  return made.mistakes.map(({ path, message }) => `${path} ${message}`)
}

/** Returns the canvas as it is stored after this file. */
function stored(given: object = canvas, before: readonly object[] = []): FlowEntry {
  const made = planned({ canvases: [given] }, before)
  assert.deepEqual(mistakes(made), [])
  const step = made.steps.find(({ section }) => section.name === 'canvases')!
  return [...step.create, ...step.update][0] as unknown as FlowEntry
}

test('the same file changes nothing when it is applied again, and a change of name or state makes no version', () => {
  const first = stored()
  assert.deepEqual([first.version, first.state, first.class], [1, 'draft', 'marketing'])
  assert.deepEqual(planned({ canvases: [canvas] }, [first]).changes, [])
  assert.deepEqual(planned({ canvases: [{ ...canvas, class: 'marketing', exit: null }] }, [first]).changes, [])
  const renamed = { ...canvas, name: 'Hello', description: 'For all', tags: ['a'], state: 'active' }
  assert.equal(stored(renamed, [first]).version, 1)
  assert.equal(stored({ ...canvas, rate: '5/min' }, [first]).version, 2)
  assert.equal(stored({ ...canvas, class: 'transactional' }, [first]).version, 2)
  const ruled = stored({ ...canvas, rate: '5/min' })
  assert.equal('rate' in stored(canvas, [ruled]).definition, false)
})

test('a file may refer to what it creates', () => {
  const segments = [{ name: 'Gold', audience: { random_bucket: { comparison: 'less_than', value: 5 } } }]
  const audience = { segment_id: 'Gold' }
  const app_id = 'shop'
  const own = [{ id: 'hi', type: 'message', message: { ...email, app_id } }]
  const file = {
    canvases: [{ ...canvas, audience, steps: own }],
    segments,
    apps: [{ id: app_id, name: 'S', platform: 'ios' }],
  }
  assert.deepEqual(mistakes(planned(file)), [])
  assert.deepEqual(mistakes(planned({ canvases: file.canvases })), [
    'canvases[0].steps[0].message.app_id must be the id of an app of this workspace',
  ])
})

test('each step has its own mistake, and mistakes of the whole canvas are reported only without those', () => {
  const steps = [{ id: 'a', type: 'delay' }, { id: 'b' }, { id: 'b', type: 'delay', for: 'P1D', next: 'nowhere' }]
  const given = { ...canvas, class: 'other', first: 'a', steps }
  assert.deepEqual(
    mistakes(planned({ canvases: [given] })).map((mistake) => mistake.split(' ')[0]),
    ['canvases[0].class', 'canvases[0].steps[0]', 'canvases[0].steps[1].type'],
  )
})

test('states only change in one direction', () => {
  const of = (state: string, more: object = {}) => ({ ...stored({ ...canvas, state }), ...more })
  const to = (state: string, before: object) => mistakes(planned({ canvases: [{ ...canvas, state }] }, [before]))
  assert.deepEqual(to('draft', of('active')), ['canvases[0].state must not be draft again: it is active'])
  assert.deepEqual(to('active', of('archived')), [])
  assert.deepEqual(to('active', of('archived', { unsettled: true })), [
    'canvases[0].state must stay archived until all people have left it: try again in a moment',
  ])
  assert.deepEqual(to('archived', of('archived', { unsettled: true })), [])
  assert.deepEqual(to('paused', of('draft')), [])
})

test('a workspace has a limit of canvases', () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ...canvas, id: `c${i}`, name: `C ${i}` }))
  assert.deepEqual(mistakes(planned({ canvases: many(flowsMax) })), [])
  assert.deepEqual(mistakes(planned({ canvases: many(flowsMax + 1) })), [
    `canvases would be ${flowsMax + 1} in this workspace; at most ${flowsMax} are allowed`,
  ])
})

test('a canvas has a limit of bytes, and so do all canvases of a workspace together', () => {
  /** Returns a canvas whose definition has exactly this many bytes. */
  const ofBytes = (bytes: number, id = 'c') => {
    const texts = ['', '', '']
    const made = () => {
      const own = texts.map((text, i) => {
        const message = { ...email, body: `<p>${text}</p>` }
        return { id: `s${i}`, type: 'message', message, ...(i < 2 && { next: `s${i + 1}` }) }
      })
      return { id, name: id, class: 'marketing', first: 's0', steps: own }
    }
    const size = () => Buffer.byteLength(JSON.stringify({ ...made(), id: undefined, name: undefined }))
    for (const [i] of texts.entries()) texts[i] = 'x'.repeat(Math.min(1_000_000, bytes - size()))
    return made()
  }
  for (const bytes of [definitionBytesMax - 1, definitionBytesMax]) {
    assert.deepEqual(mistakes(planned({ canvases: [ofBytes(bytes)] })), [])
  }
  assert.deepEqual(mistakes(planned({ canvases: [ofBytes(definitionBytesMax + 1)] })), [
    `canvases[0].steps is ${definitionBytesMax + 1} bytes as JSON; at most ${definitionBytesMax} are allowed`,
  ])
  const count = allDefinitionBytesMax / definitionBytesMax
  const all = Array.from({ length: count }, (_, i) => stored(ofBytes(definitionBytesMax, `c${i}`)))
  assert.deepEqual(
    mistakes(planned({ canvases: [{ ...ofBytes(definitionBytesMax, 'c0'), state: 'active' }] }, all)),
    [],
  )
  const over = mistakes(planned({ canvases: [ofBytes(1_000)] }, all))
  assert.match(over[0]!, /^canvases\[0\]\.id is too much: all of a workspace must be at most 33554432 bytes as JSON/)
})

test('settings have quiet hours and frequency caps', () => {
  const good = {
    quiet_hours: { start: '22:00', end: '08:00' },
    frequency_cap: [{ count: 1, per: 'P1D', channel: 'email' }],
  }
  assert.deepEqual(mistakes(planned({ settings: good })), [])
  const bad: [object, RegExp][] = [
    [{ quiet_hours: { start: '22:00', end: '22:00' } }, /settings.quiet_hours must be an object with start and end/],
    [{ quiet_hours: { start: '22:00' } }, /settings.quiet_hours.end is missing/],
    [{ quiet_hours: { start: '24:00', end: '08:00' } }, /settings.quiet_hours.start must be a time of day/],
    [{ frequency_cap: [{ count: 0, per: 'P1D' }] }, /settings.frequency_cap\[0\].count must be a whole number/],
    [{ frequency_cap: [{ count: 1, per: 'P1M' }] }, /settings.frequency_cap\[0\].per must be a length of time/],
    [{ frequency_cap: [{ count: 1, per: 'P91D' }] }, /settings.frequency_cap\[0\].per must be a length of time/],
    [
      { frequency_cap: Array(11).fill({ count: 1, per: 'P1D' }) },
      /settings.frequency_cap must be a list of at most 10/,
    ],
  ]
  for (const [settings, mistake] of bad) assert.match(mistakes(planned({ settings })).join(), mistake)
})

test('the impact of a version has the people of each step and what becomes of the step', () => {
  const known = definitionContext(completeSettings({}), (name) => (name === 'apps' ? apps : []))
  const read = (given: object): Graph => {
    const result = readCanvas({ ...given, id: 'c' } as never, known)
    assert.ok('graph' in result, JSON.stringify(result))
    return result.graph
  }
  const wait = (days: number) => ({ id: 'wait', type: 'delay', for: `P${days}D`, next: 'bye' })
  const bye = { id: 'bye', type: 'message', message: email }
  const first = read({ first: 'hi', steps: [{ ...steps[0], next: 'wait' }, wait(3), bye] })
  const next = read({
    first: 'hi',
    rate: '5/min',
    steps: [
      { ...steps[0], next: 'wait' },
      { ...wait(1), next: 'new' },
      { ...bye, id: 'new' },
    ],
  })
  const counts = [
    { version: 1, step: '', people: 1 },
    { version: 1, step: 'bye', people: 4 },
    { version: 1, step: 'hi', people: 2 },
    { version: 1, step: 'wait', people: 3 },
  ]
  assert.deepEqual(computeImpact(first, next, new Map([[1, first]]), counts), {
    open: 10,
    standing: [
      { version: 1, step: '', name: '', people: 1, in_new: 'same' },
      { version: 1, step: 'bye', name: 'bye', people: 4, in_new: 'gone' },
      { version: 1, step: 'hi', name: 'hi', people: 2, in_new: 'same' },
      { version: 1, step: 'wait', name: 'wait', people: 3, in_new: 'changed' },
    ],
    steps: { added: ['new'], changed: ['wait'], removed: ['bye'] },
    rules: ['rate'],
  })
})
