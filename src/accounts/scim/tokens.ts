/** A token of a filter or a path; `at` is its index. The last token is `end`. */
export type Token = { readonly at: number } & (
  | { readonly kind: 'word' | 'text'; readonly text: string }
  | { readonly kind: '(' | ')' | '[' | ']' | 'end' }
)

/** A mistake in a filter or a path; `at` is the index of the character. */
export type TextMistake = { readonly at: number; readonly message: string }

const blank = /[ \t\r\n]+/y
const word = /[^\s()[\]"']+/y
const quoted = /"((?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*)"/uy
/** Some clients write texts in single quotes. */
const singleQuoted = /'((?:[^'\\\p{Cc}]|\\(?:['"\\/bfnrt]|u[\da-fA-F]{4}))*)'/uy

export function tokenize(text: string): { tokens: Token[] } | { mistake: TextMistake } {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  while (at < text.length) {
    const character = text[at]!
    const space = take(blank)
    if (space) {
      at += space[0].length
      continue
    }
    if (character === '(' || character === ')' || character === '[' || character === ']') {
      tokens.push({ kind: character, at })
      at++
      continue
    }
    const isQuoted = character === '"' || character === "'"
    const found = isQuoted ? take(character === '"' ? quoted : singleQuoted) : take(word)
    if (found === null) {
      const message = isQuoted
        ? 'this text is not closed, or has an escape that JSON does not know'
        : 'this character is not known'
      return { mistake: { at, message } }
    }
    const content = isQuoted ? unescaped(found[1]!) : found[0]
    if (!isStorableText(content))
      return { mistake: { at, message: 'this has a character that is not allowed in text' } }
    tokens.push({ kind: isQuoted ? 'text' : 'word', text: content, at })
    at += found[0].length
  }
  tokens.push({ kind: 'end', at: text.length })
  return { tokens }
}

/** In single quotes a double quote needs no escape, and an apostrophe has one that JSON does not know. */
function unescaped(content: string): string {
  const json = content.replace(/\\.|"/g, (piece) => (piece === '"' ? '\\"' : piece === "\\'" ? "'" : piece))
  return JSON.parse(`"${json}"`)
}

/** Whether a text has neither NUL nor unpaired surrogates, which the database cannot store. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
