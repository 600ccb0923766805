import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { checkTemplate } from '../../src/content/liquid/parse.ts'
import { openRenderer, type Renderer, slowPeopleMax } from '../../src/content/rendering/renderer.ts'
import { seed, sizes } from '../sizes.ts'
import { ann, nowMs, renderText, watchedSources } from '../support/liquid.ts'

/** Long, because the machine may be busy. */
const endsWithinMs = 30_000
const checkedWithinMs = 10_000
/** CPU of the thread that only passes a template on. */
const ownCpuMsMax = 1_000

const long = 'a'.repeat(400_000)
const victim = {
  ...ann,
  custom: {
    long,
    longer: `${long}b`,
    digits: '1'.repeat(400_000),
    times: '1:11'.repeat(100_000),
    list: Array.from({ length: 10_000 }, (_, i) => i),
    nested: { a: [1] },
  },
}
const sources = watchedSources({ '/big': { status: 200, text: 'x'.repeat(900_000) } })
let renderer: Renderer

before(() => {
  renderer = openRenderer({ sources, processes: 1, unresponsiveMs: 3_000 })
})
after(() => renderer.close())

const pushes = "{% assign a = '' | split: ',' %}{% for i in (1..60) %}{% assign a = a | push: a %}{% endfor %}"
const doubled = (tag: string) => `{% assign s = 'xxxxxxxxxx' %}${tag.repeat(40)}{{ s | url_encode | size }}`
const filler = 'z'.repeat(10_000)
const fillers = `{% assign a = '' | split: ',' %}{% for i in (1..40000) %}{% assign a = a | push: '${filler}' %}{% endfor %}`
const captures = Array.from({ length: 200 }, (_, i) => `{% capture c${i} %}{{ custom_attribute.long }}{% endcapture %}`)
/** A list with 60 levels that each hold the level below twice. Its text has no practical end. */
const endless = Array.from({ length: 60 }).reduce<unknown[]>((list) => [list, list], [])

/** Reaches the limits of work long before the limit of memory. */
const slowLoops = `${'{% for i in (1..2) %}'.repeat(200)}${'{% endfor %}'.repeat(200)}`

const hostile: Readonly<Record<string, readonly [template: string, message: RegExp]>> = {
  'a loop of a hundred million': ['{% for i in (1..100000000) %}{% endfor %}', /memory/],
  'a loop of a trillion': ['{% for i in (1..1000000000000) %}{% endfor %}', /memory/],
  // The speed of the machine decides which limit is reached first.
  'a loop in a loop in a loop': [
    `${'{% for i in (1..1000) %}'.repeat(3)}${'{% endfor %}'.repeat(3)}`,
    /longer than 1000 ms|more than 500000 tags|respond|memory/,
  ],
  'a loop in two hundred loops': [slowLoops, /longer than 1000 ms|more than 500000 tags|respond/],
  'an output of gigabytes': [`{% for i in (1..100000) %}${filler}{% endfor %}`, /more than 2000000 characters/],
  'a captured text of gigabytes': [
    `{% capture c %}{% for i in (1..100000) %}${filler}{% endfor %}{% endcapture %}{{ c | size }}`,
    /more than 2000000 characters/,
  ],
  'a text that doubles forty times': [doubled('{% assign s = s | append: s %}'), /memory/],
  'a captured text that doubles each time': [
    doubled('{% capture s %}{{ s }}{{ s }}{% endcapture %}'),
    /more than|memory/,
  ],
  'a list that holds itself sixty times over': [`${pushes}{{ a }}`, /memory/],
  'a list that holds itself, joined': [
    '{% assign l = custom_attribute.list | push: custom_attribute.list %}' +
      '{% for i in (1..60) %}{% assign l = l | concat: l %}{% endfor %}{{ l | as_json_string | size }}',
    /memory|longer|respond/,
  ],
  'a list that holds one text many times': [`${fillers}{{ a }}`, /memory/],
  'a list that holds one text many times, as a name': [`${fillers}{{ custom_attribute[a] }}`, /memory/],
  'a number with long texts between its digits': [
    '{% assign d = custom_attribute.long | slice: 0, 3000 %}{{ custom_attribute.digits | number_with_delimiter: d | size }}',
    /memory/,
  ],
  'captured texts without end': [captures.join(''), /memory/],
  'a format of a date without end': [`{{ 'now' | date: '${'%99d'.repeat(1_000)}' }}`, /the format of a date is longer/],
  'sorting without end': [
    '{% for i in (1..1000000) %}{% assign x = custom_attribute.list | sort %}{% endfor %}',
    /memory|longer|respond/,
  ],
  'lists of millions, sorted': ['{{ (1..2400000) | sort | sort | size }}', /memory|respond/],
  'more look-ups than allowed': ['{% connected_content https://a.example/none :no_cache %}'.repeat(21), /20 times/],
  'a large response, many times': [
    '{% connected_content https://a.example/big %}'.repeat(3),
    /more than 2000000 characters/,
  ],
  'blocks that multiply': ['{{content_blocks.${deep0}}}'.repeat(100), /nested deeper/],
  'a remote text that includes itself': [
    '{% assign items = custom_attribute.nested.a %}{% catalog_items loop %}',
    /id of an item/,
  ],
  'a method of a loop': ['{% for i in (1..3) %}{{ forloop.constructor }}{% endfor %}', /constructor/],
  'a file': ["{% include '/etc/passwd' %}", /tag "include" not found/],
  'a file of a layout': ["{% layout '../../package.json' %}", /tag "layout" not found/],
  'a file to render': ["{% render './package.json' %}", /tag "render" not found/],
}

