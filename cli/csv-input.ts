const lineFeed = 10
const carriageReturn = 13
const pieceBytesMin = 128
const pieceBytesMax = 64 * 1024

/**
 * The bytes of a CSV text for parsers, one after the other. It keeps the bytes after the last record for the next parser. It counts lines,
 * because a parser counts a CRLF in quotes twice.
 */
export class CsvInput {
  readonly #text: AsyncIterator<string>
  /** The bytes after the last record. */
  #kept: Buffer[] = []
  /** How many bytes of this parser come before those that are kept. */
  #taken = 0
  /** The number of the line at which the kept bytes begin. */
  #line = 1
  #pulling: Promise<Buffer | undefined> | undefined

  constructor(text: AsyncIterable<string>) {
    this.#text = text[Symbol.asyncIterator]()
  }

  /**
   * Yields what is kept, and then the rest, until `isOver`. The pieces are small at first, because a parser that has found an error still
   * reads the piece with the error.
   */
  async *pieces(isOver: () => boolean): AsyncGenerator<Buffer> {
    let size = pieceBytesMin
    const kept = [...this.#kept]
    for (let piece = kept.shift() ?? (await this.#pull()); piece; piece = kept.shift() ?? (await this.#pull())) {
      for (let at = 0; at < piece.length; size = Math.min(size * 2, pieceBytesMax)) {
        if (isOver()) return
        yield piece.subarray(at, at + size)
        at += size
      }
    }
  }

  /** Takes the record that ends after `end` bytes of this parser. Returns its first line, and its bytes and text without the line end. */
  takeRecord(end: number): { readonly line: number; readonly bytes: number; readonly text: string } {
    let line: number | undefined
    let [bytes, ending] = [0, 0]
    const taken: Buffer[] = []
    while (this.#taken < end && this.#kept.length > 0) {
      const whole = this.#kept[0]!
      const piece = whole.subarray(0, end - this.#taken)
      taken.push(piece)
      for (const byte of piece) {
        const isEnd = byte === lineFeed || byte === carriageReturn
        if (!isEnd) line ??= this.#line
        if (byte === lineFeed) this.#line++
        if (line !== undefined) bytes++
        ending = isEnd ? ending + 1 : 0
      }
      if (piece.length === whole.length) this.#kept.shift()
      else this.#kept[0] = whole.subarray(piece.length)
      this.#taken += piece.length
    }
    return { line: line ?? this.#line, bytes: bytes - ending, text: textOf(taken) }
  }

  /**
   * Takes a record with an error up to the end of the line with the error. `lines` is the number of line ends before the error, as the
   * parser counts them. Returns the first line of the record, and the text that was taken.
   */
  async skipRecord(lines: number): Promise<{ readonly line: number; readonly text: string }> {
    // A piece that an earlier parser waits for is kept too.
    await this.#pulling
    let first: number | undefined
    let [left, previous] = [lines, 0]
    const taken: Buffer[] = []
    for (let isOver = false; !isOver; ) {
      const piece = this.#kept[0] ?? (await this.#pull())
      if (piece === undefined) break
      let at = 0
      for (; at < piece.length && !isOver; at++) {
        const byte = piece[at]!
        if (byte !== lineFeed && byte !== carriageReturn) first ??= this.#line
        if (byte === lineFeed) {
          this.#line++
          isOver = first !== undefined && left <= 0
          if (first !== undefined) left -= previous === carriageReturn ? 2 : 1
        }
        previous = byte
      }
      taken.push(piece.subarray(0, at))
      if (at === piece.length) this.#kept.shift()
      else this.#kept[0] = piece.subarray(at)
    }
    this.#taken = 0
    return { line: first ?? this.#line, text: textOf(taken) }
  }

  /** Reads the next piece, once also when an earlier parser waits for it. */
  #pull(): Promise<Buffer | undefined> {
    this.#pulling ??= this.#text.next().then(({ done, value }) => {
      this.#pulling = undefined
      if (done) return undefined
      const piece = Buffer.from(value)
      this.#kept.push(piece)
      return piece
    })
    return this.#pulling
  }
}

/** Returns the text of a record without the line ends around it. */
function textOf(pieces: readonly Buffer[]): string {
  const text = (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)).toString()
  return text.replace(/^[\r\n]+/, '').replace(/[\r\n]+$/, '')
}
