import { type Tools, textSourceMax } from './mail-libraries.ts'
import { type Anatomy, anatomyOf, type Edit, type Stretch, spliced, type TooMuch } from './parse-html.ts'

/** Links of one mail that are counted; the others lead where they lead. */
export const linksMax = 1_000
export const linkCharactersMax = 8_192
/** Selectors and declarations, times elements: beyond it styles stay where they are. */
export const inliningMax = 4_000_000

/** What is done to a body, beside what is different for each person. */
export type Dressing = {
  readonly opens: boolean
  readonly clicks: boolean
  readonly preheader: boolean
  readonly inlineCss: boolean
  /** Make a text of it. */
  readonly text: boolean
  /** Links that begin so are left alone: they are ours. */
  readonly ours: string
}

/** HTML, and the text made of it, with marks where each person gets something else. */
export type Dressed = {
  readonly html: string
  readonly text?: string
  /** Where the counted links lead. */
  readonly links: readonly string[]
  readonly warnings: readonly string[]
  /** Texts between elements, and the `href` of links: what may be another for somebody else. */
  readonly shown: readonly string[]
  readonly hrefs: readonly string[]
  /** Styles may depend on the attributes of elements. */
  readonly selectsAttributes: boolean
}

/** What stands for the thing `n` of a kind: letters and digits, which no step changes. */
export type Kind = 'link' | 'pixel' | 'preheader' | 'run' | 'odd'
export function markOf(word: string, kind: Kind, n = 0): string {
  return `${word}${kind}${n}x`
}

/** Links, preheader and pixel are marked, styles inlined, a text is made. `word` is in no part of `html` but marks. */
export function dress(html: string, dressing: Dressing, word: string, tools: Tools): Dressed | TooMuch {
  const anatomy = anatomyOf(html, tools)
  if ('tooMuch' in anatomy) return anatomy
  const warnings: string[] = []
  if (anatomy.mistakes > 0)
    warnings.push(`the body has ${anatomy.mistakes} mistakes of HTML that mail programs forgive`)
  const links = dressing.clicks ? countedLinks(anatomy, dressing.ours, warnings) : []
  const edits: Edit[] = []
  const { body } = anatomy
  if (body && dressing.preheader) edits.push(insertion(body.opening, `<!--${markOf(word, 'preheader')}-->`))
  if (body && dressing.opens) edits.push(insertion(body.closing, `<!--${markOf(word, 'pixel')}-->`))
  if (dressing.text && html.length > textSourceMax)
    warnings.push(`the text part is made of the first ${textSourceMax} characters of the body`)
  const inlines = dressing.inlineCss && mayInline(anatomy, warnings)
  const hrefs = links.map(({ from, to }, n) => ({ from, to, text: `href="${markOf(word, 'link', n)}"` }))
  return {
    html: inlines ? inlined(html, anatomy, edits, links, word, tools) : spliced(html, [...edits, ...hrefs]),
    ...(dressing.text && { text: tools.htmlToText(html) }),
    links: links.map(({ target }) => target),
    warnings,
    shown: anatomy.shown,
    hrefs: anatomy.hrefs,
    selectsAttributes: anatomy.styles.some(({ css }) => css.includes('[')),
  }
}

function insertion(at: number, text: string): Edit {
  return { from: at, to: at, text }
}

type Link = Anatomy['links'][number]

function countedLinks({ links }: Anatomy, ours: string, warnings: string[]): readonly Link[] {
  const outward = links.filter(({ target }) => /^https?:/i.test(target) && !target.startsWith(ours))
  const counted = outward.filter(({ target }) => target.length <= linkCharactersMax).slice(0, linksMax)
  const left = outward.length - counted.length
  if (left > 0)
    warnings.push(`${left} links are not counted: at most ${linksMax} of at most ${linkCharactersMax} characters are`)
  return counted
}

function mayInline({ styles, elements }: Anatomy, warnings: string[]): boolean {
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
  { styles, oddComments, doctype, body }: Anatomy,
  edits: readonly Edit[],
  links: readonly Link[],
  word: string,
  { inlineCss }: Tools,
): string {
  const foreign = styles.filter(({ media }) => !/^\s*(?:all|screen)?\s*$/i.test(media))
  const kept = [
    // Or what comes first in it would be written into the head.
    ...(body?.isImplied ? [insertion(body.opening, '<body>')] : []),
    ...foreign.map(({ at }) => insertion(at + '<style'.length, ignored)),
    ...oddComments.map((stretch, n) => ({ ...stretch, text: `<!--${markOf(word, 'odd', n)}-->` })),
    ...links.map(({ from }, n) => insertion(from, `${markOf(word, 'link', n)}="" `)),
  ]
  const out = inlineCss(spliced(html, [...kept, ...edits]))
    .replace(new RegExp(`<!--${word}odd(\\d+)x-->`, 'g'), (_, n) => sourceOf(html, oddComments[Number(n)]!))
    .replace(new RegExp(`(${word}link\\d+x)="" href="[^"]*"`, 'g'), 'href="$1"')
  return (doctype ? sourceOf(html, doctype) : '') + out.replace(/^\s*<!doctype[^>]*>/i, '')
}

function sourceOf(html: string, { from, to }: Stretch): string {
  return html.slice(from, to)
}
