import assert from 'node:assert/strict'
import test from 'node:test'
import { parsePath } from '../../dashboard/src/draft/path.ts'
import { readYaml, writeYaml } from '../../dashboard/src/draft/yaml-text.ts'
import { differencesMax, differencesOf } from '../../dashboard/src/pages/settings/differences.ts'
import { readNumber, readPairs, writePairs } from '../../dashboard/src/pages/settings/input-texts.ts'
import { wholeWorkspace } from '../support/whole-workspace.ts'

test('a value is the same after it was written as YAML and read', () => {
  const read = readYaml(writeYaml(wholeWorkspace))
  assert.ok('value' in read)
  assert.deepEqual(read.value, wholeWorkspace)
})

test('a mistake is found at the line of its path, and a missing member at what is around it', () => {
  const read = readYaml('settings:\n  time_zone: x\napps:\n  - name: Web\n    platform: fax\n  - {name: b}\n')
  assert.ok('value' in read)
  for (const [path, line, column] of [
    ['settings.time_zone', 2, 3],
    ['apps[0].platform', 5, 5],
    ['apps[1].platform', 6, 5],
    ['apps[1].name', 6, 6],
    ['nothing', 1, 1],
    ['', 1, 1],
  ] as const) {
    assert.deepEqual(read.placeOf(parsePath(path)!), { line, column }, path)
  }
})

test('a text that is no YAML says where', () => {
  for (const [text, line] of [
    ['a: 1\nb: [', 2],
    ['a:\n\t- b', 2],
    ['a: *nothing', 1],
  ] as const) {
    const read = readYaml(text)
    assert.ok('mistake' in read, text)
    assert.equal(read.mistake.line, line, text)
  }
  const lists = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    `b: &b [${Array(10).fill('*a')}]`,
    `c: &c [${Array(10).fill('*b')}]`,
    `d: [${Array(20).fill('*c')}]`,
  ]
  const bomb = lists.join('\n')
  assert.ok('mistake' in readYaml(bomb))
})

test('differences name the member, with what was and what is', () => {
  const before = { name: 'a', tags: ['x'], steps: [{ id: 's1', type: 'delay' }, { id: 's2' }], gone: 1 }
  const after = { name: 'b', tags: ['x', 'y'], steps: [{ id: 's1', type: 'message' }, { id: 's3' }], more: null }
  assert.deepEqual(differencesOf(before, after), [
    { path: 'name', kind: 'changed', before: 'a', after: 'b' },
    { path: 'tags', kind: 'changed', before: '["x"]', after: '["x","y"]' },
    { path: 'steps[s1].type', kind: 'changed', before: 'delay', after: 'message' },
    { path: 'steps[s2]', kind: 'removed', before: '{"id":"s2"}', after: '' },
    { path: 'steps[s3]', kind: 'added', before: '', after: '{"id":"s3"}' },
    { path: 'gone', kind: 'removed', before: '1', after: '' },
  ])
  assert.deepEqual(differencesOf(after, after), [])
  const swapped = { steps: before.steps.toReversed() }
  assert.deepEqual(differencesOf({ steps: before.steps }, swapped), [
    { path: 'steps', kind: 'changed', before: 'the order', after: '' },
  ])
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i]))
  for (const count of [differencesMax - 1, differencesMax, differencesMax + 1])
    assert.equal(differencesOf({}, many(count)).length, Math.min(count, differencesMax))
})

test('numbers and pairs are read as they are typed', () => {
  for (const [text, value] of [
    ['20', 20],
    ['0.5', 0.5],
    ['0.', '0.'],
    ['abc', 'abc'],
    ['', ''],
  ] as const) {
    assert.equal(readNumber(text), value)
  }
  assert.deepEqual(readPairs('gmail.com 20\n\n web.de'), { 'gmail.com': 20, 'web.de': '' })
  assert.equal(readPairs(' \n'), undefined)
  assert.equal(writePairs({ 'gmail.com': 20, 'web.de': '' }), 'gmail.com 20\nweb.de')
})
