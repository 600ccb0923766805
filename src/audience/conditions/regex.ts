import { RE2JS, RE2JSException } from 're2js'
import { caseInsensitive, patternSize } from './case-insensitive-pattern.ts'

/** Compiled patterns that a process keeps. */
const compiledMax = 500
/** Instructions for each character that a pattern may have: a hundred characters can ask for a hundred thousand, and seconds. */
const instructionsPerCharacter = 2.5

const compiled = new Map<string, RE2JS>()

/**
 * Why a pattern is none, as the end of a sentence that begins with its place; undefined when it is one. `charactersMax` is how long
 * patterns may be.
 */
export function patternMistake(pattern: string, charactersMax: number): string | undefined {
  try {
    if (patternSize(pattern) > charactersMax * instructionsPerCharacter)
      return 'must be a smaller regular expression: it repeats too much'
    // As it was written, so that the message shows nothing else.
    RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    if (error instanceof RE2JSException) return `must be a regular expression of RE2: ${error.message}`
    throw error
  }
}

/** Whether the pattern, which was checked, is found anywhere in the text; A-Z and a-z are one. In time linear in the text. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compile(pattern).test(text)
}

function compile(pattern: string): RE2JS {
  let made = compiled.get(pattern)
  if (made === undefined) {
    made = RE2JS.compile(caseInsensitive(pattern))
    if (compiled.size >= compiledMax) compiled.clear()
    compiled.set(pattern, made)
  }
  return made
}
