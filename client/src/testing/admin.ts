/** A request that was refused, or an expectation that did not come true. The message is that of the answer. */
export class EmulatorError extends Error {
  readonly status: number
  readonly body: unknown

  constructor(request: string, status: number, body: unknown) {
    const { message } = (body ?? {}) as { message?: string }
    super(`${request} was answered with ${status}: ${message ?? JSON.stringify(body)}`)
    this.name = 'EmulatorError'
    this.status = status
    this.body = body
  }
}

/** Sends JSON, and returns the body of the answer. Throws an EmulatorError for a refusal. */
export type Ask = <Reply = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<Reply>

/** Returns a function that asks a server with one key or token. */
export function askerOf(url: string, token: string): Ask {
  return async <Reply>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer: unknown = text === '' ? undefined : JSON.parse(text)
    if (!response.ok) throw new EmulatorError(`${method} ${path}`, response.status, answer)
    return answer as Reply
  }
}

/** Returns a query string of the members that are not undefined. */
export function queryOf(members: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
