/** The most bytes and records of a part. They are less than the server takes, so that the last record fits too. */
const partBytesMax = 900_000
const partRecordsMax = 4_000

/** A part of a CSV file: whole records, and how many bytes of the file were read with it. */
export type CsvPart = { readonly csv: string; readonly bytesRead: number }

/** Cuts a CSV file into parts of whole records. A line break in quotes ends no record. Throws a TypeError when the file is not UTF-8. */
export async function* partsOf(file: Blob, separator: string, limits = { partBytesMax, partRecordsMax }) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const cutter = new Cutter(separator, limits)
  const reader = (file.stream() as ReadableStream<Uint8Array<ArrayBuffer>>).getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    yield* cutter.add(decoder.decode(read.value, { stream: true }))
  }
  yield* cutter.add(decoder.decode())
  yield* cutter.end()
}

/** Finds the ends of records in a text that arrives in pieces. */
class Cutter {
  readonly #separator: string
  readonly #limits: { readonly partBytesMax: number; readonly partRecordsMax: number }
  #text = ''
  /** How far the text has been looked at. */
  #at = 0
  /** The end of the last whole record, and the bytes until there. */
  #cut = 0
  #cutBytes = 0
  #bytes = 0
  #records = 0
  #bytesRead = 0
  #isInQuotes = false
  #isAtCellStart = true

  constructor(separator: string, limits: { readonly partBytesMax: number; readonly partRecordsMax: number }) {
    this.#separator = separator
    this.#limits = limits
  }

  *add(piece: string): Generator<CsvPart> {
    this.#text += piece
    // The last character is looked at with the next piece: it may be the first half of a line break or of doubled quotes.
    while (this.#at < this.#text.length - 1) {
      this.#step()
      if (this.#isFull()) yield this.#take(this.#cut, this.#cutBytes)
    }
  }

  *end(): Generator<CsvPart> {
    while (this.#at < this.#text.length) {
      this.#step()
      if (this.#isFull()) yield this.#take(this.#cut, this.#cutBytes)
    }
    if (this.#text !== '') yield this.#take(this.#text.length, this.#bytes)
  }

  #isFull(): boolean {
    const { partBytesMax: bytesMax, partRecordsMax: recordsMax } = this.#limits
    return this.#cut > 0 && (this.#bytes >= bytesMax || this.#records >= recordsMax)
  }

  /** Looks at one character, or at two that belong together. */
  #step(): void {
    const character = this.#text[this.#at]!
    const next = this.#text[this.#at + 1]
    if (this.#isInQuotes) {
      if (character === '"' && next === '"') this.#move(2)
      else {
        this.#isInQuotes = character !== '"'
        this.#move(1)
      }
      return
    }
    this.#isInQuotes = character === '"' && this.#isAtCellStart
    const isLineEnd = character === '\n' || character === '\r'
    this.#isAtCellStart = isLineEnd || character === this.#separator
    this.#move(character === '\r' && next === '\n' ? 2 : 1)
    if (isLineEnd) {
      this.#cut = this.#at
      this.#cutBytes = this.#bytes
      this.#records += 1
    }
  }

  #move(characters: number): void {
    for (let i = 0; i < characters; i++) this.#bytes += bytesOf(this.#text.charCodeAt(this.#at + i))
    this.#at += characters
  }

  #take(end: number, bytes: number): CsvPart {
    const csv = this.#text.slice(0, end)
    this.#text = this.#text.slice(end)
    this.#at -= end
    this.#bytes -= bytes
    this.#bytesRead += bytes
    this.#cut = 0
    this.#records = 0
    return { csv, bytesRead: this.#bytesRead }
  }
}

/** The bytes of a UTF-16 code unit in UTF-8. Half of a surrogate pair counts as two. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1
  return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3
}

/** Returns the beginning of a file as whole lines, to look at its header. */
export async function beginningOf(file: Blob, bytesMax = 65_536, linesMax = 200): Promise<string> {
  const text = await file.slice(0, bytesMax).text()
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/)
  const whole = file.size > bytesMax && lines.length > 1 ? lines.slice(0, -1) : lines
  return whole.slice(0, linesMax).join('')
}
