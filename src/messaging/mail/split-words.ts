/** Comments and tags, as far as they can be found without parsing. Text that is mistaken for a tag only causes more frames. */
const markup = /<!--[\s\S]*?(?:-->|$)|<[a-zA-Z/!?][^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*>?/g
const rawTextElement = /^<(style|script|title|textarea|xmp|iframe|noembed|noframes|noscript|plaintext|template)\b/i
/** References to characters, and words without signs of HTML or CSS and without white space that could be lost. */
const wording = /&[#\w]*;?|[^\s<>&"'`=\p{C}\p{Z}]+(?: [^\s<>&"'`=\p{C}\p{Z}]+)*/gu
/** The query of a link, and the values in it. */
const linkQuery = /^<a(?:rea)?\s(?:[^"'<>]*\s)?href="https?:[^"?#]*\?([^"]*)"/i
const queryValues = /(?<==)[\w.~%+@:,-]+(?=[&#]|$)/g
/** The longest query whose values are split off. It is far below `trackedLinkCharactersMax`, so no value makes a link too long. */
const queryCharactersMax = 2_000

/** Words or the value of a query, and its offset in the source. */
type Words = { readonly from: number; readonly text: string }

/** Splits a body into words and the frame around them: `frame` has one piece more than `words`, and word `i` follows piece `i`. */
export function splitWords(html: string): { frame: string[]; words: string[] } {
  const found: Words[] = []
  const queries: Words[] = []
  let hasAddress = false
  const takeText = (from: number, to: number) => {
    const text = html.slice(from, to)
    // The text part omits a link's URL if the URL is also the link's text, so both stay in the frame.
    if (text.includes('://') || text.includes('@')) hasAddress = true
    else takeWords(text, from, found)
  }
  let at = 0
  markup.lastIndex = 0
  for (let tag = markup.exec(html); tag; tag = markup.exec(html)) {
    if (tag.index > at) takeText(at, tag.index)
    const [, name] = rawTextElement.exec(tag[0]) ?? []
    if (name) markup.lastIndex = endOfElement(name, html, markup.lastIndex)
    else takeQuery(tag[0], tag.index, queries)
    at = markup.lastIndex
  }
  takeText(at, html.length)
  return cut(html, hasAddress ? found : [...found, ...queries].sort((a, b) => a.from - b.from))
}

function takeWords(text: string, from: number, found: Words[]): void {
  // `matchAll` would make a new pattern for each call, which is half of the work of composing.
  wording.lastIndex = 0
  for (let match = wording.exec(text); match; match = wording.exec(text)) {
    const [words] = match
    if (!words.startsWith('&')) found.push({ from: from + match.index, text: words })
  }
}

function takeQuery(tag: string, at: number, queries: Words[]): void {
  const link = linkQuery.exec(tag)
  if (!link || link[1]!.length > queryCharactersMax) return
  const from = at + link[0].length - 1 - link[1]!.length
  for (const { 0: text, index } of link[1]!.matchAll(queryValues)) queries.push({ from: from + index, text })
}

function cut(html: string, found: readonly Words[]): { frame: string[]; words: string[] } {
  const frame: string[] = []
  let end = 0
  for (const { from, text } of found) {
    frame.push(html.slice(end, from))
    end = from + text.length
  }
  frame.push(html.slice(end))
  return { frame, words: found.map(({ text }) => text) }
}

function endOfElement(name: string, html: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? html.length
}
