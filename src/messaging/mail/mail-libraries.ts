import type * as Parse5 from 'parse5'

/** The libraries that composing needs. They are loaded with the first mail, to keep the start of the process fast. */
export type MailLibraries = {
  readonly parse5: typeof Parse5
  readonly inlineCss: (html: string) => string
  readonly htmlToText: (html: string) => string
  readonly base64: typeof import('nodemailer/lib/base64')
  readonly mimeFunctions: typeof import('nodemailer/lib/mime-funcs')
}

/** The deepest nesting of elements in HTML that is parsed or turned into text. */
export const elementsDeepMax = 250
/** The most elements of one body, so that no body takes seconds. */
export const elementsMax = 20_000

/** The text part is made of this number of characters at the beginning of a body. */
export const textSourceCharactersMax = 300_000

let loading: Promise<MailLibraries> | undefined

export function loadMailLibraries(): Promise<MailLibraries> {
  loading ??= load()
  return loading
}

async function load(): Promise<MailLibraries> {
  const [parse5, { inline }, { compile }, base64, mimeFunctions] = await Promise.all([
    import('parse5'),
    import('@css-inline/css-inline'),
    import('html-to-text'),
    import('nodemailer/lib/base64'),
    import('nodemailer/lib/mime-funcs'),
  ])
  // Fetches nothing. Rules that cannot be written in an attribute (`:hover`, `@media`) stay in the style element.
  const inlining = {
    loadRemoteStylesheets: false,
    keepStyleTags: true,
    removeInlinedSelectors: true,
    keepAtRules: true,
    keepLinkTags: true,
  }
  const heading = { uppercase: false }
  const selectors = [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: heading })),
    { selector: 'a', options: { noAnchorUrl: true, hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'altText' },
    // Most tables in mails are for layout: a row becomes a line, and a cell a part of it.
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    ...['[hidden]', '[style*="display:none"]', '[style*="display: none"]'].map((selector) => ({
      selector,
      format: 'skip',
    })),
  ]
  const toText = compile({
    wordwrap: false,
    limits: { maxDepth: elementsDeepMax, ellipsis: '' },
    selectors,
    formatters: {
      cell: (cell, walk, builder) => {
        walk(cell.children, builder)
        builder.addInline(' ')
      },
      altText: (image, _walk, builder) => {
        const alt: unknown = image.attribs?.alt
        if (typeof alt === 'string' && alt.trim() !== '') builder.addInline(alt)
      },
    },
  })
  const htmlToText = (html: string) => toText(html.slice(0, textSourceCharactersMax))
  return { parse5, inlineCss: (html) => inline(html, inlining), htmlToText, base64, mimeFunctions }
}
