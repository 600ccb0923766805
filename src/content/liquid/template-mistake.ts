/** Why a text does not parse. Line and column count from 1 in the original text. */
export class TemplateMistake extends Error {
  readonly line: number
  readonly column: number

  constructor(message: string, position: TextPosition) {
    super(message)
    this.name = 'TemplateMistake'
    this.line = position.line
    this.column = position.column
  }
}

export type TextPosition = { line: number; column: number }

/** Returns line and column of an offset. Columns count UTF-16 units, as editors do. */
export function positionOf(text: string, offset: number): TextPosition {
  let line = 1
  let lineStart = 0
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', lineStart)) {
    line++
    lineStart = end + 1
  }
  return { line, column: offset - lineStart + 1 }
}
