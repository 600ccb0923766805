import { type MailLibraries, textSourceCharactersMax } from './mail-libraries.ts'
import {
  applyEdits,
  type ParsedHtml,
  parseHtml,
  type SourceEdit,
  type SourceRange,
  type TooComplex,
} from './parse-html.ts'

/** The most links of one mail whose clicks are tracked. Other links are left as they are. */
export const trackedLinksMax = 1_000
export const trackedLinkCharactersMax = 8_192
/** The product of selectors and declarations with elements. Styles of a body with more are not inlined. */
export const inliningMax = 4_000_000
/** The product of declarations, properties and elements: the inliner compares each declaration with those that an element has already. */
export const comparedDeclarationsMax = 400_000_000
/** The product of characters of styles with elements: each element may get a copy of all styles. */
export const copiedStylesMax = 48_000_000
/** Characters of a body with inlined styles. A longer one is sent without. */
export const inlinedCharactersMax = 4_194_304

/** How a body is decorated. It is the same for each person. */
export type HtmlDecoration = {
  readonly opens: boolean
  readonly clicks: boolean
  readonly preheader: boolean
  readonly inlineCss: boolean
  /** Make a text part of it. */
  readonly text: boolean
  /** `PUBLIC_URL`. Links that begin with it lead to Easel and are not tracked. */
  readonly ownUrl: string
}

/** HTML and the text part made of it, with placeholders for what differs from person to person. */
export type DecoratedHtml = {
  readonly html: string
  readonly text?: string
  /** The targets of the tracked links. */
  readonly links: readonly string[]
  readonly warnings: readonly string[]
  /** The texts between elements and the `href` of links, in which placeholders for words may be. */
  readonly texts: readonly string[]
  readonly hrefs: readonly string[]
  /** CSS rules may depend on the attributes of elements. */
  readonly selectsAttributes: boolean
}

export type PlaceholderKind = 'link' | 'pixel' | 'preheader' | 'word' | 'comment'

/** Returns the placeholder for number `n` of a kind: letters and digits, which parsing and inlining do not change. */
export function placeholder(prefix: string, kind: PlaceholderKind, n = 0): string {
  return `${prefix}${kind}${n}x`
}

/**
 * Puts placeholders for links, preheader and pixel into a body, inlines its styles and makes a text part. `prefix` begins all placeholders
 * and occurs nowhere else in `html`.
 */
export function decorateHtml(
  html: string,
  decoration: HtmlDecoration,
  prefix: string,
  libraries: MailLibraries,
): DecoratedHtml | TooComplex {
  const parsed = parseHtml(html, libraries)
  if ('tooComplex' in parsed) return parsed
  const warnings: string[] = []
  if (parsed.mistakes > 0) warnings.push(`the body has ${parsed.mistakes} HTML mistakes that mail programs tolerate`)
  const links = decoration.clicks ? trackedLinks(parsed, decoration.ownUrl, warnings) : []
  const edits: SourceEdit[] = []
  const { body } = parsed
  if (body && decoration.preheader) edits.push(insertion(body.opening, `<!--${placeholder(prefix, 'preheader')}-->`))
  if (body && decoration.opens) edits.push(insertion(body.closing, `<!--${placeholder(prefix, 'pixel')}-->`))
  if (decoration.text && html.length > textSourceCharactersMax)
    warnings.push(`the text part is made of the first ${textSourceCharactersMax} characters of the body`)
  const inlined =
    decoration.inlineCss && canInline(parsed, warnings)
      ? inlineStyles(html, parsed, edits, links, prefix, libraries)
      : undefined
  const isInlined = inlined !== undefined && inlined.length <= inlinedCharactersMax
  if (inlined !== undefined && !isInlined)
    warnings.push(`styles were not inlined: the body would have ${inlined.length} characters`)
  const hrefs = links.map(({ from, to }, n) => ({ from, to, text: `href="${placeholder(prefix, 'link', n)}"` }))
  return {
    html: isInlined ? inlined : applyEdits(html, [...edits, ...hrefs]),
    ...(decoration.text && { text: libraries.htmlToText(html) }),
    links: links.map(({ target }) => target),
    warnings,
    texts: parsed.texts,
    hrefs: parsed.hrefs,
    selectsAttributes: parsed.styles.some(({ css }) => css.includes('[')),
  }
}

