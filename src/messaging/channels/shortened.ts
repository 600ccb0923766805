/** Characters of a text in lists. */
const titleCharactersMax = 100

/** Returns the beginning of a text in one line, for lists. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= titleCharactersMax ? line : `${line.slice(0, titleCharactersMax - 3).toWellFormed()}...`
}
