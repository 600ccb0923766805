import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasTooManyLevels, jsonLevelsMax, scannedBytesMin } from '../../src/base/http/json-levels.ts'

const padding = ' '.repeat(scannedBytesMin)

function nested(levels: number, open = '[', close = ']'): Buffer {
  return Buffer.from(open.repeat(levels) + close.repeat(levels) + padding)
}

test('a large body may have as many levels as the limit, and no more', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{', '}'],
  ] as const) {
    assert.equal(hasTooManyLevels(nested(jsonLevelsMax - 1, open, close)), false)
    assert.equal(hasTooManyLevels(nested(jsonLevelsMax, open, close)), false)
    assert.equal(hasTooManyLevels(nested(jsonLevelsMax + 1, open, close)), true)
  }
})

test('brackets in strings are no levels, whatever is escaped', () => {
  const brackets = '['.repeat(jsonLevelsMax + 1)
  assert.equal(hasTooManyLevels(Buffer.from(JSON.stringify([brackets, `"${brackets}\\`]) + padding)), false)
  assert.equal(hasTooManyLevels(Buffer.from(`["\\\\",${brackets}${padding}`)), true)
})

test('siblings are no levels', () => {
  assert.equal(hasTooManyLevels(Buffer.from(`[${'[],{},'.repeat(jsonLevelsMax)}0]${padding}`)), false)
})

test('a body that is too small to delay others is not scanned', () => {
  assert.equal(hasTooManyLevels(Buffer.alloc(scannedBytesMin - 1, '[')), false)
  assert.equal(hasTooManyLevels(Buffer.alloc(scannedBytesMin, '[')), true)
})
