/** One request of the interface, with the type of its reply. */
export type Operation<Reply> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its query, from the root of the service: `/admin/people/search?q=ada`. */
  readonly path: string
  readonly body?: unknown
  /** The ETag of what was read. The write is refused with 412 when what is stored has another one now. */
  readonly ifMatch?: string
  /** Never set. It gives the type of the reply to `call`. */
  readonly reply?: Reply
}

export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** Returns a shell command that makes the same request with the admin token of the variable ADMIN. */
export function curlOf({ method, path, body }: Operation<unknown>, origin: string): string {
  return curlWith('ADMIN', { method, url: origin + path, text: body === undefined ? null : JSON.stringify(body) })
}

/** Returns a shell command that sends a text as JSON with the key or token of a variable. */
export function curlWith(
  variable: 'ADMIN' | 'KEY',
  { method, url, text }: { readonly method: string; readonly url: string; readonly text: string | null },
): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`,
    `-H "Authorization: Bearer $${variable}"`,
    ...(text === null ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(text)}`]),
  ]
  return lines.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
