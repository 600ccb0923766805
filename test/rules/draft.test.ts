import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { begin, type History, redo, step, stepsMax, undo } from '../../dashboard/src/draft/history.ts'
import { mistakesWithin, problemAt, problemBeside, readMistakes } from '../../dashboard/src/draft/mistakes.ts'
import {
  formatPath,
  isWithin,
  type Path,
  parsePath,
  valueAt,
  withInserted,
  withMoved,
  withValue,
} from '../../dashboard/src/draft/path.ts'
import { changedMembers, rebased } from '../../dashboard/src/draft/rebased.ts'
import { parseExactly } from '../../dashboard/src/words/exact-json.ts'
import { joinPath } from '../../src/workspace/settings/mistake.ts'
import { many } from '../support/people.ts'

const names = fc.oneof(fc.constantFrom('audience', 'AND', 'a b', '', '"', '[0]', '.', '\\', 'ä'), fc.string())
const paths: Arbitrary<Path> = fc.array(fc.oneof(names, fc.nat(50)), { maxLength: 6 })

test('a path is read as the server writes it', () => {
  assert.deepEqual(parsePath('audience.AND[2].NOT'), ['audience', 'AND', 2, 'NOT'])
  assert.deepEqual(parsePath('audience["last used"][0]'), ['audience', 'last used', 0])
  assert.deepEqual(parsePath(''), [])
  for (const text of ['audience..AND', 'audience[', 'a b', 'audience.AND[x]', '.']) {
    assert.equal(parsePath(text), undefined, text)
  }
  const written = (path: Path) =>
    path.reduce<string>(
      (before, name) => (typeof name === 'number' ? `${before}[${name}]` : joinPath(before, name)),
      '',
    )
  fc.assert(
    fc.property(paths, (path) => {
      assert.equal(formatPath(path), written(path))
      assert.deepEqual(parsePath(formatPath(path)), path)
    }),
  )
})

test('a value is put to a path, and all beside it is the same object', () => {
  const before = { name: 'Gold', audience: { AND: [{ a: 1 }, { b: 2 }] } }
  const after = withValue(before, ['audience', 'AND', 1, 'b'], 3)
  assert.deepEqual(after, { name: 'Gold', audience: { AND: [{ a: 1 }, { b: 3 }] } })
  assert.equal(after.audience.AND[0], before.audience.AND[0])
  assert.deepEqual(withValue(before, ['audience', 'AND', 0], undefined).audience, { AND: [{ b: 2 }] })
  assert.deepEqual(withValue(before, ['name'], undefined), { audience: before.audience })
  assert.deepEqual(withValue({}, ['a', 'b'], 1), { a: { b: 1 } })
  fc.assert(
    fc.property(fc.json(), fc.array(names, { minLength: 1, maxLength: 4 }), fc.nat(), (json, path, value) => {
      const changed = withValue({ json: JSON.parse(json) }, ['made', ...path], value)
      assert.equal(valueAt(changed, ['made', ...path]), value)
      assert.deepEqual(changed.json, JSON.parse(json))
    }),
  )
})

test('entries of a list are put in and moved', () => {
  const list = { all: ['a', 'b', 'c'] }
  assert.deepEqual(withInserted(list, ['all'], 1, 'x'), { all: ['a', 'x', 'b', 'c'] })
  assert.deepEqual(withInserted({}, ['all'], 0, 'x'), { all: ['x'] })
  assert.deepEqual(withMoved(list, ['all'], 0, 2), { all: ['b', 'c', 'a'] })
  assert.equal(withMoved(list, ['all'], 2, 3), list)
})

test('every step is undone and done again, up to a limit', () => {
  const forward = many(stepsMax + 5, (i) => i + 1)
  let history = forward.reduce<History<number>>((before, i) => step(before, i), begin(0))
  assert.equal(history.past.length, stepsMax)
  for (const _ of forward) history = undo(history)
  assert.equal(history.document, 5)
  for (const _ of forward) history = redo(history)
  assert.equal(history.document, stepsMax + 5)
  const other = step(undo(history), -1)
  assert.deepEqual([other.document, other.future], [-1, []])
})

