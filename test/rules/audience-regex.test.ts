import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { caseInsensitive, patternSize } from '../../src/audience/conditions/case-insensitive-pattern.ts'
import { matchedCharactersMax, matchesPattern, patternMistake } from '../../src/audience/conditions/regex.ts'
import { seed, sizes } from '../sizes.ts'

/** Patterns, each with a text that it matches and one that it does not. */
const table: readonly [pattern: string, found: string, missing: string][] = [
  ['gold', 'a GOLDen one', 'g old'],
  ['^Go.d$', 'gO\u{1f600}D', 'golden'],
  ['É', 'É', 'é'],
  ['k', 'K', '\u212a'],
  ['s', 'S', '\u017f'],
  ['[a-cX-Z]', 'x', 'd'],
  ['[^a-z]', '1', 'Q'],
  ['[0-Z]', 'q', '!'],
  ['[]a]', 'A', 'b'],
  ['[a-]', '-', 'b'],
  ['[-a]', 'A', 'b'],
  ['^[^]a]$', '[', 'A'],
  ['[[:upper:]]', 'a', '1'],
  ['[[:^upper:]]', '1', 'a'],
  ['^[^[:^lower:]]$', 'A', '1'],
  ['^[\\[:upper:]$', 'U', 'a'],
  ['[\\x41\\-]', 'a', 'b'],
  ['\\x41\\x{42}\\103', 'aBc', 'abd'],
  ['\\QA.b\\E.C', 'a.BxC', 'axbxc'],
  ['\\Qa\nb', 'A\nB', 'a b'],
  ['(?P<Name>x)\\w', 'Xy', 'x-'],
  ['\\d{2}\\D\\bW', '12 w', '12xw'],
  ['\\p{Lu}', 'É', 'é'],
  ['[\\pN\\p{Greek}]', 'λ', 'l'],
  ['a\\\\b', 'A\\B', 'ab'],
  ['(?s)a.b', 'A\nB', 'a\n\nb'],
  ['(?m)^b$', 'a\nB', 'ab'],
]

test('a pattern matches anywhere in the text and ignores case of A to Z only', () => {
  for (const [pattern, found, missing] of table) {
    assert.equal(patternMistake(pattern, 1000), undefined, pattern)
    assert.ok(matchesPattern(pattern, found), `${pattern} is found in ${JSON.stringify(found)}`)
    assert.ok(!matchesPattern(pattern, missing), `${pattern} is not found in ${JSON.stringify(missing)}`)
  }
})

test('a pattern that RE2 accepts is still accepted after its letters match both cases', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'Z',
      'é',
      '.',
      '\\d',
      '\\pL',
      '\\x41',
      '[a-z]',
      '[^b-]',
      '[]A]',
      '(',
      ')',
      '(?:',
      '(?i)',
      '|',
      '*',
      '+',
      '{2,3}',
    ],
    ...['\\Q', '\\E', '[[:alpha:]x]', '^', '$', '-', ']', '\\', '\\.', '{', ',', '1'],
  )
  const property = fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
    const pattern = pieces.join('')
    if (patternMistake(pattern, 1000) !== undefined) return
    assert.equal(patternMistake(caseInsensitive(pattern), 1000), undefined, caseInsensitive(pattern))
    assert.equal(matchesPattern(pattern, 'Ab1.'), matchesPattern(pattern, 'aB1.'), pattern)
  })
  fc.assert(property, { seed, numRuns: sizes.propertyRuns, endOnFailure: false })
})

test('a pattern without operators matches like a search that ignores case of A to Z', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'B', 'k', 'É', ' ', '1', '\u{1f600}', '\u212a'), maxLength: 3 })
  const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const property = fc.property(word, fc.string({ unit: word, maxLength: 6 }), (pattern, text) => {
    assert.equal(matchesPattern(pattern, text), lower(text).includes(lower(pattern)))
  })
  fc.assert(property, { seed, numRuns: sizes.propertyRuns })
})

test('a pattern that RE2 does not support is refused with its reason, and one with large repetitions before it is compiled', () => {
  for (const pattern of ['(', '[a-', 'a**', '(?=a)', '\\1', '(?<=a)b', 'a{1001}', '\\C', '(a{1000}){1000}']) {
    assert.match(
      patternMistake(pattern, 1000)!,
      /must be a (regular expression of RE2|smaller regular expression)/,
      pattern,
    )
  }
  assert.equal(patternMistake('a{1000}', 1000), undefined)
  assert.equal(patternSize('(?:ab{2}){10}'), 80)
  assert.match(patternMistake('a{1000}'.repeat(2), 1000)!, /smaller/)
  assert.match(patternMistake(`${'(?:'.repeat(6)}a${'{9})'.repeat(6)}`, 1000)!, /smaller/)
})

test('patterns that take exponential time in backtracking engines end at once', () => {
  const text = `${'x'.repeat(254)}!`
  for (const pattern of ['(x+x+)+y', '(x*)*y', '(?:x|x|x)*y', '(?:x?){120}x{120}y', '(.*)(.*)(.*)(.*)(.*)[^x]y']) {
    assert.equal(patternMistake(pattern, 1000), undefined, pattern)
    for (let i = 0; i < 100; i++) assert.ok(!matchesPattern(pattern, text))
  }
})

test('a pattern reads the first 10,000 characters of a text', () => {
  for (const [before, found] of [
    [matchedCharactersMax - 2, true],
    [matchedCharactersMax - 1, true],
    [matchedCharactersMax, false],
  ] as const) {
    assert.equal(matchesPattern('x', `${'a'.repeat(before)}x${'a'.repeat(100_000)}`), found)
  }
})