test('a hostile template ends soon with a reason, and does not block the main thread', async () => {
  await renderText(renderer, '{{${first_name}}}')
  for (const [name, [template, message]] of Object.entries(hostile)) {
    const startMs = performance.now()
    const before = process.threadCpuUsage()
    const rendered = await renderText(renderer, template, victim)
    const { user, system } = process.threadCpuUsage(before)
    assert.ok(typeof rendered === 'object' && rendered.outcome === 'failed', `${name} was rendered`)
    assert.match(rendered.message, message, name)
    assert.ok(performance.now() - startMs < endsWithinMs, `${name} took ${performance.now() - startMs} ms`)
    // On a busy machine this thread waits for a processor, so what it does itself is measured.
    assert.ok((user + system) / 1000 < ownCpuMsMax, `${name} took ${(user + system) / 1000} ms of this thread`)
    assert.equal(await renderText(renderer, '{{${first_name}}}'), 'Ann', `after ${name}`)
  }
})

const harmless: Readonly<Record<string, readonly [template: string, text: string]>> = {
  prototypes: [
    '{{ custom_attribute.__proto__ }}{{ custom_attribute.constructor }}{{ "".constructor.constructor }}',
    '',
  ],
  'functions of values': ['{{ custom_attribute.list.push }}{{ custom_attribute.toString }}{{ "x".length }}', ''],
  'names of the engine': [
    '{% assign __proto__ = 5 %}{% increment __proto__ %}{% increment constructor %}{{ toString }}',
    '0',
  ],
  'prototypes through filters': [
    "{{ custom_attribute.nested | property_accessor: '__proto__' }}{{ custom_attribute.list | map: 'constructor' | compact | size }}",
    '0',
  ],
  'other globals': ['{{ process }}{{ global }}{{ globalThis }}{{ require }}{{ this }}', ''],
  'a wide field of a date': ["{{ 'now' | date: '%999999999d' | size }}", '100'],
  'a search that matches nearly everywhere': [
    "{% assign p = custom_attribute.long | slice: 0, 200000 | prepend: 'b' %}{{ custom_attribute.longer | split: p | size }}",
    '1',
  ],
  'a date without end': ["{{ custom_attribute.times | date: '%F' | size }}", '400000'],
  'many blanks': ['{{ custom_attribute.long | squish | strip_html | slugify | size }}', '400000'],
}

test('templates cannot reach prototypes, globals and files', async () => {
  for (const [name, [template, text]] of Object.entries(harmless))
    assert.match(JSON.stringify(await renderText(renderer, template, victim)), new RegExp(`${text}"$`), name)
  assert.equal(Object.getPrototypeOf({}).easel, undefined)
})