test('changes of the same in a row are one step', () => {
  const typed = ['g', 'go', 'gol', 'gold'].reduce((history, text) => step(history, text, 'value'), begin(''))
  assert.equal(undo(typed).document, '')
  const further = step(step(typed, 'gold!', 'other'), 'gold!!', 'value')
  assert.equal(undo(further).document, 'gold!')
  // After an undo, typing goes on as a new step.
  assert.equal(undo(step(undo(further), 'gold?', 'other')).document, 'gold!')
})

test('undo and redo are each the reverse of the other', () => {
  const edits = fc.array(fc.tuple(fc.nat(9), fc.option(fc.constantFrom('a', 'b'), { nil: undefined })))
  fc.assert(
    fc.property(edits, fc.nat(10), (made, back) => {
      let history = made.reduce((before, [value, what]) => step(before, value, what), begin(-1))
      const { document, past } = history
      const times = many(Math.min(back, past.length), (i) => i)
      for (const _ of times) history = undo(history)
      for (const _ of times) history = redo(history)
      assert.deepEqual([history.document, history.past], [document, past])
    }),
  )
})

test('mistakes are shown where they are, and by the next one around them that is shown', () => {
  const mistakes = readMistakes([
    { path: 'audience.AND[0].custom_event.properties[1].name', message: 'is missing; it must be text' },
    { path: 'audience.AND[0].custom_event.value', message: 'must be an integer from 1 to 50, not 0' },
    { path: 'audience', message: 'costs 2001.' },
    { path: '...', message: 'is odd' },
  ])
  const at = ['audience', 'AND', 0, 'custom_event']
  assert.equal(problemAt(mistakes, [...at, 'properties']), 'It is missing; it must be text.')
  assert.equal(problemAt(mistakes, [...at, 'name']), undefined)
  const shown = [[...at, 'properties']]
  assert.equal(problemBeside(mistakes, at, shown), 'It must be an integer from 1 to 50, not 0.')
  assert.equal(problemBeside(mistakes, ['audience'], [at]), 'It costs 2001.')
  assert.deepEqual(mistakesWithin(mistakes, []).at(-1), { path: [], message: '... is odd' })
  assert.ok(isWithin(at, ['audience']) && !isWithin(['audience'], at))
})

test('edits stay on top of what was saved meanwhile, and the rest is what was saved', () => {
  const from = { name: 'Gold', tags: ['a'], audience: { AND: [1] } }
  const edited = { ...from, audience: { AND: [1, 2] } }
  const saved = { ...from, name: 'Gold people', tags: ['b'] }
  assert.deepEqual(rebased(edited, from, saved), { name: 'Gold people', tags: ['b'], audience: { AND: [1, 2] } })
  assert.deepEqual(rebased(edited, from, { ...saved, audience: { AND: [] } }).audience, { AND: [1, 2] })
  assert.deepEqual(changedMembers(edited, from), { audience: { AND: [1, 2] } })
  assert.deepEqual(changedMembers({ ...from, tags: ['a'] }, from), {})
})

test('numbers keep the digits that a browser would lose', () => {
  const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,25})?(e-?[0-9]{1,3})?$/)
  const sameNumber = (text: string) => {
    const written = JSON.stringify(parseExactly(`{"value":${text}}`))
    return written === `{"value":${text}}` || written === JSON.stringify({ value: Number(text) })
  }
  fc.assert(fc.property(digits, sameNumber))
  for (const text of ['1234567890123456789', '0.1234567890123456789', '1e999', '1e-999']) {
    assert.equal(JSON.stringify(parseExactly(`[${text}]`)), `[${text}]`)
  }
  assert.deepEqual(parseExactly('[1.50, 0, -0.1, 9007199254740991, "1234567890123456789"]'), [
    ...[1.5, 0, -0.1, 9007199254740991],
    '1234567890123456789',
  ])
  const exact = { custom_attribute: { custom_attribute_name: 'id', comparison: 'equals', value: 1 } }
  const kept = parseExactly(JSON.stringify(exact).replace('1}', '1234567890123456789}'))
  assert.match(JSON.stringify(withValue({ audience: kept }, ['name'], 'Ids')), /:1234567890123456789\}/)
})
