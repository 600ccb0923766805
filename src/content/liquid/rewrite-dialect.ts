import { blockFilter, centerRoot, standardField, standardRoot, textTags } from './names.ts'
import { positionOf, TemplateMistake } from './template-mistake.ts'

/** The most levels of braces inside braces. Templates in use have one level. */
export const nestedBracesMax = 10
/** The most tags, outputs and `${}` in one template. */
export const markupMax = 10_000
/** The most characters of one tag or output, without strings and the text of text tags. */
export const expressionCharactersMax = 10_000

/** A template in the language of the engine, with positions in the original text. */
export type Rewritten = {
  text: string
  /** Returns the offset in the original text of an offset in `text`. */
  originOf(offset: number): number
  /** Names of the content blocks that the text mentions. */
  blocks: ReadonlySet<string>
  /** Names of the preference centers that the text mentions, each with the offset where the original mentions it first. */
  centers: ReadonlyMap<string, number>
}

const word = /[\w-]/
const tagName = /\{%-?\s*([a-z_]\w*|#)?/iy
const endRaw = /\{%(-?)\s*endraw\b/g
const endComment = /\{%-?\s*endcomment\b/g
const lineTag = /[^\S\n]*([a-z_]\w*)?/iy

/**
 * Rewrites the dialect of engagement platforms as Liquid: `${name}`, `root.${name}`, and braces inside braces. It changes only what is
 * inside `{{ }}` and `{% %}`, and no strings, comments or raw text. Throws a TemplateMistake.
 */
export function rewriteDialect(original: string, serviceName = 'service'): Rewritten {
  const rewriter = new Rewriter(original, serviceName)
  rewriter.run()
  return rewriter
}

class Rewriter implements Rewritten {
  readonly blocks = new Set<string>()
  readonly centers = new Map<string, number>()
  text = ''
  readonly #original: string
  readonly #serviceName: string
  /** The offset to read next, and the offset up to which the text has been written. */
  #at = 0
  #written = 0
  #depth = 0
  #markup = 0
  /** Characters of the current tag outside strings. */
  #plain = 0
  #hasEndComment = true
  /** Characters of `text` from `#textMarks[i]` on come from the original from `#originMarks[i]` on. */
  readonly #textMarks: number[] = [0]
  readonly #originMarks: number[] = [0]

  constructor(original: string, serviceName: string) {
    this.#original = original
    this.#serviceName = serviceName
  }

  run(): void {
    for (;;) {
      const brace = this.#original.indexOf('{', this.#at)
      if (brace === -1) break
      const next = this.#original[brace + 1]
      this.#at = brace + (next === '{' ? 2 : 1)
      if (next === '{' || next === '%') this.#count(brace)
      if (next === '{') this.#expression(this.#original.length, true)
      else if (next === '%') this.#tag(brace)
    }
    this.#write(this.#original.length)
  }

  originOf(offset: number): number {
    let low = 0
    let high = this.#textMarks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#textMarks[middle]! <= offset) low = middle
      else high = middle - 1
    }
    const since = offset - this.#textMarks[low]!
    // Inserted text has the positions of the replaced text, so the offset never passes the next mark.
    const next = this.#originMarks[low + 1] ?? this.#original.length
    return Math.min(this.#originMarks[low]! + since, Math.max(next, this.#originMarks[low]!))
  }

  /** Copies the original up to `end`. */
  #write(end: number): void {
    if (end <= this.#written) return
    this.#mark(this.#written)
    this.text += this.#original.slice(this.#written, end)
    this.#written = end
  }

  /** Writes `text` in place of the original up to `end`. */
  #replace(text: string, end: number): void {
    this.#mark(this.#written)
    this.text += text
    this.#written = end
    this.#mark(end)
  }

  #mark(origin: number): void {
    this.#textMarks.push(this.text.length)
    this.#originMarks.push(origin)
  }

  /** Counts tags and values. Each costs the engine time and memory, even if it is short. */
  #count(offset: number): void {
    this.#plain = 0
    if (++this.#markup > markupMax) throw this.#mistake(`there are more than ${markupMax} tags and values`, offset)
  }

  #mistake(message: string, offset: number): TemplateMistake {
    return new TemplateMistake(message, positionOf(this.#original, offset))
  }

  #tag(start: number): void {
    const end = this.#original.indexOf('%}', start + 1)
    tagName.lastIndex = start
    const name = tagName.exec(this.#original)?.[1]
    this.#at = end === -1 ? this.#original.length : end + 2
    if (end === -1) return
    if (name === 'raw') this.#skipRaw()
    else if (name === 'comment') this.#skipComment()
    else if (name === 'liquid') this.#lines(tagName.lastIndex, end)
    else if (name !== '#') this.#words(name, tagName.lastIndex, end)
    this.#at = Math.max(this.#at, end + 2)
  }

  #skipRaw(): void {
    endRaw.lastIndex = this.#at
    const found = endRaw.exec(this.#original)
    if (!found) {
      this.#at = this.#original.length
      return
    }
    // The engine does not support `{%- endraw`. Raw text is never trimmed, so the hyphen has no effect.
    if (found[1]) {
      this.#write(found.index)
      this.#replace('{%', found.index + 3)
    }
    this.#at = endRaw.lastIndex
  }

  #skipComment(): void {
    endComment.lastIndex = this.#at
    const found = this.#hasEndComment ? endComment.exec(this.#original) : null
    this.#hasEndComment = found !== null
    if (!found) return
    this.#write(this.#at)
    this.#replace('', found.index)
    this.#at = endComment.lastIndex
  }

  /** Rewrites the tags of a `{% liquid %}`, one on each line. */
  #lines(start: number, end: number): void {
    for (let from = start; from < end; ) {
      this.#count(from)
      const newline = this.#original.indexOf('\n', from)
      const lineEnd = newline === -1 || newline > end ? end : newline
      lineTag.lastIndex = from
      const name = lineTag.exec(this.#original)?.[1]
      this.#words(name, lineTag.lastIndex, lineEnd)
      from = lineEnd + 1
    }
  }

  #words(name: string | undefined, start: number, end: number): void {
    this.#at = start
    if (name === undefined || !textTags.has(name)) this.#expression(end, false)
    else this.#values(end)
  }

  /** Rewrites the `{{ }}` in a text tag. */
  #values(end: number): void {
    // Only this part is searched. With many such tags, each tag would otherwise search all the text after it.
    const words = this.#original.slice(0, end)
    for (;;) {
      const brace = words.indexOf('{{', this.#at)
      if (brace === -1) break
      this.#at = brace + 2
      this.#expression(end, true)
    }
  }

  /** Reads up to `end`, or past the closing `}}`. */
  #expression(end: number, closes: boolean): void {
    const original = this.#original
    while (this.#at < end) {
      const char = original[this.#at]
      if (++this.#plain > expressionCharactersMax)
        throw this.#mistake(`a tag or an output has more than ${expressionCharactersMax} characters`, this.#at)
      if (char === '"' || char === "'") this.#skipString(char, end)
      else if (char === '$' && original[this.#at + 1] === '{') this.#name(end)
      else if (char === '{' && original[this.#at + 1] === '{') this.#nested(end)
      else if (closes && char === '}' && original[this.#at + 1] === '}') {
        this.#at += 2
        return
      } else this.#at++
    }
  }

  #skipString(quote: string, end: number): void {
    for (this.#at++; this.#at < end; this.#at++) {
      const char = this.#original[this.#at]
      if (char === '\\') this.#at++
      else if (char === quote) break
    }
    this.#at = Math.min(this.#at + 1, end)
  }

  /** Rewrites a `{{ value | filter }}` inside a tag or an output as `(value | filter)`. */
  #nested(end: number): void {
    const original = this.#original
    const start = this.#at
    if (++this.#depth > nestedBracesMax) throw this.#mistake('braces are nested too deeply', start)
    this.#write(start)
    this.#at += original[start + 2] === '-' ? 3 : 2
    this.#replace('(', this.#at)
    this.#expression(end, true)
    if (original.slice(this.#at - 2, this.#at) !== '}}' || this.#at - 2 < start + 2)
      throw this.#mistake('braces inside a tag or an output are not closed', start)
    this.#write(this.#at - (original[this.#at - 3] === '-' ? 3 : 2))
    this.#replace(')', this.#at)
    this.#depth--
  }

  #name(end: number): void {
    const original = this.#original
    const start = this.#at
    if (++this.#markup > markupMax) throw this.#mistake(`there are more than ${markupMax} tags and values`, start)
    const close = original.indexOf('}', start)
    if (close === -1 || close >= end) throw this.#mistake('"${" is not closed', start)
    const name = original.slice(start + 2, close).trim()
    if (name === '') throw this.#mistake('"${}" names nothing', start)
    this.#at = close + 1
    const quoted = `"${name.replace(/["\\]/g, '\\$&')}"`
    if (original[start - 1] !== '.') {
      this.#write(start)
      this.#replace(`${standardRoot}["${standardField(name, this.#serviceName).replace(/["\\]/g, '\\$&')}"]`, close + 1)
      return
    }
    const root = this.#wordBefore(start - 1)
    if (root === centerRoot && !this.centers.has(name)) this.centers.set(name, start - 1 - root.length)
    if (root !== 'content_blocks') {
      this.#write(start - 1)
      this.#replace(`[${quoted}]`, close + 1)
      return
    }
    this.blocks.add(name)
    this.#write(start - 1 - root.length)
    this.#replace(`(${quoted} | ${blockFilter})`, close + 1)
  }

  #wordBefore(end: number): string {
    let start = end
    while (start > 0 && word.test(this.#original[start - 1]!)) start--
    return this.#original.slice(start, end)
  }
}
