import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TemplateEngine, templateScope } from '../../src/content/liquid/engine.ts'
import { PersonBudget, type RenderRun } from '../../src/content/liquid/run.ts'
import { seed, sizes } from '../sizes.ts'
import { ann, nowMs } from '../support/liquid.ts'

const engine = new TemplateEngine('service')

test('a text is the same whether its values are read directly or by the generators of the engine', async () => {
  const name = fc.constantFrom('item', 'forloop', 'custom_attribute', 'event_properties', 'x', 'nobody', 'constructor')
  const member = fc.constantFrom(
    ...['.name', '.title', '.index', '.length', '.size', '.first', '.last', '.songs', '.items', '.__proto__'],
    ...[
      '[0]',
      '[-1]',
      '[9]',
      '["zip code"]',
      '["songs"]',
      '[x]',
      '[x.y]',
      '[item.name]',
      '.size.first',
      '[nil]',
      '[1.5]',
    ],
  )
  const path = fc.tuple(name, fc.array(member, { maxLength: 3 })).map(([root, members]) => root + members.join(''))
  const value = fc.oneof(
    { arbitrary: path, weight: 6 },
    fc.constantFrom('"a"', '1.5', 'nil', 'empty', 'blank', 'true', '(1..3)', '"abc".size', '(1..3).last', '(1..3)[0]'),
    fc.tuple(path, path).map(([left, right]) => `${left} contains ${right}`),
    path.map((one) => `(${one} | default: "none")`),
  )
  const filter = fc.oneof(
    fc.constantFrom(' | upcase', ' | size', ' | join: ", "', ' | first', ' | json', ' | plus: 1', ' | date: "%F"'),
    path.map((one) => ` | default: ${one}`),
    path.map((one) => ` | append: ${one} | slice: 0, 5`),
  )
  const output = fc
    .tuple(value, fc.array(filter, { maxLength: 2 }))
    .map(([one, filters]) => `{{ ${one}${filters.join('')} }}`)
  const text = fc.array(output, { minLength: 1, maxLength: 6 }).map((outputs) => {
    const all = outputs.join('-')
    return `{% assign x = "name" %}${all}{% for item in custom_attribute.songs %}${all}{% endfor %}`
  })
  const run = (): RenderRun => ({
    nowMs,
    blocks: new Map(),
    path: [],
    serviceName: 'service',
    budget: new PersonBudget(),
  })
  await fc.assert(
    fc.asyncProperty(text, async (one) => {
      const template = engine.parse(one)
      const directly = engine.renderNow(template, templateScope(ann), run())
      assert.deepEqual(directly, await engine.render(template, templateScope(ann), run()), one)
    }),
    { seed, numRuns: sizes.propertyRuns },
  )
})
