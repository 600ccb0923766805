import { RE2JS, RE2JSException } from 're2js'
import { caseInsensitive, patternSize } from './case-insensitive-pattern.ts'

/** The size of the compiled patterns in the cache of a process, in instructions (`patternSize`): each takes some 100 bytes. */
const compiledSizeMax = 200_000
/** Instructions per character of the limit: a pattern of 100 characters could have 100,000 instructions and take seconds. */
const instructionsPerCharacter = 2.5

/** The characters (UTF-16 units) of a text that a pattern reads. Some patterns take a second for 100,000 characters. */
export const matchedCharactersMax = 10_000

const compiled = new Map<string, RE2JS>()
let compiledSize = 0

/**
 * Returns why a pattern is not allowed, as the end of a sentence that begins with its path; undefined when it is allowed. `charactersMax`:
 * the longest pattern.
 */
export function patternMistake(pattern: string, charactersMax: number): string | undefined {
  try {
    if (patternSize(pattern) > charactersMax * instructionsPerCharacter)
      return 'must be a smaller regular expression: it repeats too much'
    // Compiles the pattern as it was written, because the message quotes it.
    RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    if (error instanceof RE2JSException) return `must be a regular expression of RE2: ${error.message}`
    throw error
  }
}

/**
 * Returns whether a checked pattern matches anywhere in the first `matchedCharactersMax` of a text, ignoring the case of A to Z. Takes time
 * linear in the text.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  return compile(pattern).test(text.length > matchedCharactersMax ? text.slice(0, matchedCharactersMax) : text)
}

function compile(pattern: string): RE2JS {
  let made = compiled.get(pattern)
  if (made === undefined) {
    made = RE2JS.compile(caseInsensitive(pattern))
    const size = patternSize(pattern) + pattern.length
    if (compiledSize + size > compiledSizeMax) {
      compiled.clear()
      compiledSize = 0
    }
    compiledSize += size
    compiled.set(pattern, made)
  }
  return made
}
