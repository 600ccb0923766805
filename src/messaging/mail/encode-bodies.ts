import { escapeHtml } from '../../base/http/page.ts'
import { clippedWarnings, preheaderWarnings } from './body-warnings.ts'
import { type DecoratedBodies, fillPlaceholders } from './decorated-bodies.ts'
import type { MailLibraries } from './mail-libraries.ts'
import { alternativePart, type MimePart, textPart } from './mime.ts'
import type { TooComplex } from './parse-html.ts'

/** Preheaders are filled up to this number of characters, which is more than mail programs show. */
const preheaderFilledTo = 100

/** The rendered bodies of a mail. The preheader is one line. */
export type MailBodies = {
  /** Empty for a mail that has only a text part. */
  readonly html: string
  /** Made from `html` when absent. */
  readonly text?: string
  readonly preheader?: string
}

/** How to encode bodies. */
export type BodyOptions = {
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean }
  readonly inlineCss: boolean
  /** `PUBLIC_URL`. Links that lead there are not tracked. */
  readonly publicUrl: string
}

/** What bodies get of the links of their message (`MessageLinks`). */
export type BodyLinks = {
  readonly boundary: string
  /** The URL of the tracking pixel. */
  readonly pixel: string
  /** The tracking links of the first links of the body. */
  readonly tracked: readonly string[]
}

/** The bodies as they are sent: headers that describe them, and the content in ASCII with CRLF. */
export type EncodedBodies = {
  readonly headers: readonly string[]
  readonly content: Buffer
  /** The targets of tracked links, by the number in the tracking link. */
  readonly links: readonly string[]
  readonly warnings: readonly string[]
}

/** Returns what the bodies of a message get, with this number of tracking links. */
export type FindBodyLinks = (count: number) => BodyLinks | Promise<BodyLinks>

/** Encodes the bodies of a mail. Equal arguments give equal bytes. */
export async function encodeBodies(
  bodies: MailBodies,
  options: BodyOptions,
  findLinks: FindBodyLinks,
  decoratedBodies: DecoratedBodies,
  libraries: MailLibraries,
): Promise<EncodedBodies | TooComplex> {
  const { html, text, preheader } = bodies
  if (html === '') return encoded(textPart('text/plain', text ?? '', libraries), [], [])
  const { opens, clicks } = options.tracking
  const decoration = {
    opens,
    clicks,
    preheader: !!preheader,
    inlineCss: options.inlineCss,
    text: text === undefined,
    ownUrl: `${options.publicUrl}/`,
  }
  const decorated = decoratedBodies.decorate(html, decoration, libraries)
  if ('tooComplex' in decorated) return decorated
  const { body, words } = decorated
  const links = await findLinks(body.links.length)
  const values = {
    link: (n: number) => links.tracked[n]!,
    pixel: opens ? pixelOf(links.pixel) : '',
    preheader: preheader ? preheaderOf(preheader) : '',
  }
  const filled = fillPlaceholders(body.html, words, values)
  const plain = text ?? (body.text ? fillPlaceholders(body.text, words, values) : '')
  const warnings = [
    ...body.warnings,
    ...(preheader ? preheaderWarnings('the preheader', preheader) : []),
    ...clippedWarnings('the body', filled),
  ]
  const parts = [textPart('text/plain', plain, libraries), textPart('text/html', filled, libraries)]
  return encoded(
    alternativePart(parts, `${links.boundary}a`),
    body.links.map((link) => fillPlaceholders(link, words, values)),
    warnings,
  )
}

function encoded({ headers, content }: MimePart, links: readonly string[], warnings: readonly string[]): EncodedBodies {
  return { headers, content: Buffer.from(content, 'latin1'), links, warnings }
}

/** Formats the tracking pixel. It takes no space in the layout, also in programs that do not support `position`. */
function pixelOf(url: string): string {
  const style = 'position:absolute;width:1px;height:1px;margin:-1px 0 0;border:0;padding:0'
  return `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="${style}">`
}

/** Formats the preheader as hidden text. It is filled up so that mail programs show nothing of the body after it. */
function preheaderOf(text: string): string {
  const filler = '&#847;&zwnj;&nbsp;'.repeat(Math.max(0, preheaderFilledTo - text.length))
  const style = 'display:none!important;max-height:0;overflow:hidden;mso-hide:all'
  return `<div style="${style}">${escapeHtml(text)}${filler}</div>`
}
