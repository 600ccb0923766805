import { type Context, type Liquid, type TagToken, Tokenizer, Value } from 'liquidjs'
import { formatValue } from './run.ts'

/**
 * A part of a tag's text: plain text, or a `{{ }}` in it. Values are parsed at their position, so that mistakes have the right line and
 * column.
 */
export type Piece = string | Value

export type Span = readonly [start: number, end: number]

/** Reads a span of a tag. */
export function readPieces(token: TagToken, [start, end]: Span, liquid: Liquid): Piece[] {
  const { input } = token
  const pieces: Piece[] = []
  // Only this part is searched. In a text with many tags, each tag would otherwise search all the text after it.
  const words = input.slice(0, end)
  let at = start
  for (let open = words.indexOf('{{', at); open !== -1; open = words.indexOf('{{', at)) {
    if (open > at) pieces.push(input.slice(at, open))
    const close = closingBraces(input, open, end)
    const range: [number, number] = [
      open + (input[open + 2] === '-' ? 3 : 2),
      close - (input[close - 1] === '-' ? 1 : 0),
    ]
    const tokenizer = new Tokenizer(input, liquid.options.operators, token.file, range, true)
    pieces.push(new Value(tokenizer.readFilteredValue(), liquid))
    at = close + 2
  }
  if (at < end) pieces.push(input.slice(at, end))
  return pieces
}

/** Returns the offset of the `}}` that closes the braces at `open`. Braces in strings do not count. */
function closingBraces(input: string, open: number, end: number): number {
  let quote = ''
  for (let at = open + 2; at < end; at++) {
    const char = input[at]!
    if (quote) {
      if (char === '\\') at++
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '}' && input[at + 1] === '}') return at
  }
  return end
}

/** Splits a span at `separator`, but not inside braces. The parts are trimmed, without empty ones. */
export function splitSpan(input: string, [start, end]: Span, separator: RegExp): Span[] {
  const spans: Span[] = []
  let from = start
  const addUntil = (to: number) => {
    const span = trimSpan(input, [from, to])
    if (span[0] < span[1]) spans.push(span)
  }
  for (let at = start; at < end; at++) {
    if (input[at] === '{' && input[at + 1] === '{') at = Math.min(closingBraces(input, at, end) + 1, end)
    else if (separator.test(input[at]!)) {
      addUntil(at)
      from = at + 1
    }
  }
  addUntil(end)
  return spans
}

export function trimSpan(input: string, [start, end]: Span): Span {
  let [from, to] = [start, end]
  while (from < to && /\s/.test(input[from]!)) from++
  while (to > from && /\s/.test(input[to - 1]!)) to--
  return [from, to]
}

/** Returns the span of a text tag after its name. */
export function wordsSpan(token: TagToken): Span {
  return [token.tokenizer.p, token.contentRange[1]]
}

/** Renders pieces for one person. */
export function* writePieces(pieces: readonly Piece[], context: Context): Generator<unknown, string, unknown> {
  let text = ''
  for (const piece of pieces) {
    const value = typeof piece === 'string' ? piece : formatValue(yield piece.value(context))
    context.memoryLimit.use(value.length)
    text += value
  }
  return text
}

/** Returns the text without quotes around it. */
export function unquoted(text: string): string {
  return text.replace(/^(["'])(.*)\1$/s, '$2')
}
