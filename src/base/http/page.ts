import type { Readable } from 'node:stream'
import type { Query } from './route.ts'

/** Something to look at, to scrape or to download, beside the interface: GET, public, unlimited. */
export type Page = {
  /** May have members in it, as paths of routes have: `/exports/{object}`. */
  readonly path: string
  render(request: PageRequest): Promise<PageReply>
}

export type PageRequest = { readonly params: { readonly [name: string]: string | undefined }; readonly query: Query }

/** A body that is too large for memory; it has exactly so many bytes. */
export type Streamed = { readonly stream: Readable; readonly bytes: number }

export type PageReply = { status: number; headers: { [name: string]: string }; body: string | Buffer | Streamed }

/** A page of JSON with the `message` that every answer has. */
export function jsonPage(status: number, body: { message: string }): PageReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
}

/** A page of HTML; `policy` is its Content-Security-Policy. */
export function htmlPage(body: string, policy: string): PageReply {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy },
    body,
  }
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
