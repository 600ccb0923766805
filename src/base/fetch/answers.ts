import type { FetchResponse } from './fetch.ts'

/** What is kept of an answer that is shown to people. */
export const saidBytesMax = 500

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/

/** Returns the beginning of an answer as text that the database stores. */
export function beginningOf({ body }: Pick<FetchResponse, 'body'>, bytes: number): string {
  return body.subarray(0, bytes).toString('utf8').replaceAll('\u0000', '\ufffd').toWellFormed()
}

/** Returns the status and the beginning of an answer in one line, for people. */
export function saidBy(answer: Pick<FetchResponse, 'status' | 'body'>): string {
  return `${answer.status} ${beginningOf(answer, saidBytesMax)}`.replaceAll(/\s+/g, ' ').trim()
}

/** Returns the members of an answer in JSON; none for anything else: a proxy before the server may answer with HTML. */
export function membersOf({ body }: Pick<FetchResponse, 'body'>): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    // The status says how the request ended.
    return {}
  }
}

/** Returns the pause that a server asks for with `Retry-After`, in milliseconds; 0 for none. A date is compared with the server's clock. */
export function retryAfterOf({ headers }: Pick<FetchResponse, 'headers'>): number {
  const text = headers['retry-after'] ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const [at, now] = [text, headers.date ?? ''].map((date) => (httpDate.test(date) ? Date.parse(date) : Number.NaN))
  return Math.max(at! - now!, 0) || 0
}
