/** A piece of a filter or of a path, and where it begins. `end` stands after the last one. */
export type Token = { readonly at: number } & (
  | { readonly kind: 'word' | 'text'; readonly text: string }
  | { readonly kind: '(' | ')' | '[' | ']' | 'end' }
)

/** What is wrong with a filter or a path, and at which character, from 0. */
export type TextMistake = { readonly at: number; readonly message: string }

const blank = /[ \t\r\n]+/y
const word = /[^\s()[\]"']+/y
const quoted = /"((?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*)"/uy
/** As some clients write texts. */
const singleQuoted = /'((?:[^'\\\p{Cc}]|\\(?:['"\\/bfnrt]|u[\da-fA-F]{4}))*)'/uy

export function tokensOf(text: string): { tokens: Token[] } | { mistake: TextMistake } {
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
        ? 'this text has no end, or an escape that JSON does not know'
        : 'this character is not known'
      return { mistake: { at, message } }
    }
    const content = isQuoted ? unescaped(found[1]!) : found[0]
    if (!isStorable(content)) return { mistake: { at, message: 'this holds a character that no text has' } }
    tokens.push({ kind: isQuoted ? 'text' : 'word', text: content, at })
    at += found[0].length
  }
  tokens.push({ kind: 'end', at: text.length })
  return { tokens }
}

/** In single quotes a quotation mark stands for itself, and the apostrophe has an escape that JSON does not know. */
function unescaped(content: string): string {
  const json = content.replace(/\\.|"/g, (piece) => (piece === '"' ? '\\"' : piece === "\\'" ? "'" : piece))
  return JSON.parse(`"${json}"`)
}

/** Neither NUL nor half of a character: what both databases can hold. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
