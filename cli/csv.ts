/** One record of a CSV text, or the problem with it, and the number of its first line, from 1. */
export type CsvRecord =
  | { line: number; fields: readonly string[]; problem?: undefined }
  | { line: number; problem: string }

/** The most characters of one record, including quotes and commas. */
export const recordCharactersMax = 1024 * 1024
export const fieldsMax = 1_000

const quote = '"'

/**
 * Reads CSV according to RFC 4180: commas separate fields; a field in quotes may have commas, line ends and doubled quotes in it. A record
 * ends with CRLF or LF. Empty lines are skipped. A malformed record is a problem, and reading continues with the next line.
 */
export async function* readCsv(text: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  const reader = new CsvReader()
  for await (const piece of text) yield* reader.take(piece)
  yield* reader.end()
}

/** The position in a field: at its start, in a field without quotes, in quotes, after them, or after an error. */
type State = 'start' | 'plain' | 'quoted' | 'closed' | 'broken'

class CsvReader {
  #records: CsvRecord[] = []
  #state: State = 'start'
  #problem = ''
  #fields: string[] = []
  #field = ''
  #characters = 0
  /** Whether the last character outside quotes was a carriage return: a line feed must follow. */
  #returned = false
  #line = 1
  #recordLine = 1

  /** Returns the records that end in this piece of the text. */
  take(piece: string): CsvRecord[] {
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at]!
      this.#characters++
      if (character === '\n') this.#line++
      if (character === '\n' && this.#state !== 'quoted') this.#finish()
      else this.#read(character)
    }
    return this.#given()
  }

  end(): CsvRecord[] {
    if (this.#state === 'quoted') this.#break('has a quote that is not closed')
    if (this.#characters > 0) this.#finish()
    return this.#given()
  }

  #given(): CsvRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  #read(character: string): void {
    if (this.#characters > recordCharactersMax) this.#break(`has more than ${recordCharactersMax} characters`)
    if (this.#state === 'broken') return
    if (this.#state === 'quoted') this.#readQuoted(character)
    else if (this.#returned) this.#break('has a carriage return without a line feed')
    else if (character === '\r') this.#returned = true
    else if (character === ',') this.#endField()
    else if (character === quote) this.#open()
    else if (this.#state === 'closed') this.#break('has text between a closing quote and the next comma')
    else {
      this.#state = 'plain'
      this.#field += character
    }
  }

  #readQuoted(character: string): void {
    if (character === quote) this.#state = 'closed'
    else this.#field += character
  }

  #open(): void {
    if (this.#state === 'plain') this.#break('has a quote in a field that does not begin with one')
    else {
      // Two quotes in a quoted field mean one.
      if (this.#state === 'closed') this.#field += quote
      this.#state = 'quoted'
    }
  }

  #endField(): void {
    this.#fields.push(this.#field)
    this.#field = ''
    this.#state = 'start'
    if (this.#fields.length > fieldsMax) this.#break(`has more than ${fieldsMax} fields`)
  }

  #break(problem: string): void {
    if (this.#state !== 'broken') this.#problem = problem
    this.#state = 'broken'
  }

  #finish(): void {
    const line = this.#recordLine
    const isEmpty = this.#state === 'start' && this.#fields.length === 0
    if (!isEmpty && this.#state !== 'broken') this.#endField()
    if (this.#state === 'broken') this.#records.push({ line, problem: this.#problem })
    else if (!isEmpty) this.#records.push({ line, fields: this.#fields })
    this.#state = 'start'
    this.#fields = []
    this.#field = ''
    this.#characters = 0
    this.#returned = false
    this.#recordLine = this.#line
  }
}
