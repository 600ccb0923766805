import type { DefaultTreeAdapterTypes as Tree } from 'parse5'
import { elementsDeepMax, elementsMax, type MailLibraries } from './mail-libraries.ts'

/** The longest rendered body: as long as a template may be. */
export const bodyCharactersMax = 1_048_576
/** The most attributes of one element. The inliner takes time in the square of them. */
export const elementAttributesMax = 1_000

/** A part of a source. `to` is the offset after its last character. */
export type SourceRange = { readonly from: number; readonly to: number }

/** What composing needs to know about a body. Numbers are offsets in its source. */
export type ParsedHtml = {
  /** Where the content of `<body>` begins and ends, and whether the tag is missing; absent in a document with a `<frameset>`. */
  readonly body?: { readonly opening: number; readonly closing: number; readonly isImplied: boolean }
  /** The `href` attributes of links in their order, without links that have `data-no-track`. */
  readonly links: readonly (SourceRange & { readonly target: string })[]
  /** The `<style>` elements of `<head>` and `<body>`; `at` is the offset of the start tag. */
  readonly styles: readonly { readonly at: number; readonly media: string; readonly css: string }[]
  /** Comments that do not begin with `<!--`, such as `<![if !mso]>`. */
  readonly bogusComments: readonly SourceRange[]
  readonly doctype?: SourceRange
  readonly elements: number
  /** The number of parse errors. A missing doctype is not counted. */
  readonly mistakes: number
  /** The texts between elements, except in elements whose content is not HTML. */
  readonly texts: readonly string[]
  /** The `href` of every link. */
  readonly hrefs: readonly string[]
}

/** The body would take too long to process. The message completes "the body ...". */
export type TooComplex = { readonly tooComplex: string }

class LimitError extends Error {}

const rawTextElements: ReadonlySet<string> = new Set([
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

/** Parses a body. Stops as soon as a limit is exceeded. */
export function parseHtml(html: string, { parse5 }: MailLibraries): ParsedHtml | TooComplex {
  let elements = 0
  let depth = 0
  let mistakes = 0
  const { defaultTreeAdapter } = parse5
  const treeAdapter = {
    ...defaultTreeAdapter,
    createElement(...created: Parameters<typeof defaultTreeAdapter.createElement>) {
      if (++elements > elementsMax) throw new LimitError(`has more than ${elementsMax} elements`)
      if (created[2].length > elementAttributesMax)
        throw new LimitError(`has more than ${elementAttributesMax} attributes in one element`)
      return defaultTreeAdapter.createElement(...created)
    },
    onItemPush() {
      if (++depth > elementsDeepMax) throw new LimitError(`has elements more than ${elementsDeepMax} deep`)
    },
    onItemPop() {
      depth--
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
    if (error instanceof LimitError) return { tooComplex: error.message }
    throw error
  }
}

type WalkedHtml = Omit<ParsedHtml, 'elements' | 'mistakes'>

function walk(document: Tree.Document, html: string): WalkedHtml {
  const links = new Map<number, SourceRange & { target: string }>()
  const styles: { at: number; media: string; css: string }[] = []
  const bogusComments: SourceRange[] = []
  const texts: string[] = []
  const hrefs: string[] = []
  let doctype: SourceRange | undefined
  let body: Tree.Element | undefined
  const open: Tree.ChildNode[] = document.childNodes.toReversed()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeName === '#documentType') doctype = rangeOf(node)
    else if (node.nodeName === '#comment') {
      const range = rangeOf(node)
      if (range && !html.startsWith('<!--', range.from)) bogusComments.push(range)
    } else if ('value' in node) {
      if (!rawTextElements.has(node.parentNode?.nodeName ?? '')) texts.push(node.value)
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
  const location = element.sourceCodeLocation?.attrs?.href
  if (!location || element.attrs.some(({ name }) => name === 'data-no-track')) return undefined
  const target = element.attrs.find(({ name }) => name === 'href')!.value
  return { from: location.startOffset, to: location.endOffset, target: target.trim() }
}

function styleOf(element: Tree.Element): { at: number; media: string; css: string }[] {
  const at = element.sourceCodeLocation?.startOffset
  if (at === undefined) return []
  const media = element.attrs.find(({ name }) => name === 'media')?.value ?? ''
  const css = element.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
  return [{ at, media, css }]
}

function bodyOf(body: Tree.Element, html: string): Required<ParsedHtml>['body'] {
  const location = body.sourceCodeLocation
  const end = /<\/html\s*>\s*$/i.exec(html)?.index ?? html.length
  const closing = location?.endTag?.startOffset ?? end
  const first = body.childNodes.reduce(
    (at, child) => Math.min(at, child.sourceCodeLocation?.startOffset ?? at),
    closing,
  )
  const opening = location?.startTag?.endOffset ?? first
  return { opening, closing: Math.max(opening, closing), isImplied: !location?.startTag }
}

function rangeOf({ sourceCodeLocation: location }: Tree.Node): SourceRange | undefined {
  return location ? { from: location.startOffset, to: location.endOffset } : undefined
}

export type SourceEdit = SourceRange & { readonly text: string }

/** Returns the source with the edits, which must not overlap. */
export function applyEdits(html: string, edits: readonly SourceEdit[]): string {
  let at = 0
  const pieces: string[] = []
  for (const { from, to, text } of edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    pieces.push(html.slice(at, from), text)
    at = to
  }
  return pieces.join('') + html.slice(at)
}
