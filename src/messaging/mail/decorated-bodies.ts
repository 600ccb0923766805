import { createHash } from 'node:crypto'
import { type DecoratedHtml, decorateHtml, type HtmlDecoration, placeholder } from './decorate-html.ts'
import { type MailLibraries, textSourceCharactersMax } from './mail-libraries.ts'
import { bodyCharactersMax, type TooComplex } from './parse-html.ts'
import { splitWords } from './split-words.ts'

/** Characters of dressed bodies that are kept. */
const keptCharactersMax = 8_000_000

/** A text in pieces: every other one, from the second on, is the mark of what belongs there. */
type Pieces = readonly string[]

/** A dressed body that waits for its words, and the words of one person. */
export type DecoratedBody = {
  readonly html: Pieces
  readonly text?: Pieces
  readonly links: readonly Pieces[]
  readonly warnings: readonly string[]
}
export type BodyWithWords = { readonly body: DecoratedBody; readonly words: readonly string[] }

/**
 * Bodies of one template differ in a few words for most people. Words between elements, and values in the query of a link, do not change
 * what parsing, inlining and turning into text do with the rest, as long as nothing in them is a sign of HTML: so that is done once for
 * all bodies of one shape.
 */
export class DecoratedBodies {
  /** By frames; undefined where the words do matter, and each body is done by itself. */
  readonly #kept = new Map<string, DecoratedBody | undefined>()
  #keptCharacters = 0

  decorate(html: string, dressing: HtmlDecoration, tools: MailLibraries): BodyWithWords | TooComplex {
    if (html.length > bodyCharactersMax) return { tooComplex: `has more than ${bodyCharactersMax} characters` }
    const { frame, runs } = splitWords(html)
    const { opens, clicks, preheader, inlineCss, text } = dressing
    const key = `${[opens, clicks, preheader, inlineCss, text]} ${frame.join('\0')}`
    const isKnown = this.#kept.has(key)
    const shape = isKnown ? this.#kept.get(key) : decorateFrame(html, frame, dressing, tools)
    this.#keep(key, shape, isKnown)
    if (shape) return { body: shape, words: runs }
    const word = placeholderPrefix(html)
    const dressed = decorateHtml(html, dressing, word, tools)
    return 'tooComplex' in dressed ? dressed : { body: splitAtPlaceholders(dressed, word), words: [] }
  }

  /** The one used last is dropped last. */
  #keep(key: string, shape: DecoratedBody | undefined, isKnown: boolean): void {
    this.#kept.delete(key)
    this.#kept.set(key, shape)
    if (isKnown) return
    this.#keptCharacters += charactersIn(key, shape)
    for (const [oldKey, old] of this.#kept) {
      if (this.#keptCharacters <= keptCharactersMax) break
      this.#kept.delete(oldKey)
      this.#keptCharacters -= charactersIn(oldKey, old)
    }
  }
}

/** What serves all bodies with this frame; undefined when a mark is where what it stands for may matter, or when it is too much. */
function decorateFrame(
  html: string,
  frame: readonly string[],
  dressing: HtmlDecoration,
  tools: MailLibraries,
): DecoratedBody | undefined {
  const word = placeholderPrefix(html)
  const marked = frame.map((piece, i) => (i === 0 ? piece : placeholder(word, 'run', i - 1) + piece)).join('')
  if (html.length > textSourceCharactersMax || marked.length > textSourceCharactersMax) return undefined
  const dressed = decorateHtml(marked, dressing, word, tools)
  if ('tooComplex' in dressed) return undefined
  const { texts, hrefs, selectsAttributes } = dressed
  const runsLeft = frame.length - 1 - countWordPlaceholders(texts, word)
  // A rule for `[href*=...]` may see what is in a link.
  return runsLeft === (selectsAttributes ? 0 : countWordPlaceholders(hrefs, word))
    ? splitAtPlaceholders(dressed, word)
    : undefined
}

/** What goes where the marks are, by kind and number. */
export type PlaceholderValues = {
  readonly link: (n: number) => string
  readonly pixel: string
  readonly preheader: string
}

export function fillPlaceholders(
  pieces: Pieces,
  runs: readonly string[],
  { link, pixel, preheader }: PlaceholderValues,
): string {
  let text = pieces[0]!
  for (let i = 1; i < pieces.length; i += 2) {
    const mark = pieces[i]!
    const n = Number(mark.slice(1))
    text += mark[0] === 'r' ? runs[n]! : mark[0] === 'l' ? link(n) : mark === 'pixel' ? pixel : preheader
    text += pieces[i + 1]!
  }
  return text
}

function splitAtPlaceholders({ html, text, links, warnings }: DecoratedHtml, word: string): DecoratedBody {
  const inComment = `${word}(?:pixel|preheader)0x`
  const mark = `${word}(run\\d+|link\\d+|pixel|preheader)\\d*x`
  const marks = new RegExp(`(?:<!--(?=${inComment}-->))?${mark}(?:(?<=<!--${inComment})-->)?`)
  const pieces = (source: string) =>
    source.split(marks).map((piece, i) => (i % 2 === 1 ? placeholderKey(piece) : piece))
  return { html: pieces(html), ...(text !== undefined && { text: pieces(text) }), links: links.map(pieces), warnings }
}

function placeholderKey(mark: string): string {
  return mark.replace(/^(r|l)\D+/, '$1')
}

function charactersIn(key: string, shape: DecoratedBody | undefined): number {
  const { html = [], text = [], links = [] } = shape ?? {}
  return key.length + [...html, ...text, ...links.flat()].reduce((sum, piece) => sum + piece.length, 0)
}

/** Nobody who has a word in a body can tell it: `&#122;` and capitals would become the letters of a mark on the way. */
function placeholderPrefix(html: string): string {
  for (let n = 0; ; n++) {
    const word = `zqx${createHash('sha256').update(html).update(String(n)).digest('hex').slice(0, 8)}`
    if (!html.includes(word)) return word
  }
}

function countWordPlaceholders(shown: readonly string[], word: string): number {
  const mark = new RegExp(`${word}run\\d+x`, 'g')
  return shown.reduce((count, text) => count + (text.match(mark)?.length ?? 0), 0)
}
