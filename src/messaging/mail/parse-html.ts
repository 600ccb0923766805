import type { DefaultTreeAdapterTypes as Tree } from 'parse5'
import { elementsDeepMax, elementsMax, type MailLibraries } from './mail-libraries.ts'

/** Of a body, rendered: as many as its template may have. */
export const bodyCharactersMax = 1_048_576
/** Attributes of one element: inlining takes the square of them. */
export const attributesMax = 1_000

/** A stretch of a source, from its first character to behind its last. */
export type SourceRange = { readonly from: number; readonly to: number }

/** What composing needs to know of a piece of HTML, by places in its source. */
export type ParsedHtml = {
  /** Where the content of `<body>` begins and ends, and whether it has no tag; absent in a document without one (`<frameset>`). */
  readonly body?: { readonly opening: number; readonly closing: number; readonly isImplied: boolean }
  /** Each `href` of a link, attribute and all; links that say `data-no-track` are left out. */
  readonly links: readonly (SourceRange & { readonly target: string })[]
  /** `<style>` of `<head>` and `<body>`, its start tag; `media` as it stands. */
  readonly styles: readonly { readonly at: number; readonly media: string; readonly css: string }[]
  /** Comments that are not written as such: `<![if !mso]>`. */
  readonly bogusComments: readonly SourceRange[]
  readonly doctype?: SourceRange
  readonly elements: number
  /** Mistakes that a parser forgives, a missing doctype not counted. */
  readonly mistakes: number
  /** Texts between elements, but those of elements that hold no HTML. */
  readonly texts: readonly string[]
  /** `href` of every link. */
  readonly hrefs: readonly string[]
}

/** HTML that would take too long. The message completes "the body ...". */
export type TooComplex = { readonly tooComplex: string }

class Limit extends Error {}

const silent: ReadonlySet<string> = new Set([
  ...[
    'style',
    'script',
    'title',
    'textarea',
    'xmp',
    'iframe',
    'noembed',
    'noframes',
    'noscript',
    'plaintext',
    'template',
  ],
])

/** Parses a body once. What is beyond a limit is told, whatever parsing it would have cost. */
export function parseHtml(html: string, { parse5 }: MailLibraries): ParsedHtml | TooComplex {
  let elements = 0
  let deep = 0
  let mistakes = 0
  const { defaultTreeAdapter } = parse5
  const treeAdapter = {
    ...defaultTreeAdapter,
    createElement(...asked: Parameters<typeof defaultTreeAdapter.createElement>) {
      if (++elements > elementsMax) throw new Limit(`has more than ${elementsMax} elements`)
      if (asked[2].length > attributesMax) throw new Limit(`has more than ${attributesMax} attributes in one element`)
      return defaultTreeAdapter.createElement(...asked)
    },
    onItemPush() {
      if (++deep > elementsDeepMax) throw new Limit(`has elements more than ${elementsDeepMax} deep`)
    },
    onItemPop() {
      deep--
    },
  }
  try {
    const document = parse5.parse(html, {
      treeAdapter,
      sourceCodeLocationInfo: true,
      onParseError({ code }) {
        if (code !== parse5.ErrorCodes.missingDoctype) mistakes++
      },
    })
    return { ...walk(document, html), elements, mistakes }
  } catch (error) {
    if (error instanceof Limit) return { tooComplex: error.message }
    throw error
  }
}

type Found = Omit<ParsedHtml, 'elements' | 'mistakes'>

function walk(document: Tree.Document, html: string): Found {
  const links = new Map<number, SourceRange & { target: string }>()
  const styles: { at: number; media: string; css: string }[] = []
  const bogusComments: SourceRange[] = []
  const texts: string[] = []
  const hrefs: string[] = []
  let doctype: SourceRange | undefined
  let body: Tree.Element | undefined
  const open: Tree.ChildNode[] = document.childNodes.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeName === '#documentType') doctype = stretchOf(node)
    else if (node.nodeName === '#comment') {
      const stretch = stretchOf(node)
      if (stretch && !html.startsWith('<!--', stretch.from)) bogusComments.push(stretch)
    } else if ('value' in node) {
      if (!silent.has(node.parentNode?.nodeName ?? '')) texts.push(node.value)
    } else if ('tagName' in node) {
      if (node.tagName === 'body') body ??= node
      if (node.tagName === 'style') styles.push(...styleOf(node))
      const link = linkOf(node)
      if (link && !links.has(link.from)) hrefs.push(link.target)
      if (link) links.set(link.from, link)
      for (const child of node.childNodes.toReversed()) open.push(child)
    }
  }
  const inOrder = [...links.values()].sort((a, b) => a.from - b.from)
  return {
    links: inOrder,
    styles,
    bogusComments,
    texts,
    hrefs,
    ...(doctype && { doctype }),
    ...(body && { body: bodyOf(body, html) }),
  }
}

function linkOf(element: Tree.Element): (SourceRange & { target: string }) | undefined {
  if (element.tagName !== 'a' && element.tagName !== 'area') return undefined
  const place = element.sourceCodeLocation?.attrs?.href
  if (!place || element.attrs.some(({ name }) => name === 'data-no-track')) return undefined
  const target = element.attrs.find(({ name }) => name === 'href')!.value
  return { from: place.startOffset, to: place.endOffset, target: target.trim() }
}

function styleOf(element: Tree.Element): { at: number; media: string; css: string }[] {
  const at = element.sourceCodeLocation?.startOffset
  if (at === undefined) return []
  const media = element.attrs.find(({ name }) => name === 'media')?.value ?? ''
  const css = element.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
  return [{ at, media, css }]
}

function bodyOf(body: Tree.Element, html: string): Required<ParsedHtml>['body'] {
  const place = body.sourceCodeLocation
  const end = /<\/html\s*>\s*$/i.exec(html)?.index ?? html.length
  const closing = place?.endTag?.startOffset ?? end
  const first = body.childNodes.flatMap((child) => child.sourceCodeLocation?.startOffset ?? [])
  const opening = place?.startTag?.endOffset ?? Math.min(...first, closing)
  return { opening, closing: Math.max(opening, closing), isImplied: !place?.startTag }
}

function stretchOf({ sourceCodeLocation: place }: Tree.Node): SourceRange | undefined {
  return place ? { from: place.startOffset, to: place.endOffset } : undefined
}

export type SourceEdit = SourceRange & { readonly text: string }

/** The source with its edits, which do not overlap. */
export function applyEdits(html: string, edits: readonly SourceEdit[]): string {
  let at = 0
  const pieces: string[] = []
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    pieces.push(html.slice(at, from), text)
    at = to
  }
  return pieces.join('') + html.slice(at)
}
