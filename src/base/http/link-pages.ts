import { type Query, ReplyWithHeaders } from './route.ts'

/** A page of a list whose neighbours are in the header `Link`: `count` entries in all, of which `skip` come before the page. */
export type LinkedPage = {
  readonly path: string
  readonly skip: number
  readonly count: number
  readonly pageMax: number
  /** Makes the links absolute. */
  readonly origin?: string
}

/** Returns the answer with the header `Link`, which has the pages before and after it. */
export function withLinks<Body extends object>(body: Body, page: LinkedPage): ReplyWithHeaders | Body {
  const { skip, count, pageMax, origin = '' } = page
  const path = origin + page.path
  const links: string[] = []
  if (skip > 0) links.push(linkTo(path, previousSkip(page), 'prev'))
  if (skip + pageMax < count) links.push(linkTo(path, skip + pageMax, 'next'))
  const hasLinks = count > pageMax && links.length > 0
  return hasLinks ? new ReplyWithHeaders(body, { Link: links.join(',') }) : body
}

const hostForm = /^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:.]+\](:\d{1,5})?$/
/** Names that only a machine or a network of its own knows, and addresses: TLS is rarely there. */
const localForm = /^localhost$|^[^.]+$|^[\d.]+$|^\[|\.(?:internal|local|localhost|lan|test)$/

/**
 * Returns the address to which a caller sent a request, before the path of the endpoint, for clients that follow links to the same origin
 * only. It is the public URL, when the proxy passes `Host` on.
 */
export function askedAddress(host: string | undefined, publicUrl: string): string {
  const known = new URL(publicUrl)
  const address = `${known.protocol}//${host}`
  if (host === undefined || !hostForm.test(host) || !URL.canParse(address)) return publicUrl
  const asked = new URL(address)
  if (asked.host === known.host) return publicUrl
  return localForm.test(asked.hostname) ? `http://${host}` : address
}

/** The previous page of a page beyond the end is the last one. */
function previousSkip({ skip, count, pageMax }: LinkedPage): number {
  const end = Math.ceil(count / pageMax) * pageMax
  return Math.max(0, Math.min(skip, end) - pageMax)
}

const cursorForm = /^skip:(\d{1,9})$/

/**
 * Reads how many entries to skip from `cursor`: base64 of `skip:N`, with or without padding. Calls `refused` with the given text of any
 * other cursor, and throws what it returns.
 */
export function readCursor(query: Query, refused: (text: string) => Error): number {
  const given = query.cursor ?? []
  const [text = ''] = given
  if (text === '' && given.length <= 1) return 0
  const skip = cursorForm.exec(Buffer.from(text, 'base64').toString('latin1'))?.[1]
  const cursor = cursorOf(`skip:${skip}`)
  if (given.length > 1 || skip === undefined || ![cursor, cursor.replace(/=+$/, '')].includes(text)) {
    throw refused(text)
  }
  return Number(skip)
}

function cursorOf(text: string): string {
  return Buffer.from(text).toString('base64')
}

function linkTo(path: string, skip: number, relation: 'prev' | 'next'): string {
  return `<${path}?cursor=${cursorOf(`skip:${skip}`)}>; rel="${relation}"`
}
