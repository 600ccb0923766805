import { isWithin, type Path, parsePath } from './path.ts'

/** What is wrong with the value at a path, in the words of the server. */
export type Mistake = { readonly path: Path; readonly message: string }

/** Reads mistakes as the server sends them. One whose path cannot be read is about the whole document. Pure. */
export function readMistakes(given: readonly { readonly path: string; readonly message: string }[]): Mistake[] {
  return given.map(({ path, message }) => {
    const read = parsePath(path)
    return read ? { path: read, message } : { path: [], message: `${path} ${message}` }
  })
}

/** Returns the mistakes of a value and of all that is in it. Pure. */
export function mistakesWithin(mistakes: readonly Mistake[], path: Path): Mistake[] {
  return mistakes.filter((mistake) => isWithin(mistake.path, path))
}

/** Returns what is wrong with a value, or with something in it, as one text; undefined when nothing is. Pure. */
export function problemAt(mistakes: readonly Mistake[], path: Path): string | undefined {
  return textOf(mistakesWithin(mistakes, path))
}

/** Returns the mistakes of a value and of all that is in it, without those of the parts that show their own. Pure. */
export function problemBeside(mistakes: readonly Mistake[], path: Path, parts: readonly Path[]): string | undefined {
  const own = mistakesWithin(mistakes, path).filter((mistake) => !parts.some((each) => isWithin(mistake.path, each)))
  return textOf(own)
}

function textOf(mistakes: readonly Mistake[]): string | undefined {
  return mistakes.length === 0 ? undefined : mistakes.map(({ message }) => sentenceOf(message)).join(' ')
}

/** Messages begin after the path: `must be one of ...`. */
function sentenceOf(message: string): string {
  return /[.!?]$/.test(message) ? `It ${message}` : `It ${message}.`
}
