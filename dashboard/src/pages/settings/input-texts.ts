/** Reads a number as it is typed. What is no number yet stays a text, and the server says so if it is sent. Pure. */
export function readNumber(text: string): number | string {
  const number = Number(text)
  return text.trim() !== '' && String(number) === text ? number : text
}

/** Writes an object of numbers, one a line: `gmail.com 20`. Pure. */
export function writePairs(value: unknown): string {
  return Object.entries((value ?? {}) as object)
    .map(([name, number]) => `${name} ${number}`.trimEnd())
    .join('\n')
}

/** Reads the same. A line without a number has an empty text as its value. Undefined without any line. Pure. */
export function readPairs(text: string): Record<string, number | string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return undefined
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', number = ''] = /^\s*(\S+)\s*(.*?)\s*$/.exec(line) ?? []
      return [name, readNumber(number)]
    }),
  )
}