function insertion(at: number, text: string): SourceEdit {
  return { from: at, to: at, text }
}

type Link = ParsedHtml['links'][number]

function trackedLinks({ links }: ParsedHtml, ownUrl: string, warnings: string[]): readonly Link[] {
  const external = links.filter(({ target }) => /^https?:/i.test(target) && !target.startsWith(ownUrl))
  const tracked = external.filter(({ target }) => target.length <= trackedLinkCharactersMax).slice(0, trackedLinksMax)
  const left = external.length - tracked.length
  if (left > 0)
    warnings.push(
      `${left} links are not counted: at most ${trackedLinksMax} of at most ${trackedLinkCharactersMax} characters are`,
    )
  return tracked
}

/** Returns whether the styles of a body may be inlined: neither the time nor the result grows beyond limits. */
function canInline({ styles, elements }: ParsedHtml, warnings: string[]): boolean {
  if (styles.length === 0) return false
  const all = styles.map(({ css }) => css).join('\n')
  const size = all.match(/[{,;]/g)?.length ?? 0
  const declarations = all.split(/[;{}]/)
  // Each part before a colon, so that there are never fewer than the inliner finds.
  const properties = new Set(declarations.map((declaration) => declaration.split(':', 1)[0]!.trim()))
  const mistake =
    size * elements > inliningMax || declarations.length * properties.size * elements > comparedDeclarationsMax
      ? `${size} selectors and declarations for ${elements} elements are too many`
      : all.length * elements > copiedStylesMax
        ? `${all.length} characters of styles for ${elements} elements are too many`
        : undefined
  if (mistake !== undefined) warnings.push(`styles were not inlined: ${mistake}`)
  return mistake === undefined
}

const notInlined = ' data-css-inline="ignore"'

/**
 * Inlines the styles of a body. Some parts are hidden from the inliner, since it would change them: styles for other media than a screen,
 * comments such as `<![if !mso]>`, and the doctype, which decides on quirks mode. Links get an attribute beside their `href`, which CSS
 * rules may select, and are replaced afterwards.
 */
function inlineStyles(
  html: string,
  { styles, bogusComments, doctype, body }: ParsedHtml,
  edits: readonly SourceEdit[],
  links: readonly Link[],
  prefix: string,
  { inlineCss }: MailLibraries,
): string {
  const otherMedia = styles.filter(({ media }) => !/^\s*(?:all|screen)?\s*$/i.test(media))
  const hidden = [
    // Otherwise the inliner would write the first comment of the body into the head.
    ...(body?.isImplied ? [insertion(body.opening, '<body>')] : []),
    ...otherMedia.map(({ at }) => insertion(at + '<style'.length, notInlined)),
    ...bogusComments.map((range, n) => ({ ...range, text: `<!--${placeholder(prefix, 'comment', n)}-->` })),
    ...links.map(({ from }, n) => insertion(from, `${placeholder(prefix, 'link', n)}="" `)),
  ]
  const out = inlineCss(applyEdits(html, [...hidden, ...edits]))
    .replace(new RegExp(`<!--${prefix}comment(\\d+)x-->`, 'g'), (_, n) => sourceOf(html, bogusComments[Number(n)]!))
    .replace(new RegExp(`(${prefix}link\\d+x)="" href="[^"]*"`, 'g'), 'href="$1"')
  return (doctype ? sourceOf(html, doctype) : '') + out.replace(/^\s*<!doctype[^>]*>/i, '')
}

function sourceOf(html: string, { from, to }: SourceRange): string {
  return html.slice(from, to)
}
