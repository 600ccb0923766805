import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Failure } from '../errors.ts'
import type { Query } from './route.ts'

/** A page that is not part of the API: HTML, metrics, a download or a form. Public and without a rate limit. */
export type Page = {
  /** May have parameters, as paths of routes have: `/exports/{object}`. */
  readonly path: string
  /** GET (and HEAD) when absent. A POST takes a small form (`form.ts`). */
  readonly method?: 'GET' | 'POST'
  /** Checks what can be checked before the form is read. Throws a `Failure`. */
  admit?(request: PageHead): void
  render(request: PageRequest): Promise<PageReply>
  /** Renders an error; undefined means a 500. `root` is that of the request. When absent, the error is JSON, as in the API. */
  renderError?(failure: Failure | undefined, root: string): Pick<PageReply, 'headers' | 'body'>
}

/** A request without its form. */
export type PageHead = {
  /** GET, HEAD or POST. */
  readonly method: string
  readonly params: { readonly [name: string]: string | undefined }
  readonly query: Query
  /** The relative link from this URL to the root: `../` for every slash in its path, superfluous ones included. */
  readonly root: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** A UUID, the `X-Request-Id` of the answer. */
  readonly request_id: string
}

export type PageRequest = PageHead & {
  /** The fields of the submitted form; none with GET. */
  readonly form: Query
}

/** A body that is too large for memory, with its exact number of bytes. */
export type StreamedBody = { readonly stream: Readable; readonly bytes: number }

export type PageReply = {
  status: number
  headers: { [name: string]: string | string[] }
  body: string | Buffer | StreamedBody
}

/** Returns a page of JSON with the `message` that every answer has. */
export function jsonPage(status: number, body: { message: string }): PageReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

/** Returns a page of HTML. `policy` is its Content-Security-Policy. */
export function htmlPage(body: string, policy: string, status = 200): PageReply {
  return {
    status,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    body,
  }
}

/** Escapes a text for HTML, between tags or in an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
