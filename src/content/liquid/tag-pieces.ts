import { type Context, type Liquid, type TagToken, Tokenizer, Value } from 'liquidjs'
import { formatValue } from './run.ts'

/** Text with values in it: what stands between the words of a text tag, `{{ }}` parsed in place so that mistakes know where they are. */
export type Piece = string | Value

export type Span = readonly [start: number, end: number]

/** Reads a stretch of a tag. */
export function readPieces(token: TagToken, [start, end]: Span, liquid: Liquid): Piece[] {
  const { input } = token
  const pieces: Piece[] = []
  // Not the whole input: in a text of many tags each would search all that follow it.
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

/** Offset of the `}}` that closes the braces at `open`; inside strings none does. */
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

/** Splits a stretch of a tag at `separator`, never inside braces; empty stretches are left out, blanks at the ends too. */
export function splitSpan(input: string, [start, end]: Span, separator: RegExp): Span[] {
  const spans: Span[] = []
  let from = start
  const put = (to: number) => {
    const span = trimSpan(input, [from, to])
    if (span[0] < span[1]) spans.push(span)
  }
  for (let at = start; at < end; at++) {
    if (input[at] === '{' && input[at + 1] === '{') at = Math.min(closingBraces(input, at, end) + 1, end)
    else if (separator.test(input[at]!)) {
      put(at)
      from = at + 1
    }
  }
  put(end)
  return spans
}

export function trimSpan(input: string, [start, end]: Span): Span {
  let [from, to] = [start, end]
  while (from < to && /\s/.test(input[from]!)) from++
  while (to > from && /\s/.test(input[to - 1]!)) to--
  return [from, to]
}

/** The words of a text tag, from its name to its end. */
export function wordsSpan(token: TagToken): Span {
  return [token.tokenizer.p, token.contentRange[1]]
}

/** The text that pieces make for one person. */
export function* writePieces(pieces: readonly Piece[], context: Context): Generator<unknown, string, unknown> {
  let text = ''
  for (const piece of pieces) {
    const value = typeof piece === 'string' ? piece : formatValue(yield piece.value(context))
    context.memoryLimit.use(value.length)
    text += value
  }
  return text
}
