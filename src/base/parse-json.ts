import { randomBytes } from 'node:crypto'
import { ExactNumber, leastSize, readNumber } from './exact-number.ts'

/** A number with fewer characters, points included, is the same as a double, unless it is too small for one. */
const longCharactersMin = 16
/** A number with fewer characters that is too small for a double has this. */
const smallExponent = /\d[eE]-\d\d\d/

const plus = 43
const minus = 45
const point = 46
const slash = 47
const nine = 57
const colon = 58
const quote = 34
const backslash = 92
const letterE = 101
/** The bit by which a lower-case letter differs from the capital. */
const lowerCase = 32

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Begins the text that stands for a number while the engine parses. Nobody can send it: it is of this process only. */
const mark = randomBytes(16).toString('hex')

/**
 * Parses JSON as `JSON.parse` does, but keeps numbers that a double would change (`ExactNumber`). Takes no longer when the text has no long
 * number and no large negative exponent. Throws a SyntaxError.
 */
export function parseJson(text: string): unknown {
  return mayHaveLongNumber(text) || mayHaveSmallNumber(text) ? parseExactly(text) : JSON.parse(text)
}

/** Looks for hyphens: matching the expression against a whole body takes twice as long. */
function mayHaveSmallNumber(text: string): boolean {
  for (let at = text.indexOf('-'); at >= 0; at = text.indexOf('-', at + 1)) {
    if ((text.charCodeAt(at - 1) | lowerCase) === letterE && smallExponent.test(text.slice(at - 2, at + 4))) return true
  }
  return false
}

/** Looks at every 16th character only, because a long number has one of them. */
function mayHaveLongNumber(text: string): boolean {
  for (let at = longCharactersMin - 1; at < text.length; at += longCharactersMin) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isDigitOrPoint(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end < text.length && isDigitOrPoint(text.charCodeAt(end))) end++
    if (end - start >= longCharactersMin && beginsNumber(text, start)) return true
    at = end - 1
  }
  return false
}

function isDigitOrPoint(code: number): boolean {
  return code >= point && code <= nine && code !== slash
}

/** Whether digits that start here may be a number, and are not within a text such as `"id-1234567890123456"`. */
function beginsNumber(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1) === minus ? start - 2 : start - 1
  return before < 0 || ' \n\r\t:,['.includes(text[before]!)
}

/**
 * Gives the engine a marked text instead of each long number, and puts the numbers into what it returns. A reviver would take a hundred
 * times as long, and would end with an overflow of the stack for many levels.
 */
function parseExactly(text: string): unknown {
  const numbers: ExactNumber[] = []
  const pieces: string[] = []
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    else if (code === minus || isDigitOrPoint(code)) {
      const end = endOfNumber(text, at)
      const number = exactNumberIn(text, at, end)
      if (number) {
        pieces.push(text.slice(copied, at), `"${mark}${numbers.length}"`)
        numbers.push(number)
        copied = end
      }
      at = end - 1
    }
  }
  if (numbers.length === 0) return JSON.parse(text)
  return withNumbers(JSON.parse(pieces.join('') + text.slice(copied)), numbers)
}

/** Returns where the closing quote of a text is. */
function endOfText(text: string, start: number): number {
  for (let end = start + 1; ; end++) {
    end = text.indexOf('"', end)
    if (end < 0) return text.length
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end++
  return end
}

function isOfNumber(code: number): boolean {
  return isDigitOrPoint(code) || code === minus || code === plus || (code | lowerCase) === letterE
}

/** Returns undefined when it is the same as a double, and when it is no number of JSON, so that the engine refuses it. */
function exactNumberIn(text: string, start: number, end: number): ExactNumber | undefined {
  const given = text.slice(start, end)
  const size = Math.abs(Number(given))
  if (given.length < longCharactersMin && (size >= leastSize || !smallExponent.test(given))) return undefined
  // Most long numbers are doubles as JavaScript writes them.
  if (size < 2 ** 53 && String(Number(given)) === given) return undefined
  if (!numberForm.test(given) || isName(text, end)) return undefined
  const number = readNumber(given)
  return number instanceof ExactNumber ? number : undefined
}

/** Whether a colon follows: then a text here would be the name of a member, but a number is not. */
function isName(text: string, end: number): boolean {
  let at = end
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at++
  return text.charCodeAt(at) === colon
}

/** Replaces the marked texts. Does not call itself, because a body may have many levels. */
function withNumbers(parsed: unknown, numbers: readonly ExactNumber[]): unknown {
  const root = [parsed]
  const open: object[] = [root]
  const read = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) open.push(value)
    return typeof value === 'string' && value.startsWith(mark) ? numbers[Number(value.slice(mark.length))] : value
  }
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) for (let i = 0; i < container.length; i++) container[i] = read(container[i])
    else {
      const members = container as Record<string, unknown>
      for (const key in members) members[key] = read(members[key])
    }
  }
  return root[0]
}
