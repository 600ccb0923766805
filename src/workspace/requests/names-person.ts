/** Longer texts are not split into words: identifiers stand alone, or in short messages. */
const splitCharactersMax = 2_000

const stringsAndNumbers = /"((?:[^"\\]|\\.)*)"|-?\d+/gs
const addresses = /[^\s@<>"'`,;:()[\]{}\\]+@[^\s@<>"'`,;:()[\]{}\\]+/g

/** Returns an identifier, or a text that may be one, in the form in which they are compared. Pure. */
export function comparable(text: string): string {
  if (text.includes('@')) return text.trim().toLowerCase()
  return /^\+?[\d\s().-]{7,40}$/.test(text) ? text.replaceAll(/[\s().-]/g, '') : text.trim()
}

/** Whether a body has one of these identifiers in it. A body that is cut may end within one. Pure. */
export function bodyNames(body: string, isCut: boolean, identifiers: ReadonlySet<string>): boolean {
  for (const [whole, quoted] of body.matchAll(stringsAndNumbers)) {
    if (quoted === undefined ? identifiers.has(whole) : textNames(unescaped(quoted), identifiers)) return true
  }
  return isCut && tailNames(body, identifiers)
}

/** Whether the path or the query of a URL has one of these identifiers in it. Pure. */
export function urlNames(url: string, identifiers: ReadonlySet<string>): boolean {
  return url.split(/[/?&=]/).some((piece) => {
    // A plus sign is a space, or a plus sign that was not encoded.
    return [piece, piece.replaceAll('+', ' ')].some((text) => textNames(decoded(text), identifiers))
  })
}

/** Whether a text is one of these identifiers, or has it as a word. Pure. */
export function textNames(text: string, identifiers: ReadonlySet<string>): boolean {
  if (identifiers.has(comparable(text))) return true
  if (text.length > splitCharactersMax) return false
  if ((text.match(addresses) ?? []).some((address) => identifiers.has(comparable(address)))) return true
  if (!/[\s'"`:]/.test(text)) return false
  return text.split(/[\s'"`:]+/).some((word) => identifiers.has(comparable(word.replace(/[.,;!?)]+$/, ''))))
}

function tailNames(body: string, identifiers: ReadonlySet<string>): boolean {
  const tail = comparable(unescaped(body.slice(body.lastIndexOf('"') + 1)))
  return tail !== '' && identifiers.values().some((identifier) => identifier.startsWith(tail))
}

/** Returns a string of JSON without its escapes. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    // It is not JSON, or it is cut within an escape.
    return text
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // It is not percent-encoded.
    return text
  }
}
