import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openRenderer, type Renderer } from '../../src/content/rendering/renderer.ts'
import type { FinishTest } from '../support/finishers.ts'
import { ann, nowMs, renderText, watchedSources } from '../support/liquid.ts'

let renderer: Renderer

before(() => {
  renderer = openRenderer({ sources: watchedSources({}), processes: 1, unresponsiveMs: 1_000 })
})
after(() => renderer.close())

const limit = 10

type FinishOptions = { readonly shared?: FinishTest; readonly charactersMax?: number; readonly prefix?: string }

/** Its text has no practical end. */
const endless = Array.from({ length: 60 }).reduce<unknown[]>((list) => [list, list], [])

/** Renders a text of so many characters, or a list, for each person. Texts of more than `limit` are finished by the test's module. */
async function render(
  lengths: readonly (number | readonly unknown[])[],
  own: readonly unknown[],
  options: FinishOptions = {},
) {
  const { shared, charactersMax = Infinity, prefix = '' } = options
  const questions: unknown[] = []
  const text = `${prefix}{{custom_attribute.\${text}}}`
  const rendered = await renderer.renderWithin(
    { text, other: '{{${first_name}}}' },
    lengths.map((length) => ({ ...ann, custom: { text: typeof length === 'number' ? 'x'.repeat(length) : length } })),
    charactersMax,
    {
      workspace_id: 1,
      nowMs,
      finishing: {
        ...{ module: new URL('../support/finishers.ts', import.meta.url).href, takes: ['text'], shared, own },
        aboveCharacters: limit,
        async answer(question) {
          questions.push(question)
          return `answer ${question}`
        },
      },
    },
  )
  return { rendered, questions }
}

const finished = (size: number, question: unknown) => {
  return { outcome: 'rendered', texts: { text: '', other: 'Ann' }, finished: { size, answer: `answer ${question}` } }
}

test('long texts are finished where they were rendered, and short ones are not', async () => {
  const { rendered, questions } = await render([limit - 1, limit, limit + 1, 5_000], ['a', 'b', 'c', 'd'])
  const [first, second, ...others] = rendered
  assert.deepEqual(first, { outcome: 'rendered', texts: { text: 'x'.repeat(limit - 1), other: 'Ann' } })
  assert.deepEqual(second, { outcome: 'rendered', texts: { text: 'x'.repeat(limit), other: 'Ann' } })
  assert.deepEqual(others, [finished(limit + 1, 'c'), finished(5_000, 'd')])
  assert.deepEqual(questions, ['c', 'd'])
})

test('each person has what belongs to it, in every page, also when texts query sources', async () => {
  const own = Array.from({ length: 250 }, (_, i) => `n${i}`)
  for (const prefix of ['', '{% catalog_items shop a %}']) {
    const { rendered } = await render(
      own.map((_, i) => limit + i),
      own,
      { prefix },
    )
    for (const [i, each] of rendered.entries().drop(1)) assert.deepEqual(each, finished(limit + i, `n${i}`))
  }
})

test('finished texts take the room of their bytes, also when finishing takes longer than a turn', async () => {
  for (const shared of [undefined, 'slow'] as const) {
    for (const prefix of ['', '{% catalog_items shop a %}']) {
      const count = async (charactersMax: number) => {
        const options = { charactersMax, prefix, ...(shared && { shared }) }
        const { rendered } = await render([100, 100, 100], ['a', 'b', 'c'], options)
        return rendered.filter((one) => one !== undefined).length
      }
      // A person has 3 characters besides, and 200 bytes of what is made of 100 characters.
      const each = 203
      assert.deepEqual(
        [await count(100), await count(each - 1), await count(each), await count(2 * each - 1), await count(2 * each)],
        [0, 0, 1, 1, 2],
      )
    }
  }
})

test('a defect is an error of the call, and the process renders on', async () => {
  await assert.rejects(render([20, 20], ['a', 'fail'], { shared: 'fail' }), /a defect of the module/)
  assert.equal(await renderText(renderer, '{{${first_name}}}'), 'Ann')
})

for (const [shared, message] of [
  ['spin', /did not respond/],
  ['grow', /more memory|did not respond/],
] as const) {
  test(`a person whose texts end the process while they are finished (${shared}) fails alone`, async () => {
    const { rendered } = await render([20, 20, 20], ['a', shared, 'c'], { shared })
    const [first, second, third] = rendered
    assert.deepEqual([first, third], [finished(20, 'a'), finished(20, 'c')])
    assert.match(second?.outcome === 'failed' ? second.message : JSON.stringify(second), message)
  })
}

test('a person whose text blocks the process after the text of another person was finished fails alone', async () => {
  const { rendered } = await render([20, endless, 20], ['a', 'b', 'c'])
  const [first, second, third] = rendered
  assert.deepEqual([first, third], [finished(20, 'a'), finished(20, 'c')])
  assert.match(second?.outcome === 'failed' ? second.message : JSON.stringify(second), /did not respond/)
})
