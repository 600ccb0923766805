import assert from 'node:assert/strict'
import test from 'node:test'
import { indentJson } from '../../dashboard/src/words/json.ts'

test('A text of JSON gets a line for each member, as the engine would write it', () => {
  for (const value of [{}, [], { a: 1 }, { a: [1, { b: 'x: {y}, "z"' }], c: {}, d: [] }, [[[]], null, true, 'é\n']]) {
    assert.equal(indentJson(JSON.stringify(value)), JSON.stringify(value, null, 2))
  }
})

test('Digits are kept, and so is the end of a text that is cut', () => {
  assert.equal(indentJson('{"n":123456789012345678901,"a":"cu'), '{\n  "n": 123456789012345678901,\n  "a": "cu')
  assert.equal(indentJson('plain {text}'), 'plain {text}')
})
