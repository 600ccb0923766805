/**
 * Rewrites a valid RE2 pattern so that only the letters A to Z match in both cases. The flag `i` of RE2 would also match `É` with `é`, and
 * the Kelvin sign with `k`.
 */
export function caseInsensitive(pattern: string): string {
  let rewritten = ''
  for (let at = 0; at < pattern.length; ) {
    const end = tokenEnd(pattern, at)
    const token = pattern.slice(at, end)
    rewritten += token.startsWith('\\Q')
      ? bothCasesQuoted(token)
      : token.startsWith('[')
        ? bothCasesClass(token)
        : bothCases(token)
    at = end
  }
  return rewritten
}

/** Returns an upper bound of the instructions of a compiled pattern. `{n,m}` repeats the part before it. */
export function patternSize(pattern: string): number {
  const outside: number[] = []
  let size = 0
  let last = 0
  for (let at = 0; at < pattern.length; ) {
    const end = tokenEnd(pattern, at)
    const token = pattern.slice(at, end)
    at = end
    const times = /^\{(\d+)(?:,(\d*))?\}$/.exec(token)
    if (times) {
      size += last * Math.max(0, Number(times[2] || times[1]) - 1)
    } else if (token.startsWith('(') && !token.endsWith(')')) {
      outside.push(size)
      size = 0
    } else if (token === ')') {
      last = size + 2
      size = (outside.pop() ?? 0) + last
    } else {
      last = token.startsWith('\\Q') ? token.length : 2
      size += last
    }
  }
  return size
}

/** Returns the end of the token at `at`: a quotation, a class, an escape, the head of a group, a repetition, or one character. */
export function tokenEnd(pattern: string, at: number): number {
  const rest = (sticky: RegExp): number | undefined => {
    sticky.lastIndex = at
    return sticky.test(pattern) ? sticky.lastIndex : undefined
  }
  return rest(quoted) ?? rest(escaped) ?? rest(characterClass) ?? rest(groupHead) ?? rest(repetition) ?? at + 1
}

const quoted = /\\Q.*?(?:\\E|$)/sy
const escaped = /\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|..)|[0-7]{1,3}|.)/suy
/** A `]` right after the opening bracket is a member of the class, and so is `[:alpha:]`. */
const characterClass = /\[\^?\]?(?:\[:\^?\w+:\]|\\(?:[pP]\{[^}]*\}|x\{[^}]*\}|.)|[^\]\\])*\]/suy
/** `(?P<name>` and `(?i:`: their letters do not match text. */
const groupHead = /\(\?(?:P?<\w+>|[a-zA-Z-]*[:)])/y
const repetition = /\{\d+(?:,\d*)?\}/y

function bothCasesQuoted(token: string): string {
  const text = token.slice(2).replace(/\\E$/, '')
  return text.replace(/[^a-zA-Z]+/g, (plain) => `\\Q${plain}\\E`).replace(/\\Q.*?\\E|[a-zA-Z]/gs, bothCases)
}

function bothCases(token: string): string {
  const code = codeOf(token)
  if (code === undefined) return token
  const other = otherCase(code)
  return other === code ? token : `[${String.fromCharCode(code, other)}]`
}

/** The parts of the inside of a class. */
export const classParts = /\[:\^?\w+:\]|\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|..)|[0-7]{1,3}|.)|./gsu

const oneCase = /^\[:(\^?)(?:upper|lower):\]$/

/** Adds the other case of each letter and of the letters in each range to a class. */
function bothCasesClass(token: string): string {
  const start = token.startsWith('[^') ? 2 : 1
  const parts = token.slice(start, -1).match(classParts) ?? []
  let more = ''
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    const low = codeOf(part)
    if (low === undefined) continue
    const isRange = parts[i + 1] === '-' && i + 2 < parts.length
    const high = isRange ? codeOf(parts[i + 2]!) : low
    if (isRange) i += 2
    more +=
      otherRange(low, high ?? low, upperA, upperZ, caseGap) + otherRange(low, high ?? low, lowerA, lowerZ, -caseGap)
  }
  const rest = parts.map((part) => part.replace(oneCase, '[:$1alpha:]')).join('')
  // A bracket or a hyphen at the start of the class was literal; it is not at the start now.
  return `${token.slice(0, start)}${more}${more === '' ? rest : rest.replace(/^[\]-]/, '\\$&')}]`
}

const [upperA, upperZ, lowerA, lowerZ] = [65, 90, 97, 122] as const
const caseGap = 32

function otherRange(low: number, high: number, from: number, to: number, gap: number): string {
  const [first, last] = [Math.max(low, from), Math.min(high, to)]
  return first > last ? '' : `${String.fromCharCode(first + gap)}-${String.fromCharCode(last + gap)}`
}

/** Returns the code point of a part; undefined for a class of characters. */
export function codeOf(part: string): number | undefined {
  if (!part.startsWith('\\')) return part.length > 2 || part.startsWith('[:') ? undefined : part.codePointAt(0)
  const hexadecimal = /^\\x\{?([0-9a-fA-F]+)\}?$/.exec(part)
  if (hexadecimal) return Number.parseInt(hexadecimal[1]!, 16)
  if (/^\\[0-7]+$/.test(part)) return Number.parseInt(part.slice(1), 8)
  const control = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 }[part[1]!]
  if (control !== undefined) return control
  return /^\\[^a-zA-Z0-9]$/u.test(part) ? part.codePointAt(1) : undefined
}

function otherCase(code: number): number {
  if (code >= upperA && code <= upperZ) return code + caseGap
  return code >= lowerA && code <= lowerZ ? code - caseGap : code
}
