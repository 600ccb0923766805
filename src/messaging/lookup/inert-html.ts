import type { DefaultTreeAdapterTypes as Tree } from 'parse5'
import { escapeHtml } from '../../base/http/page.ts'
import { loadMailLibraries } from '../mail/mail-libraries.ts'
import { applyEdits, type SourceEdit } from '../mail/parse-html.ts'

/** What a kept mail has of our own in it. */
export type OwnParts = {
  /** `PUBLIC_URL`, without a slash at its end. */
  readonly publicUrl: string
  /** The targets of its tracked links, in order. */
  readonly targets: readonly string[]
}

/** Attributes that lead somewhere when something is clicked or sent, and those that tell others about it. */
const leading: ReadonlySet<string> = new Set([
  'href',
  'xlink:href',
  'target',
  'ping',
  'download',
  'action',
  'formaction',
])
/** Elements that load something, or lead away without a click. The Content-Security-Policy of the page stops them as well. */
const removed: ReadonlySet<string> = new Set([
  'script',
  'base',
  'meta',
  'link',
  'iframe',
  'frame',
  'object',
  'embed',
  'portal',
])

/**
 * Returns the HTML of a mail for looking at it: without our pixel, so that looking is no open, and with links that show where they lead and
 * lead nowhere, so that looking is no click. What is displayed does not change. Scripts are removed here too, but it is the sandbox of the
 * page that keeps them from running.
 */
export async function inertHtml(html: string, own: OwnParts): Promise<string> {
  const { parse5 } = await loadMailLibraries()
  const document = parse5.parse(html, { sourceCodeLocationInfo: true })
  const edits: SourceEdit[] = []
  const open: Tree.ChildNode[] = [...document.childNodes]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!('tagName' in node)) continue
    const edit = removalOf(node, own)
    if (edit) edits.push(edit)
    else {
      edits.push(...attributeEdits(node, own))
      const content = 'content' in node ? (node as Tree.Template).content.childNodes : []
      for (const child of [...node.childNodes, ...content]) open.push(child)
    }
  }
  return applyEdits(html, withoutOverlaps(edits))
}

/** Elements that were moved by the parser may lie in others in the source. The first edit of an overlap counts. */
function withoutOverlaps(edits: readonly SourceEdit[]): SourceEdit[] {
  const kept: SourceEdit[] = []
  let end = 0
  for (const edit of edits.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (edit.from < end) continue
    kept.push(edit)
    end = edit.to
  }
  return kept
}

function removalOf(element: Tree.Element, own: OwnParts): SourceEdit | undefined {
  const location = element.sourceCodeLocation
  if (!location || !(removed.has(element.tagName) || isPixel(element, own))) return undefined
  return { from: location.startOffset, to: location.endOffset, text: '' }
}

function isPixel({ tagName, attrs }: Tree.Element, { publicUrl }: OwnParts): boolean {
  if (tagName !== 'img') return false
  const src = attrs.find(({ name }) => name === 'src')?.value ?? ''
  return src.trim().startsWith(`${publicUrl}/o/`)
}

function attributeEdits({ attrs, sourceCodeLocation, tagName }: Tree.Element, own: OwnParts): SourceEdit[] {
  const edits: SourceEdit[] = []
  for (const { name, prefix, value } of attrs) {
    const written = prefix ? `${prefix}:${name}` : name
    const range = sourceCodeLocation?.attrs?.[written]
    if (!range || !leading.has(written)) continue
    const isLink = name === 'href' && (tagName === 'a' || tagName === 'area')
    // It still looks like a link.
    const text = isLink ? `href="#" title="${escapeHtml(targetOf(value.trim(), own))}"` : ''
    edits.push({ from: range.startOffset, to: range.endOffset, text })
  }
  return edits
}

/** Returns where a link leads: for a tracked one its target. */
function targetOf(href: string, { publicUrl, targets }: OwnParts): string {
  if (!href.startsWith(`${publicUrl}/l/`)) return href
  const index = /\/(\d{1,4})$/.exec(href)?.[1]
  return (index === undefined ? undefined : targets[Number(index)]) ?? 'a tracked link'
}
