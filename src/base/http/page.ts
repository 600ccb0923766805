import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Failure } from '../errors.ts'
import type { Query } from './route.ts'

/** Something to look at, to scrape, to download or to fill in, beside the interface: public, unlimited. */
export type Page = {
  /** May have members in it, as paths of routes have: `/exports/{object}`. */
  readonly path: string
  /** GET (and HEAD) when absent. A POST is sent a small form (`form.ts`). */
  readonly method?: 'GET' | 'POST'
  render(request: PageRequest): Promise<PageReply>
  /**
   * How an error looks, without its status; undefined stands for a mistake of ours, `root` for what it does in a request. JSON, like the
   * interface's, when absent.
   */
  failed?(failure: Failure | undefined, root: string): Pick<PageReply, 'headers' | 'body'>
}

export type PageRequest = {
  /** GET, HEAD or POST. */
  readonly method: string
  readonly params: { readonly [name: string]: string | undefined }
  readonly query: Query
  /** How a relative link leads from here to the root: `../`, once more for every slash that was written without need. */
  readonly root: string
  /** The fields of the form that was sent; none with GET. */
  readonly form: Query
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** A UUID, the `X-Request-Id` of the answer. */
  readonly request_id: string
}

/** A body that is too large for memory; it has exactly so many bytes. */
export type StreamedBody = { readonly stream: Readable; readonly bytes: number }

export type PageReply = {
  status: number
  headers: { [name: string]: string | string[] }
  body: string | Buffer | StreamedBody
}

/** A page of JSON with the `message` that every answer has. */
export function jsonPage(status: number, body: { message: string }): PageReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

/** A page of HTML; `policy` is its Content-Security-Policy. */
export function htmlPage(body: string, policy: string, status = 200): PageReply {
  return {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    body,
  }
}

/** A text as it stands in HTML, between tags or in an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
