import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkTemplate } from '../../src/content/liquid/parse.ts'
import {
  expressionCharactersMax,
  markupMax,
  nestedBracesMax,
  rewriteDialect,
} from '../../src/content/liquid/rewrite-dialect.ts'
import { seed, sizes } from '../sizes.ts'
import { renderText, watchedSources, withRenderer } from '../support/liquid.ts'

test('mistakes have the line and column of the original text', () => {
  const table: readonly (readonly [text: string, line: number, column: number, message: string])[] = [
    ['{{ x', 1, 1, 'output "{{ x" not closed'],
    ['a\n{{ ${first_name}', 2, 1, 'output "{{ ${first_name}" not closed'],
    ['{% if a %}', 1, 1, 'tag {% if a %} not closed'],
    [
      '{{${a}}}\n{{custom_attribute.${b}}} {% if custom_attribute.${c} %}',
      2,
      27,
      'tag {% if custom_attribute.${c} %} not closed',
    ],
    ['ok\r\n  {% bogus %}', 2, 3, 'tag "bogus" not found'],
    ['{{${a}}} {{ ${b} | fooo }}', 1, 10, 'undefined filter: fooo'],
    ['{% endif %}', 1, 1, 'tag "endif" not found'],
    ['{{ ${} }}', 1, 4, '"${}" names nothing'],
    ['{{ ${a', 1, 4, '"${" is not closed'],
    ['{% if ${a %}{% endif %}', 1, 7, '"${" is not closed'],
    ['{% if {{a %}{% endif %}', 1, 7, 'braces inside a tag or an output are not closed'],
    ['{% include "x" %}', 1, 1, 'tag "include" not found'],
    ["\n{% render 'x' %}", 2, 1, 'tag "render" not found'],
    ['{% layout "x" %}', 1, 1, 'tag "layout" not found'],
    ['{% catalog_items shop %}', 1, 1, 'catalog_items needs the name of a catalog and the id of an item'],
    ['é {% connected_content :save x %}', 1, 3, 'connected_content needs a URL'],
    [
      '{% connected_content https://a.b :save {{x}} %}',
      1,
      1,
      '":save" of connected_content needs the name of a variable',
    ],
    ['{% catalog_items shop {{ custom_attribute.${a} | fooo }} %}', 1, 1, 'undefined filter: fooo'],
    ['a{% raw %}', 1, 2, 'tag {% raw %} not closed'],
    [`${'{{ '.repeat(nestedBracesMax + 2)}`, 1, 3 * (nestedBracesMax + 1) + 1, 'braces are nested too deeply'],
  ]
  for (const [text, line, column, message] of table) {
    const mistake = checkTemplate(text)
    assert.deepEqual([mistake?.line, mistake?.column, mistake?.message], [line, column, message], text)
  }
})

test('a template has a limit of tags and values', () => {
  assert.equal(checkTemplate('{{a}}'.repeat(markupMax)), undefined)
  assert.match(checkTemplate('{{a}}'.repeat(markupMax + 1))!.message, /more than 10000 tags/)
  const spaced = (blanks: number) => `{{${' '.repeat(blanks)}a "${'x'.repeat(50_000)}"}}{{a}}`
  // Counts the name, a blank, the string and the closing braces.
  const characters = 4
  assert.equal(checkTemplate(spaced(expressionCharactersMax - characters)), undefined)
  assert.match(checkTemplate(spaced(expressionCharactersMax - characters + 1))!.message, /more than 10000 characters/)
  const nested = (depth: number) => `${'{{ '.repeat(depth)}1${' }}'.repeat(depth)}`
  assert.equal(checkTemplate(nested(nestedBracesMax + 1)), undefined)
  assert.match(checkTemplate(nested(nestedBracesMax + 2))!.message, /nested too deeply/)
})

test('text without Liquid is unchanged, also between tags and in raw blocks', () =>
  withRenderer(watchedSources(), async (renderer) => {
    const piece = fc.oneof(
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
      fc.constantFrom(' ', '\n', '\r\n', '{', '}', '$', '{ {', '%}', '}}', '${x}', '\ud800', '\0'),
    )
    const plain = fc.array(piece).map((pieces) =>
      pieces
        .join('')
        .replace(/\{(?=[{%])/g, '{ ')
        .replace(/\{$/, ''),
    )
    const property = fc.asyncProperty(plain, async (text) => {
      assert.equal(rewriteDialect(text).text, text)
      assert.equal(await renderText(renderer, text), text)
      assert.equal(await renderText(renderer, `${text}{{ 'x' }}${text}`), `${text}x${text}`)
      assert.equal(await renderText(renderer, `{% raw %}${text}{{ \${a} }}{% endraw %}`), `${text}{{ \${a} }}`)
    })
    await fc.assert(property, { seed, numRuns: sizes.propertyRuns })
  }))

test('the configured service name is the name of the service id in templates', () => {
  assert.equal(rewriteDialect('{{${acme_id}}}', 'acme').text, '{{__standard["service_id"]}}')
  assert.equal(rewriteDialect('{{${acme_id}}}').text, '{{__standard["acme_id"]}}')
})

test('offsets of the rewritten text map to offsets of the original, in order', () => {
  const piece = fc.constantFrom(
    '{{${a}}}',
    '{{ b.${c d} }}',
    'text\n',
    '{% if {{x}} == ${y} %}',
    '{% endif %}',
    '{% comment %}z{% endcomment %}',
    '{% raw %}{{ ${r} }}{%- endraw %}',
  )
  const property = fc.property(fc.array(piece), (pieces) => {
    const original = pieces.join('')
    const rewritten = rewriteDialect(original)
    let last = 0
    for (let offset = 0; offset <= rewritten.text.length; offset++) {
      const origin = rewritten.originOf(offset)
      assert.ok(origin >= last && origin <= original.length)
      last = origin
    }
    const at = rewritten.text.indexOf('text\n')
    if (at !== -1) assert.equal(rewritten.originOf(at), original.indexOf('text\n'))
  })
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})
