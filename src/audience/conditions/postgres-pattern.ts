import { caseInsensitive, classParts, codeOf, patternSize, tokenEnd } from './case-insensitive-pattern.ts'

/** The largest pattern (`patternSize`) that is translated: PostgreSQL compiles it in a millisecond, and steps through it quickly. */
const translatedSizeMax = 250
/** PostgreSQL allows 255 repetitions. */
const repeatedMax = 100

const classes: Readonly<Record<string, string>> = {
  '\\d': '0-9',
  '\\w': '0-9A-Za-z_',
  '\\s': '\\u0009\\u000A\\u000C\\u000D\\u0020',
}
const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})$/

/**
 * Translates a checked pattern of RE2 into one of PostgreSQL that matches the same texts under the collation "C", ignoring the case of A to
 * Z. Returns undefined for what the two may read differently: all but plain ASCII, classes of it, groups, alternatives, repetitions and the
 * ends of the text. Pure.
 */
export function postgresPattern(pattern: string): string | undefined {
  const rewritten = caseInsensitive(pattern)
  if (patternSize(rewritten) > translatedSizeMax) return undefined
  let translated = ''
  let before: Part = 'start'
  for (let at = 0; at < rewritten.length; ) {
    const end = tokenEnd(rewritten, at)
    const token = rewritten.slice(at, end)
    const { text, part } = translate(token)
    if (text === undefined || !mayFollow(before, part)) return undefined
    // The end of a lazy repetition, which finds the same texts as a greedy one.
    if (!(before === 'repetition' && token === '?')) translated += text
    before = before === 'repetition' && token === '?' ? 'lazy' : part
    at = end
  }
  return before === 'start' || before === 'open' || before === 'or' ? undefined : translated
}

/** What a token is. An `edge` is an end of the text; neither it nor a repetition can be repeated. */
type Part = 'start' | 'open' | 'or' | 'close' | 'atom' | 'edge' | 'repetition' | 'lazy'

/** Whether the grammars agree on what a part means after another one. An empty alternative is left to RE2. */
function mayFollow(before: Part, part: Part): boolean {
  switch (part) {
    case 'repetition':
      return before === 'atom' || before === 'close' || before === 'repetition'
    case 'or':
    case 'close':
      return before !== 'start' && before !== 'open' && before !== 'or'
    default:
      return true
  }
}

type Translated = { readonly text: string | undefined; readonly part: Part }

function translate(token: string): Translated {
  if (quantifier.test(token)) return { text: repetitionOf(token), part: 'repetition' }
  switch (token) {
    case '(':
    case '(?:':
      return { text: '(?:', part: 'open' }
    case ')':
      return { text: ')', part: 'close' }
    case '|':
      return { text: '|', part: 'or' }
    case '^':
    case '$':
      return { text: token, part: 'edge' }
    case '.':
      return { text: '[^\\u000A]', part: 'atom' }
  }
  if (token.startsWith('(') || token.startsWith('\\Q')) return { text: undefined, part: 'atom' }
  if (token.startsWith('[')) return { text: classOf(token), part: 'atom' }
  const letters = classes[token.toLowerCase()]
  if (letters !== undefined) return { text: `[${token[1]! < 'a' ? '^' : ''}${letters}]`, part: 'atom' }
  const code = codeOf(token)
  return { text: code === undefined ? undefined : characterOf(code), part: 'atom' }
}

function repetitionOf(token: string): string | undefined {
  const numbers = token.match(/\d+/g) ?? []
  return numbers.every((number) => Number(number) <= repeatedMax) ? token : undefined
}

/** Translates a class of ASCII characters. */
function classOf(token: string): string | undefined {
  const isNegated = token.startsWith('[^')
  const parts = token.slice(isNegated ? 2 : 1, -1).match(classParts) ?? []
  let members = ''
  for (let i = 0; i < parts.length; i++) {
    const low = memberOf(parts[i]!)
    if (low === undefined) return undefined
    members += low
    if (parts[i + 1] !== '-' || i + 2 >= parts.length) continue
    const high = memberOf(parts[i + 2]!)
    if (classes[parts[i]!] !== undefined || high === undefined || classes[parts[i + 2]!] !== undefined) return undefined
    members += `-${high}`
    i += 2
  }
  return members === '' ? undefined : `[${isNegated ? '^' : ''}${members}]`
}

function memberOf(part: string): string | undefined {
  const code = codeOf(part)
  return code === undefined ? classes[part] : characterOf(code)
}

const asciiMax = 127

/** Writes all but letters and digits as escapes, which are never operators. */
function characterOf(code: number): string | undefined {
  if (code < 1 || code > asciiMax) return undefined
  const character = String.fromCharCode(code)
  return /[a-zA-Z0-9]/.test(character) ? character : `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
}
