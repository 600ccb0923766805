/** Something to look at or to scrape, beside the interface: GET, public, unlimited. */
export type Page = {
  readonly path: string
  render(): Promise<PageReply>
}

export type PageReply = { status: number; headers: { [name: string]: string }; body: string | Buffer }

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
