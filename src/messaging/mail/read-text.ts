import { invalid } from '../../base/errors.ts'
import { isAbsent } from '../../content/texts/fields.ts'
import { malformedMistake } from '../../content/texts/malformed.ts'
import { isCleanText } from '../../people/values/values.ts'

export type TextRules = {
  readonly charactersMax?: number
  readonly bytesMax?: number
  /** No line breaks. Line breaks in a text with Liquid are allowed: the rendered text is made one line. */
  readonly oneLine?: boolean
  /** The text may contain Liquid, which is then parsed. Without this flag `{{` has no meaning. */
  readonly liquid?: boolean
}

/** Returns whether a text has to be rendered. */
export function hasLiquid(text: string): boolean {
  return text.includes('{{') || text.includes('{%')
}

/** Reads an optional text. Throws a 400 that begins with `at`. */
export function readText(value: unknown, at: string, rules: TextRules): string | undefined {
  if (isAbsent(value)) return undefined
  if (typeof value !== 'string') throw invalid(`${at} must be a string`)
  if (!isCleanText(value)) throw invalid(`${at} must be text without NUL characters and half surrogate pairs`)
  const { charactersMax = Infinity, bytesMax = Infinity } = rules
  if (charactersIn(value, charactersMax) > charactersMax)
    throw invalid(`${at} must be at most ${charactersMax} characters`)
  if (bytesMax < Infinity && Buffer.byteLength(value) > bytesMax)
    throw invalid(`${at} must be at most ${bytesMax} bytes`)
  const isLiquid = rules.liquid === true && hasLiquid(value)
  if (rules.oneLine && !isLiquid && /[\r\n]/.test(value)) throw invalid(`${at} must be one line`)
  const mistake = isLiquid ? malformedMistake(at, value) : undefined
  if (mistake) throw invalid(`${at} ${mistake.message}`)
  return value
}

/** Counts a surrogate pair as one character, unless the text is so long that the difference does not matter. */
function charactersIn(text: string, max: number): number {
  if (text.length <= max || text.length > 2 * max) return text.length
  return [...text].length
}

/** Reads an optional boolean. Clients also send it as text. Throws a 400 that begins with `at`. */
export function readFlag(value: unknown, at: string): boolean | undefined {
  if (isAbsent(value)) return undefined
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw invalid(`${at} must be true or false`)
}

/** Reads a required object. Throws a 400 that begins with `at`. */
export function readObject(value: unknown, at: string, what = 'an object'): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw invalid(`${at} must be ${what}`)
}
