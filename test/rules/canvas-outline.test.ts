import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { arrange, type Drawing } from '../../dashboard/src/canvas/arrange.ts'
import { firstView, wholeView } from '../../dashboard/src/canvas/first-view.ts'
import { type NestedPath, nestingOf, type Sequence } from '../../dashboard/src/canvas/nesting.ts'
import { stepAfterKey } from '../../dashboard/src/canvas/walk.ts'

/** Returns a drawing that begins with its first step. A step is its id and the ids of the next steps; `-` is the end. */
function drawing(...steps: readonly (readonly [id: string, ...next: string[]])[]): Drawing {
  return {
    starts: [{ name: 'All', next: steps[0]![0] }],
    steps: steps.map(([id, ...next]) => {
      return { id, paths: next.map((each, i) => ({ name: `Path ${i + 1}`, next: each === '-' ? null : each })) }
    }),
  }
}

/** A sequence as a text: paths in brackets, `>a` leads to a step that is listed elsewhere, `-` is the end. */
function textOf(steps: Sequence): string {
  return steps
    .map(({ id, paths }) => [id, ...(paths.length > 1 ? paths.map(pathText) : single(paths))].join(''))
    .join(' ')
}

const pathText = (path: NestedPath) => `(${followText(path)})`
const single = ([only]: readonly NestedPath[]) => (only === undefined || only.kind === 'on' ? [] : [followText(only)])

function followText(path: NestedPath): string {
  if (path.kind === 'steps') return textOf(path.steps)
  if (path.kind === 'to') return `>${path.id}`
  return path.kind === 'end' ? '-' : ''
}

const loop = drawing(['a', 'b'], ['b', 'c', 'd'], ['c', 'e'], ['d', 'e', '-'], ['e', 'b', 'f'], ['f', '-'])

describe('the outline of a canvas', () => {
  const cases: readonly (readonly [what: string, given: Drawing, text: string])[] = [
    ['steps follow one another', drawing(['a', 'b'], ['b', 'c'], ['c', '-']), 'a b c-'],
    ['paths are under their split, and a join is after it', loop, 'a b(c>e)(d(>e)(-)) e(>b)(f-)'],
    ['two paths to one step list it once', drawing(['a', 'b', 'b'], ['b', '-']), 'a(b-)(>b)'],
    ['a step may lead to itself', drawing(['a', 'a', '-']), 'a(>a)(-)'],
  ]
  for (const [what, given, text] of cases) test(what, () => assert.equal(textOf(nestingOf(given).steps), text))

  test('variants are the first paths', () => {
    const starts = ['a', 'b', 'c'].map((next) => ({ name: next, next }))
    const { steps } = drawing(['a', 'c'], ['b', '-'], ['c', '-'])
    const nesting = nestingOf({ starts, steps })
    assert.deepEqual(nesting.starts.map(pathText), ['(a>c)', '(b-)', '(>c)'])
    assert.equal(textOf(nesting.steps), 'c-')
  })

  test('any canvas has each step once', () => {
    const next = fc.option(fc.nat(30).map((i) => `s${i}`))
    const paths = fc.array(
      next.map((to) => ({ name: 'Path', next: to })),
      { maxLength: 4 },
    )
    const steps = fc.array(paths, { maxLength: 30 }).map((all) => all.map((own, i) => ({ id: `s${i}`, paths: own })))
    fc.assert(
      fc.property(fc.record({ starts: paths, steps }), (given) => {
        const { starts, steps: list, unreached } = nestingOf(given)
        const listed = [...starts.flatMap(idsAfter), ...idsIn(list), ...idsIn(unreached)]
        assert.deepEqual(listed.sort(), given.steps.map(({ id }) => id).sort())
      }),
    )
  })
})

const idsIn = (steps: Sequence): string[] => steps.flatMap(({ id, paths }) => [id, ...paths.flatMap(idsAfter)])
const idsAfter = (path: NestedPath): string[] => (path.kind === 'steps' ? idsIn(path.steps) : [])

describe('keys in the picture of a canvas', () => {
  const picture = arrange(loop)
  for (const [from, key, to] of [
    ['a', 'ArrowDown', 'b'],
    ['b', 'ArrowDown', 'c'],
    ['b', '2', 'd'],
    ['b', '3', undefined],
    ['c', 'ArrowRight', 'd'],
    ['d', 'ArrowLeft', 'c'],
    ['c', 'ArrowLeft', undefined],
    ['e', '1', 'b'],
    ['e', 'ArrowDown', 'f'],
    ['e', 'ArrowUp', 'c'],
    ['b', 'ArrowUp', 'a'],
    ['a', 'ArrowUp', undefined],
    ['f', 'ArrowDown', undefined],
    ['a', 'x', undefined],
  ] as const) {
    test(`${key} leads from ${from} to ${to ?? 'nothing'}`, () => assert.equal(stepAfterKey(picture, from, key), to))
  }
})

describe('what a picture shows first', () => {
  const { boxes } = arrange(loop)
  const entry = boxes[0]!
  const middle = entry.x + entry.width / 2

  test('a large screen has the whole picture', () => {
    const { y, zoom } = firstView(boxes, { width: 3_000, height: 3_000 }, undefined)
    assert.deepEqual([y, zoom], [24, 1])
  })

  test('a small screen has the beginning, large enough to read', () => {
    const { x, y, zoom } = firstView(boxes, { width: 300, height: 400 }, undefined)
    assert.deepEqual([middle * zoom + x, y, zoom], [150, 24, 0.85])
  })

  test('the whole picture is in the middle of a screen of any size', () => {
    for (const size of [
      { width: 3_000, height: 3_000 },
      { width: 300, height: 400 },
      { width: 900, height: 90 },
    ]) {
      const { x, y, zoom } = wholeView(boxes, size)
      const rows = boxes.flatMap((box) => [box.y * zoom + y, (box.y + box.height) * zoom + y])
      const columns = boxes.flatMap((box) => [box.x * zoom + x, (box.x + box.width) * zoom + x])
      for (const [all, length] of [
        [rows, size.height],
        [columns, size.width],
      ] as const) {
        const [first, last] = [Math.min(...all), Math.max(...all)]
        assert.ok(first >= 0 && Math.abs(first - (length - last)) < 1e-6, JSON.stringify({ size, first, last }))
      }
      assert.ok(zoom <= 1)
    }
  })

  test('the open step is in it', () => {
    const { y, zoom } = firstView(boxes, { width: 400, height: 400 }, 'f')
    const open = boxes.find(({ id, kind }) => id === 'f' && kind === 'step')!
    assert.equal((open.y + open.height / 2) * zoom + y, 200)
  })
})
