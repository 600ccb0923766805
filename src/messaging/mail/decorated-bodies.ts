import { createHash } from 'node:crypto'
import { type Dressed, type Dressing, dress, markOf } from './decorate-html.ts'
import { type Tools, textSourceMax } from './mail-libraries.ts'
import { bodyCharactersMax, type TooMuch } from './parse-html.ts'
import { skeletonOf } from './split-words.ts'

/** Characters of dressed bodies that are kept. */
const keptCharactersMax = 8_000_000

/** A text in pieces: every other one, from the second on, is the mark of what belongs there. */
type Pieces = readonly string[]

/** A dressed body that waits for its words, and the words of one person. */
export type Shape = {
  readonly html: Pieces
  readonly text?: Pieces
  readonly links: readonly Pieces[]
  readonly warnings: readonly string[]
}
export type Fitted = { readonly shape: Shape; readonly runs: readonly string[] }

/**
 * Bodies of one template differ in a few words for most people. Words between elements, and values in the query of a link, do not change
 * what parsing, inlining and turning into text do with the rest, as long as nothing in them is a sign of HTML: so that is done once for
 * all bodies of one shape.
 */
export class Shapes {
  /** By frames; undefined where the words do matter, and each body is done by itself. */
  readonly #kept = new Map<string, Shape | undefined>()
  #keptCharacters = 0

  fit(html: string, dressing: Dressing, tools: Tools): Fitted | TooMuch {
    if (html.length > bodyCharactersMax) return { tooMuch: `has more than ${bodyCharactersMax} characters` }
    const { frame, runs } = skeletonOf(html)
    const { opens, clicks, preheader, inlineCss, text } = dressing
    const key = `${[opens, clicks, preheader, inlineCss, text]} ${frame.join('\0')}`
    const isKnown = this.#kept.has(key)
    const shape = isKnown ? this.#kept.get(key) : shapeOfAll(html, frame, dressing, tools)
    this.#keep(key, shape, isKnown)
    if (shape) return { shape, runs }
    const word = wordFor(html)
    const dressed = dress(html, dressing, word, tools)
    return 'tooMuch' in dressed ? dressed : { shape: shapeOf(dressed, word), runs: [] }
  }

  /** The one used last is dropped last. */
  #keep(key: string, shape: Shape | undefined, isKnown: boolean): void {
    this.#kept.delete(key)
    this.#kept.set(key, shape)
    if (isKnown) return
    this.#keptCharacters += sizeOf(key, shape)
    for (const [oldKey, old] of this.#kept) {
      if (this.#keptCharacters <= keptCharactersMax) break
      this.#kept.delete(oldKey)
      this.#keptCharacters -= sizeOf(oldKey, old)
    }
  }
}

/** What serves all bodies with this frame; undefined when a mark is where what it stands for may matter, or when it is too much. */
function shapeOfAll(html: string, frame: readonly string[], dressing: Dressing, tools: Tools): Shape | undefined {
  const word = wordFor(html)
  const marked = frame.map((piece, i) => (i === 0 ? piece : markOf(word, 'run', i - 1) + piece)).join('')
  if (html.length > textSourceMax || marked.length > textSourceMax) return undefined
  const dressed = dress(marked, dressing, word, tools)
  if ('tooMuch' in dressed) return undefined
  const { shown, hrefs, selectsAttributes } = dressed
  const runsLeft = frame.length - 1 - countRuns(shown, word)
  // A rule for `[href*=...]` may see what is in a link.
  return runsLeft === (selectsAttributes ? 0 : countRuns(hrefs, word)) ? shapeOf(dressed, word) : undefined
}

/** What goes where the marks are, by kind and number. */
export type Filling = { readonly link: (n: number) => string; readonly pixel: string; readonly preheader: string }

export function fill(pieces: Pieces, runs: readonly string[], { link, pixel, preheader }: Filling): string {
  let text = pieces[0]!
  for (let i = 1; i < pieces.length; i += 2) {
    const mark = pieces[i]!
    const n = Number(mark.slice(1))
    text += mark[0] === 'r' ? runs[n]! : mark[0] === 'l' ? link(n) : mark === 'pixel' ? pixel : preheader
    text += pieces[i + 1]!
  }
  return text
}

function shapeOf({ html, text, links, warnings }: Dressed, word: string): Shape {
  const inComment = `${word}(?:pixel|preheader)0x`
  const mark = `${word}(run\\d+|link\\d+|pixel|preheader)\\d*x`
  const marks = new RegExp(`(?:<!--(?=${inComment}-->))?${mark}(?:(?<=<!--${inComment})-->)?`)
  const pieces = (source: string) => source.split(marks).map((piece, i) => (i % 2 === 1 ? shortMark(piece) : piece))
  return { html: pieces(html), ...(text !== undefined && { text: pieces(text) }), links: links.map(pieces), warnings }
}

function shortMark(mark: string): string {
  return mark.replace(/^(r|l)\D+/, '$1')
}

function sizeOf(key: string, shape: Shape | undefined): number {
  const { html = [], text = [], links = [] } = shape ?? {}
  return key.length + [...html, ...text, ...links.flat()].reduce((sum, piece) => sum + piece.length, 0)
}

/** Nobody who has a word in a body can tell it: `&#122;` and capitals would become the letters of a mark on the way. */
function wordFor(html: string): string {
  for (let n = 0; ; n++) {
    const word = `zqx${createHash('sha256').update(html).update(String(n)).digest('hex').slice(0, 8)}`
    if (!html.includes(word)) return word
  }
}

function countRuns(shown: readonly string[], word: string): number {
  const mark = new RegExp(`${word}run\\d+x`, 'g')
  return shown.reduce((count, text) => count + (text.match(mark)?.length ?? 0), 0)
}