test('reasons and error messages are short', async () => {
  const aborted = await renderText(renderer, '{% abort_message({{custom_attribute.long}}) %}', victim)
  assert.deepEqual(aborted, { outcome: 'aborted', reason: 'a'.repeat(1_000) })
  const failed = await renderText(renderer, '{% catalog_items {{custom_attribute.long}} a %}', victim)
  assert.match(JSON.stringify(failed), /"there is no catalog \\"a{900,1000}"/)
})

test('a person whose text blocks the process fails alone, and the other people of the page are rendered', async (t) => {
  const impatient = openRenderer({ sources, processes: 1, unresponsiveMs: 1_000 })
  t.after(() => impatient.close())
  const people = Array.from({ length: 40 }, (_, i) => ({ ...ann, custom: { i, ...(i === 2 && { evil: endless }) } }))
  for (const lookup of ['', '{% catalog_items shop a %}']) {
    const text = `${lookup}{{custom_attribute.evil}}{{custom_attribute.i}}`
    const rendered = await impatient.renderMany({ text }, people, { workspace_id: 1, nowMs })
    rendered.forEach((each, i) => {
      if (i === 2) assert.match(each.outcome === 'failed' ? each.message : '', /did not respond/)
      else assert.deepEqual(each, { outcome: 'rendered', texts: { text: String(i) } })
    })
  }
})

test('the time limit of a person does not include the rendering of others', async () => {
  // All of them together take longer than one may, and each of them a hundredth of it, also on a busy machine.
  const people = Array.from({ length: 240 }, () => ann)
  const loops = '{% for i in (1..3) %}{% for j in (1..100) %}{{ i | plus: j }}{% endfor %}{% endfor %}'
  const text = `${loops}{% catalog_items shop a %}${loops}`
  const rendered = await renderer.renderMany({ text }, people, { workspace_id: 1, nowMs })
  assert.deepEqual(new Set(rendered.map(({ outcome }) => outcome)), new Set(['rendered']))
})

test('a template that takes too long for everybody is abandoned after a few people', async () => {
  const people = Array.from({ length: 250 }, () => ann)
  const rendered = await renderer.renderMany({ slowLoops }, people, { workspace_id: 1, nowMs })
  const messages = rendered.map((each) => (each.outcome === 'failed' ? each.message : 'rendered'))
  assert.equal(messages.filter((message) => /longer than|more than|respond/.test(message)).length, slowPeopleMax)
  assert.equal(messages.filter((message) => /^not rendered/.test(message)).length, people.length - slowPeopleMax)
})

const heavy: Readonly<Record<string, string>> = {
  'deep tags': '{% if true %}'.repeat(9_000),
  'deep brackets': `{{ ${'('.repeat(100_000)}1 }}`,
  'deep members': `{{ ${'a['.repeat(100_000)}1 }}`,
  'many outputs': '{{a}}'.repeat(200_000),
  'many tags': '{% assign a = 1 %}'.repeat(50_000),
  'a long chain of filters': `{{ 'a' ${"| append: 'b'".repeat(50_000)} }}`,
  'outputs that never close': '{{ '.repeat(300_000),
  'raw text that never closes': `{% raw %}${'{% endraw '.repeat(90_000)}`,
  'comments that never close': '{% comment %}'.repeat(80_000),
  'names that never close': `{{ ${'${'.repeat(300_000)}`,
  'strings that never close': `{{ ${"'".repeat(900_001)} }}`,
  'many lines of one tag': `{% liquid\n${'assign a = 1\n'.repeat(80_000)} %}`,
  'more text than allowed': 'x'.repeat(1_048_577),
}

test('a hostile template is refused soon when it is saved', () => {
  for (const [name, text] of Object.entries(heavy)) {
    const startMs = performance.now()
    assert.ok(checkTemplate(text), name)
    const tookMs = performance.now() - startMs
    assert.ok(tookMs < checkedWithinMs, `${name} took ${tookMs} ms`)
  }
  assert.equal(checkTemplate('x'.repeat(1_048_576)), undefined)
})

test('braces in connected content that never close are parsed soon', () => {
  for (const words of ['{x ', ':body {x ', '["', '{{a}} ']) {
    const startMs = performance.now()
    checkTemplate(`{% connected_content https://a.example/ :body ${words.repeat(900_000 / words.length)} %}`)
    const tookMs = performance.now() - startMs
    assert.ok(tookMs < checkedWithinMs, `${words} took ${tookMs} ms`)
  }
})

const words = `
  {{ }} {% %} \${ } " ' - . [ ] ( ) | : , .. \\ first_name custom_attribute content_blocks footer items nil 1 0.5 == contains and if a
  endif for i in endfor assign x = raw endraw comment endcomment liquid catalog_items shop connected_content https://a.example/x :save
  :body { abort_message( case when date: "%F" split: cycle tablerow capture endcapture increment unless #`
const piece = fc.constantFrom(...words.trim().split(/\s+/), ' ', '\n', 'for i in (1..3)')

test('any text is either a mistake or has one of the three outcomes', async () => {
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 14 }), async (pieces) => {
    const text = pieces.join(' ').replace(/\$\{ /g, '${')
    const tagged = `{% ${text} %}`
    for (const each of [text, tagged, `{{ ${text} }}`]) {
      const mistake = checkTemplate(each)
      const rendered = await renderText(renderer, each)
      if (mistake) assert.equal((rendered as { message: string }).message, mistake.message)
      else assert.ok(typeof rendered === 'string' || rendered.outcome !== 'rendered')
      if (mistake) assert.ok(mistake.line >= 1 && mistake.column >= 1 && mistake.line <= each.split('\n').length)
    }
  })
  await fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})
