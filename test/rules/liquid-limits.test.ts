import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  memoryMax,
  nodesMax,
  PersonBudget,
  personCharactersMax,
  personQueriesMax,
  queriesMax,
  renderMs,
  type TextLimit,
  unmeasuredMs,
  WorkLimit,
} from '../../src/content/liquid/run.ts'
import { ann, nowMs, watchedSources, withRenderer } from '../support/liquid.ts'
import { many } from '../support/people.ts'

const options = { workspace_id: 1, nowMs }
const line: TextLimit = { charactersMax: 10, isOneLine: true }
const body: TextLimit = { charactersMax: 10 }

/** The rendered text, or the mistake. */
const limited: readonly (readonly [what: string, limit: TextLimit, text: string, result: string | RegExp])[] = [
  ['one less', line, '{{ "123456789" }}', '123456789'],
  ['as many as allowed', line, '{{ "12345" }}67890', '1234567890'],
  ['one more', line, '{{ "12345" }}678901', /^field must be at most 10 characters$/],
  ['surrogate pairs', line, '{{ "12345" }}{{ "678" }}🙂🙂', '12345678🙂🙂'],
  ['one surrogate pair more', line, '{{ "12345" }}{{ "678" }}🙂🙂🙂', /^field must be at most 10/],
  ['blanks of tags', line, `\n  {% if true %}\n12345\n${' '.repeat(50)}{% endif %}\n6789\n`, '12345 6789 '],
  ['control characters', line, '{{ "a\u0001\u0002" }}\u0003b', 'a b'],
  ['one less in many lines', body, '{{ "1234" }}\n5678', '1234\n5678'],
  ['as many as allowed in many lines', body, '{{ "12345" }}\n6789', '12345\n6789'],
  ['blanks count in many lines', body, '{{ "12345" }}\n67890', /^field must be at most 10 characters$/],
]

test('the limit of a field holds while it is rendered', async () => {
  await withRenderer(watchedSources(), async (renderer) => {
    for (const [what, limit, text, result] of limited) {
      const rendered = await renderer.render({ field: text }, ann, { ...options, limits: { field: limit } })
      if (typeof result === 'string')
        assert.deepEqual(rendered, { outcome: 'rendered', texts: { field: result } }, what)
      else assert.match(rendered.outcome === 'failed' ? rendered.message : 'rendered', result, what)
    }
    // Without the limit this loop ends at the limit of all texts.
    const endless = '{% for i in (1..100000) %}{{ "0123456789" }}{% endfor %}'
    const stopped = await renderer.render({ field: endless }, ann, { ...options, limits: { field: line } })
    assert.deepEqual(stopped, { outcome: 'failed', text: 'field', message: 'field must be at most 10 characters' })
  })
})

test('a person has one budget for all texts', () => {
  const table: readonly (readonly [what: string, max: number, use: (budget: PersonBudget, count: number) => void])[] = [
    ['characters', personCharactersMax, (budget, count) => budget.useCharacters(count)],
    ['memory', memoryMax, (budget, count) => budget.memory.use(count)],
    [
      'nodes',
      nodesMax,
      (budget, count) => {
        for (let i = 0; i < count; i++) budget.work.check(0)
      },
    ],
  ]
  for (const [what, max, use] of table) {
    use(new PersonBudget(), max - 1)
    const budget = new PersonBudget()
    use(budget, max)
    assert.throws(() => use(budget, 1), /more/, what)
    assert.throws(() => use(new PersonBudget(), max + 1), /more/, what)
  }
})

test('a person has a second of CPU, however long that takes on a busy machine', () => {
  let cpuMs = 70
  let reads = 0
  const work = new WorkLimit(() => {
    reads++
    return cpuMs
  })
  for (const nowMs of [5, 6, 5 + unmeasuredMs]) work.check(nowMs)
  assert.equal(reads, 0, 'a text that is rendered at once costs no look at the CPU time')
  work.check(5 + unmeasuredMs + 1)
  cpuMs += renderMs - unmeasuredMs - 1
  for (const nowMs of [5 + renderMs, 5 + renderMs + 1, 10 * renderMs, 20 * renderMs]) work.check(nowMs)
  cpuMs += 1
  assert.throws(() => work.check(30 * renderMs), /longer than 1000 ms/)
})

test('texts of one person share the budget, and each person has an own one', async () => {
  const long = `{% assign s = custom_attribute.long %}`
  const person = { ...ann, custom: { long: 'x'.repeat(1_000_000) } }
  await withRenderer(watchedSources(), async (renderer) => {
    const four = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`t${i}`, `${long}{{ s }}`]))
    for (const each of await renderer.renderMany(four, [person, person], options))
      assert.equal(each.outcome, 'rendered')
    const more = await renderer.render({ ...four, last: '{{ 1 }}' }, person, options)
    assert.match(more.outcome === 'failed' ? more.message : '', /more than 4000000 characters together/)
    const captures = Object.fromEntries(
      Array.from({ length: 6 }, (_, i) => [`t${i}`, `${long}{% capture c %}{{ s }}{% endcapture %}`]),
    )
    const captured = await renderer.render(captures, person, options)
    assert.match(captured.outcome === 'failed' ? `${captured.text} ${captured.message}` : '', /^t5 .*more memory/)
  })
})

test('the queries of one text and of all texts are limited', async () => {
  const asks = (count: number) => '{% catalog_items shop a %}'.repeat(count)
  const full = Object.fromEntries(
    Array.from({ length: personQueriesMax / queriesMax }, (_, i) => [`t${i}`, asks(queriesMax)]),
  )
  await withRenderer(watchedSources(), async (renderer) => {
    const result = async (texts: Readonly<Record<string, string>>) => {
      const rendered = await renderer.render(texts, ann, options)
      return rendered.outcome === 'failed' ? rendered.message : rendered.outcome
    }
    assert.equal(await result({ one: asks(queriesMax - 1) }), 'rendered')
    assert.match(await result({ one: asks(queriesMax + 1) }), /20 times/)
    assert.equal(await result(full), 'rendered')
    assert.match(await result({ ...full, one: asks(1) }), /60 times/)
  })
})

test('as many people are rendered as there is room for, with and without queries', async () => {
  const people = many(5, (i) => ({ ...ann, custom: { text: String(i).repeat(10) } }))
  await withRenderer(watchedSources(), async (renderer) => {
    for (const query of ['', '{% catalog_items shop a %}']) {
      const count = async (charactersMax: number) => {
        const texts = { text: `${query}{{custom_attribute.\${text}}}` }
        const rendered = await renderer.renderWithin(texts, people, charactersMax, options)
        assert.equal(rendered.length, people.length)
        return rendered.filter((one) => one?.outcome === 'rendered').length
      }
      assert.deepEqual([await count(9), await count(29), await count(30), await count(31)], [0, 2, 3, 3], query)
      assert.deepEqual([await count(49), await count(50)], [4, 5], query)
    }
  })
})
