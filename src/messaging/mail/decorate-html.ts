import { type MailLibraries, textSourceCharactersMax } from './mail-libraries.ts'
import {
  applyEdits,
  type ParsedHtml,
  parseHtml,
  type SourceEdit,
  type SourceRange,
  type TooComplex,
} from './parse-html.ts'

/** Links of one mail that are counted; the others lead where they lead. */
export const trackedLinksMax = 1_000
export const trackedLinkCharactersMax = 8_192
/** Selectors and declarations, times elements: beyond it styles stay where they are. */
export const inliningMax = 4_000_000

/** What is done to a body, beside what is different for each person. */
export type HtmlDecoration = {
  readonly opens: boolean
  readonly clicks: boolean
  readonly preheader: boolean
  readonly inlineCss: boolean
  /** Make a text of it. */
  readonly text: boolean
  /** Links that begin so are left alone: they are ours. */
  readonly ownUrl: string
}

/** HTML, and the text made of it, with marks where each person gets something else. */
export type DecoratedHtml = {
  readonly html: string
  readonly text?: string
  /** Where the counted links lead. */
  readonly links: readonly string[]
  readonly warnings: readonly string[]
  /** Texts between elements, and the `href` of links: what may be another for somebody else. */
  readonly texts: readonly string[]
  readonly hrefs: readonly string[]
  /** Styles may depend on the attributes of elements. */
  readonly selectsAttributes: boolean
}

/** What stands for the thing `n` of a kind: letters and digits, which no step changes. */
export type PlaceholderKind = 'link' | 'pixel' | 'preheader' | 'run' | 'odd'
export function placeholder(word: string, kind: PlaceholderKind, n = 0): string {
  return `${word}${kind}${n}x`
}

/** Links, preheader and pixel are marked, styles inlined, a text is made. `word` is in no part of `html` but marks. */
export function decorateHtml(
  html: string,
  dressing: HtmlDecoration,
  word: string,
  tools: MailLibraries,
): DecoratedHtml | TooComplex {
  const anatomy = parseHtml(html, tools)
  if ('tooComplex' in anatomy) return anatomy
  const warnings: string[] = []
  if (anatomy.mistakes > 0)
    warnings.push(`the body has ${anatomy.mistakes} mistakes of HTML that mail programs forgive`)
  const links = dressing.clicks ? trackedLinks(anatomy, dressing.ownUrl, warnings) : []
  const edits: SourceEdit[] = []
  const { body } = anatomy
  if (body && dressing.preheader) edits.push(insertion(body.opening, `<!--${placeholder(word, 'preheader')}-->`))
  if (body && dressing.opens) edits.push(insertion(body.closing, `<!--${placeholder(word, 'pixel')}-->`))
  if (dressing.text && html.length > textSourceCharactersMax)
    warnings.push(`the text part is made of the first ${textSourceCharactersMax} characters of the body`)
  const inlines = dressing.inlineCss && mayInline(anatomy, warnings)
  const hrefs = links.map(({ from, to }, n) => ({ from, to, text: `href="${placeholder(word, 'link', n)}"` }))
  return {
    html: inlines ? inlined(html, anatomy, edits, links, word, tools) : applyEdits(html, [...edits, ...hrefs]),
    ...(dressing.text && { text: tools.htmlToText(html) }),
    links: links.map(({ target }) => target),
    warnings,
    texts: anatomy.texts,
    hrefs: anatomy.hrefs,
    selectsAttributes: anatomy.styles.some(({ css }) => css.includes('[')),
  }
}

function insertion(at: number, text: string): SourceEdit {
  return { from: at, to: at, text }
}

type Link = ParsedHtml['links'][number]

function trackedLinks({ links }: ParsedHtml, ours: string, warnings: string[]): readonly Link[] {
  const outward = links.filter(({ target }) => /^https?:/i.test(target) && !target.startsWith(ours))
  const counted = outward.filter(({ target }) => target.length <= trackedLinkCharactersMax).slice(0, trackedLinksMax)
  const left = outward.length - counted.length
  if (left > 0)
    warnings.push(
      `${left} links are not counted: at most ${trackedLinksMax} of at most ${trackedLinkCharactersMax} characters are`,
    )
  return counted
}

function mayInline({ styles, elements }: ParsedHtml, warnings: string[]): boolean {
  if (styles.length === 0) return false
  const size = styles.reduce((sum, { css }) => sum + (css.match(/[{,;]/g)?.length ?? 0), 0)
  if (size * elements <= inliningMax) return true
  warnings.push(`styles were not inlined: ${size} selectors and declarations for ${elements} elements are too many`)
  return false
}

const ignored = ' data-css-inline="ignore"'

/**
 * With styles in attributes. What inlining would get wrong is kept from it: styles for other media than a screen, comments such as
 * `<![if !mso]>`, which it would write as ordinary ones, and the doctype, whose quirks decide on the looks. Links are marked beside
 * their `href`, which rules may ask for, and changed afterwards.
 */
function inlined(
  html: string,
  { styles, bogusComments, doctype, body }: ParsedHtml,
  edits: readonly SourceEdit[],
  links: readonly Link[],
  word: string,
  { inlineCss }: MailLibraries,
): string {
  const foreign = styles.filter(({ media }) => !/^\s*(?:all|screen)?\s*$/i.test(media))
  const kept = [
    // Or what comes first in it would be written into the head.
    ...(body?.isImplied ? [insertion(body.opening, '<body>')] : []),
    ...foreign.map(({ at }) => insertion(at + '<style'.length, ignored)),
    ...bogusComments.map((stretch, n) => ({ ...stretch, text: `<!--${placeholder(word, 'odd', n)}-->` })),
    ...links.map(({ from }, n) => insertion(from, `${placeholder(word, 'link', n)}="" `)),
  ]
  const out = inlineCss(applyEdits(html, [...kept, ...edits]))
    .replace(new RegExp(`<!--${word}odd(\\d+)x-->`, 'g'), (_, n) => sourceOf(html, bogusComments[Number(n)]!))
    .replace(new RegExp(`(${word}link\\d+x)="" href="[^"]*"`, 'g'), 'href="$1"')
  return (doctype ? sourceOf(html, doctype) : '') + out.replace(/^\s*<!doctype[^>]*>/i, '')
}

function sourceOf(html: string, { from, to }: SourceRange): string {
  return html.slice(from, to)
}
