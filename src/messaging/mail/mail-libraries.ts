import type * as Parse5 from 'parse5'

/** The libraries that composing needs: loaded with the first mail, so that a start does not pay for them. */
export type MailLibraries = {
  readonly parse5: typeof Parse5
  readonly inlineCss: (html: string) => string
  readonly htmlToText: (html: string) => string
  readonly base64: typeof import('nodemailer/lib/base64')
  readonly mimeFunctions: typeof import('nodemailer/lib/mime-funcs')
}

/** Elements inside elements, in HTML that is composed or turned into text. */
export const elementsDeepMax = 250
/** Elements of one body, so that no body takes seconds. */
export const elementsMax = 20_000

/** Characters of a body, from its beginning, of which a text is made. */
export const textSourceCharactersMax = 300_000

let loading: Promise<MailLibraries> | undefined

export function loadMailLibraries(): Promise<MailLibraries> {
  loading ??= load()
  return loading
}

async function load(): Promise<MailLibraries> {
  const [parse5, { inline }, { compile }, base64, words] = await Promise.all([
    import('parse5'),
    import('@css-inline/css-inline'),
    import('html-to-text'),
    import('nodemailer/lib/base64'),
    import('nodemailer/lib/mime-funcs'),
  ])
  // Nothing is fetched. What cannot be said in an attribute (`:hover`, `@media`) stays where it was.
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
    // Most tables of mails are layout: a row is a line, a cell is a word of it.
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
  return { parse5, inlineCss: (html) => inline(html, inlining), htmlToText, base64, mimeFunctions: words }
}
