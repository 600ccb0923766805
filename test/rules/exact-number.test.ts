import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type AnyNumber,
  addNumbers,
  compareNumbers,
  ExactNumber,
  exponentCharacters,
  hasExponent,
  isStorableNumber,
  numberCharactersMax,
  plainCharactersMax,
  readNumber,
} from '../../src/base/exact-number.ts'
import { seed } from '../sizes.ts'

/** Numbers in growing order, as texts of JSON. */
const growing = [
  '-123456789012345678901234567890',
  '-9007199254740993',
  '-9007199254740991',
  '-1.00000000000000000001',
  '-1',
  '0',
  '0.000000000000000000000001',
  '0.1',
  '0.10000000000000000000000001',
  '1e3',
  '9007199254740992',
  '9007199254740993',
  '12345678901234567890',
  '12345678901234567890.5',
  '1e300',
]

describe('a number of JSON', () => {
  test('is a double when the double is the same number and no large integer', () => {
    for (const [text, number] of [
      ['0', 0],
      ['-1.50', -1.5],
      ['9007199254740991', 9007199254740991],
      ['0.30000000000000004', 0.30000000000000004],
      ['1.10000000000000000000', 1.1],
      ['100000000000000000000e-20', 1],
      ['0.000000000000000000000', 0],
      [`0.${'0'.repeat(323)}5`, 5e-324],
    ] as const) {
      assert.equal(readNumber(text), number, text)
    }
  })

  test('keeps all its digits otherwise, without an exponent and without zeros that do not count', () => {
    for (const [text, kept] of [
      ['9007199254740992', '9007199254740992'],
      ['-12345678901234567890', '-12345678901234567890'],
      ['12345678901234567890.500', '12345678901234567890.5'],
      ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
      ['1.2345678901234567890E+3', '1234.567890123456789'],
      // The double is the same number, but JavaScript writes it with another last digit.
      ['123456789012345.125', '123456789012345.125'],
      ['-12345678901234567890e-25', '-0.000001234567890123456789'],
      ['12345678901234567890e2', '1234567890123456789000'],
    ] as const) {
      const number = readNumber(text)
      assert.ok(number instanceof ExactNumber, text)
      assert.equal(number.text, kept)
      assert.equal(JSON.stringify({ number: [number] }), `{"number":[${kept}]}`)
    }
  })

  test('can be stored with at most 1,000 characters in the range of a double', () => {
    for (const length of [numberCharactersMax - 1, numberCharactersMax, numberCharactersMax + 1]) {
      const [whole, fraction] = [`${'1'.repeat(300)}.`, '0.']
      for (const text of [whole.padEnd(length, '7'), fraction.padEnd(length, '7')]) {
        assert.equal(isStorableNumber(readNumber(text)), length <= numberCharactersMax, String(length))
      }
    }
    for (const text of [
      `1${'0'.repeat(309)}`,
      '1.234567890123456789e309',
      '1.234567890123456789e-400',
      '1e-999999999',
    ]) {
      assert.equal(isStorableNumber(readNumber(text)), false, text)
    }
    for (const value of [Number.NaN, Infinity, '1', null]) assert.equal(isStorableNumber(value), false)
  })

  test('has more characters in the database than JavaScript writes when it has an exponent', () => {
    for (const [number, more] of [
      [0, 0],
      [999_999_999_999_999_900_000, 0],
      [0.000001, 0],
      [1e21, 17],
      [-1.5e300, 302 - 9],
      [1e-7, 5],
      [5e-324, 320],
    ] as const) {
      assert.equal(exponentCharacters(number), more, String(number))
      assert.equal(hasExponent(number), more > 0)
    }
    const longest = -2.2250738585072014e-308
    assert.equal(String(longest).length + exponentCharacters(longest), plainCharactersMax)
    assert.ok(String(-Number.MAX_VALUE).length + exponentCharacters(-Number.MAX_VALUE) < plainCharactersMax)
  })

  test('is compared by its value', () => {
    const numbers = growing.map(readNumber)
    for (const [i, a] of numbers.entries()) {
      for (const [j, b] of numbers.entries())
        assert.equal(Math.sign(compareNumbers(a, b)), Math.sign(i - j), `${a} ${b}`)
    }
    assert.equal(compareNumbers(1e30, new ExactNumber(`1${'0'.repeat(30)}`)), 0)
  })

  test('is added with all digits', () => {
    for (const [a, b, sum] of [
      ['9007199254740991', '1', '9007199254740992'],
      ['9007199254740992', '-1', '9007199254740991'],
      ['12345678901234567890', '12345678901234567890', '24691357802469135780'],
      ['-12345678901234567890.5', '1', '-12345678901234567889.5'],
      ['0.1234567890123456789', '1', '1.1234567890123456789'],
      ['1.5', '2', '3.5'],
    ] as const) {
      assert.equal(String(addNumbers(readNumber(a), readNumber(b))), sum)
      assert.equal(String(addNumbers(readNumber(b), readNumber(a))), sum)
    }
  })

  test('is the same number as that of its text, for any text', () => {
    const digits = fc
      .array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 40 })
      .map((list) => list.join(''))
    const text = fc
      .record({
        minus: fc.boolean(),
        whole: digits,
        fraction: fc.option(digits),
        exponent: fc.option(fc.integer({ min: -50, max: 50 })),
      })
      .map(({ minus, whole, fraction, exponent }) =>
        [
          minus ? '-' : '',
          BigInt(whole),
          fraction === null ? '' : `.${fraction}`,
          exponent === null ? '' : `e${exponent}`,
        ].join(''),
      )
    fc.assert(
      fc.property(text, (given) => {
        const number: AnyNumber = readNumber(given)
        assert.equal(scaled(JSON.stringify(number)), scaled(given))
      }),
      { seed },
    )
  })
})

/** Returns a number times 10^100, as an integer. */
function scaled(text: string): bigint {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text)!
  return BigInt(sign + whole + fraction) * 10n ** BigInt(100 + Number(exponent) - fraction.length)
}
