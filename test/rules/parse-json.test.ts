import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ExactNumber } from '../../src/base/exact-number.ts'
import { parseJson } from '../../src/base/parse-json.ts'
import { seed } from '../sizes.ts'

const long = '12345678901234567890'

describe('parsing JSON', () => {
  test('keeps long numbers at every place', () => {
    for (const text of [
      long,
      `-${long}.5`,
      `[${long},[-${long}],{"a":${long}}]`,
      `{"a":[1,"b",{"c":{"d":${long}}}],"e":0.12345678901234567891}`,
      `{"__proto__":{"a":${long}},"constructor":${long}}`,
      `{"a":9007199254740993,"b":9007199254740991,"a2":1.5}`,
    ]) {
      assert.equal(JSON.stringify(parseJson(text)), text)
      assert.equal(JSON.stringify(parseJson(` \n${text.replaceAll(',', ' ,\t').replaceAll(':', ' : ')}\r `)), text)
    }
    assert.ok(parseJson(long) instanceof ExactNumber)
  })

  test('keeps short numbers that are too small for a double', () => {
    for (const text of ['1e-400', '-2.5E-0400', '[1,{"a":1e-324,"b":"1e-400"}]', '9e-99999']) {
      assert.equal(JSON.stringify(parseJson(text)), text)
    }
    // Doubles as small as this have fewer digits.
    assert.equal(String(parseJson('1.2345678e-320')), `0.${'0'.repeat(319)}12345678`)
    for (const text of ['5e-324', '1e-307', '2.5e-100', '0e-999', '-0e-999', '[0.0e-400,"e-400"]']) {
      assert.deepEqual(parseJson(text), JSON.parse(text))
    }
    for (const text of ['{1e-400:1}', '[1e-400x]', '[01e-400]', '[1e-400 1e-400]']) {
      assert.throws(() => parseJson(text), SyntaxError, text)
    }
  })

  test('leaves digits in texts and names as they are', () => {
    for (const text of [
      `{"id":"${long}","list":["a, ${long}","\\"${long}","\\\\"],"n":${long}}`,
      `{"${long}":1,"b":{":${long}":[${long}]}}`,
      `["x\\\\\\"",${long},"[${long}]"]`,
    ]) {
      assert.equal(JSON.stringify(parseJson(text)), text)
    }
  })

  test('refuses what JSON.parse refuses', () => {
    for (const text of [
      `{${long}:1}`,
      `{${long} :1}`,
      `[0${long}]`,
      `[-${long}-1]`,
      `[${long}x]`,
      `[${long}.]`,
      `[.${long}]`,
      `[1 ${long}]`,
      `["a"${long}]`,
      `["${long}`,
      `${long}${long}e`,
      `{"a":+${long}}`,
    ]) {
      assert.throws(() => JSON.parse(text), SyntaxError, text)
      assert.throws(() => parseJson(text), SyntaxError, text)
    }
  })

  test('reads other numbers as JSON.parse does, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        // Large numbers are written without exponent.
        const again = (given: string) => JSON.stringify(JSON.parse(JSON.stringify(parseJson(given))))
        assert.equal(again(text), text)
        assert.equal(again(`{"long":[${long}],"value":${text}}`), `{"long":[12345678901234567000],"value":${text}}`)
      }),
      { seed },
    )
  })

  test('reads many levels', () => {
    const levels = 100_000
    let parsed = parseJson(`${'['.repeat(levels)}${long}${']'.repeat(levels)}`)
    for (let i = 0; i < levels; i++) parsed = (parsed as unknown[])[0]
    assert.equal(String(parsed), long)
  })
})
