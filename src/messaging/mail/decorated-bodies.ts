import { createHash } from 'node:crypto'
import { type DecoratedHtml, decorateHtml, type HtmlDecoration, placeholder } from './decorate-html.ts'
import { type MailLibraries, textSourceCharactersMax } from './mail-libraries.ts'
import { bodyCharactersMax, type TooComplex } from './parse-html.ts'
import { splitWords } from './split-words.ts'

/** A text cut at its placeholders. Pieces with an odd index are keys of placeholders, the others are text. */
type Pieces = readonly string[]

/** A decorated body with placeholders for words, links, pixel and preheader. */
export type DecoratedBody = {
  readonly html: Pieces
  readonly text?: Pieces
  readonly links: readonly Pieces[]
  readonly warnings: readonly string[]
}
export type BodyWithWords = { readonly body: DecoratedBody; readonly words: readonly string[] }

/**
 * A cache of decorated bodies. For most people the bodies of one template differ in a few words only: words between elements, and values
 * in the query of a link. If these contain no sign of HTML, they have no effect on how the rest is parsed, inlined and turned into text.
 * So this is done once for all bodies that are equal without their words.
 */
export class DecoratedBodies {
  /** By frame (`split-words.ts`). Undefined if the words do matter, so that each body has to be decorated alone. */
  readonly #cached = new Map<string, DecoratedBody | undefined>()
  readonly #charactersMax: number
  #characters = 0

  /** `charactersMax`: the size of all decorated bodies in the cache. */
  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  /** Decorates a body, or takes the decorated body from the cache; `words` are those of `html`. */
  decorate(html: string, decoration: HtmlDecoration, libraries: MailLibraries): BodyWithWords | TooComplex {
    if (html.length > bodyCharactersMax) return { tooComplex: `has more than ${bodyCharactersMax} characters` }
    // Such a body is decorated alone.
    if (html.length > textSourceCharactersMax) return decorateAlone(html, decoration, libraries)
    const { frame, words } = splitWords(html)
    const { opens, clicks, preheader, inlineCss, text } = decoration
    const key = `${[opens, clicks, preheader, inlineCss, text]} ${frame.join('\0')}`
    const isCached = this.#cached.has(key)
    const body = isCached ? this.#cached.get(key) : decorateFrame(html, frame, decoration, libraries)
    this.#cache(key, body, isCached)
    return body ? { body, words } : decorateAlone(html, decoration, libraries)
  }

  /** Makes this the most recently used body, and drops the least recently used ones if there is too much. */
  #cache(key: string, body: DecoratedBody | undefined, isCached: boolean): void {
    this.#cached.delete(key)
    this.#cached.set(key, body)
    if (isCached) return
    this.#characters += charactersIn(key, body)
    for (const [oldKey, old] of this.#cached) {
      if (this.#characters <= this.#charactersMax) break
      this.#cached.delete(oldKey)
      this.#characters -= charactersIn(oldKey, old)
    }
  }
}

function decorateAlone(html: string, decoration: HtmlDecoration, libraries: MailLibraries): BodyWithWords | TooComplex {
  const prefix = placeholderPrefix(html)
  const decorated = decorateHtml(html, decoration, prefix, libraries)
  return 'tooComplex' in decorated ? decorated : { body: splitAtPlaceholders(decorated, prefix), words: [] }
}

/** Decorates the frame for all bodies that have it. Returns undefined if a word is where it may matter, or if the body is too large. */
function decorateFrame(
  html: string,
  frame: readonly string[],
  decoration: HtmlDecoration,
  libraries: MailLibraries,
): DecoratedBody | undefined {
  const prefix = placeholderPrefix(html)
  const source = frame.map((piece, i) => (i === 0 ? piece : placeholder(prefix, 'word', i - 1) + piece)).join('')
  if (source.length > textSourceCharactersMax) return undefined
  const decorated = decorateHtml(source, decoration, prefix, libraries)
  if ('tooComplex' in decorated) return undefined
  const { texts, hrefs, selectsAttributes } = decorated
  const wordsElsewhere = frame.length - 1 - countWordPlaceholders(texts, prefix)
  // A CSS rule for `[href*=...]` depends on the words in a link.
  const wordsAllowed = selectsAttributes ? 0 : countWordPlaceholders(hrefs, prefix)
  return wordsElsewhere === wordsAllowed ? splitAtPlaceholders(decorated, prefix) : undefined
}

/** The values of placeholders, by kind and number. */
export type PlaceholderValues = {
  readonly link: (n: number) => string
  readonly pixel: string
  readonly preheader: string
}

export function fillPlaceholders(
  pieces: Pieces,
  words: readonly string[],
  { link, pixel, preheader }: PlaceholderValues,
): string {
  let text = pieces[0]!
  for (let i = 1; i < pieces.length; i += 2) {
    const key = pieces[i]!
    const n = Number(key.slice(1))
    text += key[0] === 'w' ? words[n]! : key[0] === 'l' ? link(n) : key === 'pixel' ? pixel : preheader
    text += pieces[i + 1]!
  }
  return text
}

function splitAtPlaceholders({ html, text, links, warnings }: DecoratedHtml, prefix: string): DecoratedBody {
  const inComment = `${prefix}(?:pixel|preheader)0x`
  const any = `${prefix}(word\\d+|link\\d+|pixel|preheader)\\d*x`
  const pattern = new RegExp(`(?:<!--(?=${inComment}-->))?${any}(?:(?<=<!--${inComment})-->)?`)
  const pieces = (source: string) =>
    source.split(pattern).map((piece, i) => (i % 2 === 1 ? placeholderKey(piece) : piece))
  return { html: pieces(html), ...(text !== undefined && { text: pieces(text) }), links: links.map(pieces), warnings }
}

/** Returns `w` or `l` with a number, `pixel` or `preheader`. */
function placeholderKey(name: string): string {
  return name.replace(/^(w|l)\D+/, '$1')
}

function charactersIn(key: string, body: DecoratedBody | undefined): number {
  const { html = [], text = [], links = [] } = body ?? {}
  return key.length + [...html, ...text, ...links.flat()].reduce((sum, piece) => sum + piece.length, 0)
}

/** Makes an unpredictable prefix. Otherwise `&#122;` or capitals in a body could become a placeholder while it is decorated. */
function placeholderPrefix(html: string): string {
  for (let n = 0; ; n++) {
    const prefix = `zqx${createHash('sha256').update(html).update(String(n)).digest('hex').slice(0, 8)}`
    if (!html.includes(prefix)) return prefix
  }
}

function countWordPlaceholders(texts: readonly string[], prefix: string): number {
  const pattern = new RegExp(`${prefix}word\\d+x`, 'g')
  return texts.reduce((count, text) => count + (text.match(pattern)?.length ?? 0), 0)
}
