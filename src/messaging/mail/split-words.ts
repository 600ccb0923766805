/** Comments and tags, as far as can be told without parsing: what is taken for one too many only makes more shapes. */
const markup = /<!--[\s\S]*?(?:-->|$)|<[a-zA-Z/!?][^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*>?/g
const holdsNoHtml = /^<(style|script|title|textarea|xmp|iframe|noembed|noframes|noscript|plaintext|template)\b/i
/** References to characters, and words in which nothing is a sign of HTML, CSS or white space that could be lost. */
const wording = /&[#\w]*;?|[^\s<>&"'`=\p{C}\p{Z}]+(?: [^\s<>&"'`=\p{C}\p{Z}]+)*/gu
/** The query of a link, and in it values. */
const linkQuery = /^<a(?:rea)?\s(?:[^"'<>]*\s)?href="https?:[^"?#]*\?([^"]*)"/i
const values = /(?<==)[\w.~%+@:,-]+(?=[&#]|$)/g
/** Of a query whose values are told apart: far from the longest link that is counted. */
const queryCharactersMax = 2_000

/** A piece of the source that may be another for somebody else. */
type Run = { readonly from: number; readonly words: string }

/** A body without its words: `frame` has one piece more than there are `runs`, and between two of them is a run. */
export function splitWords(html: string): { frame: string[]; runs: string[] } {
  const found: Run[] = []
  const queries: Run[] = []
  let saysAddress = false
  const takeWords = (from: number, to: number) => {
    const text = html.slice(from, to)
    // An address as the text of a link is not repeated in the text part: there the words matter, and those of the link.
    if (text.includes('://') || text.includes('@')) saysAddress = true
    else takeRuns(text, from, found)
  }
  let at = 0
  markup.lastIndex = 0
  for (let tag = markup.exec(html); tag; tag = markup.exec(html)) {
    if (tag.index > at) takeWords(at, tag.index)
    const [, name] = holdsNoHtml.exec(tag[0]) ?? []
    if (name) markup.lastIndex = endOf(name, html, markup.lastIndex)
    else takeQuery(tag[0], tag.index, queries)
    at = markup.lastIndex
  }
  takeWords(at, html.length)
  return cut(html, saysAddress ? found : [...found, ...queries].sort((a, b) => a.from - b.from))
}

function takeRuns(text: string, from: number, found: Run[]): void {
  // Not `matchAll`, which makes another pattern each time: half of the work of composing.
  wording.lastIndex = 0
  for (let match = wording.exec(text); match; match = wording.exec(text)) {
    const [words] = match
    if (!words.startsWith('&')) found.push({ from: from + match.index, words })
  }
}

function takeQuery(tag: string, at: number, queries: Run[]): void {
  const link = linkQuery.exec(tag)
  if (!link || link[1]!.length > queryCharactersMax) return
  const from = at + link[0].length - 1 - link[1]!.length
  for (const { 0: words, index } of link[1]!.matchAll(values)) queries.push({ from: from + index, words })
}

function cut(html: string, found: readonly Run[]): { frame: string[]; runs: string[] } {
  const frame: string[] = []
  let end = 0
  for (const { from, words } of found) {
    frame.push(html.slice(end, from))
    end = from + words.length
  }
  frame.push(html.slice(end))
  return { frame, runs: found.map(({ words }) => words) }
}

function endOf(name: string, html: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? html.length
}
