import type { FetchResponse } from './fetch.ts'

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/

/** Returns the beginning of an answer as text that the database stores. */
export function beginningOf({ body }: Pick<FetchResponse, 'body'>, bytes: number): string {
  return body.subarray(0, bytes).toString('utf8').replaceAll('\u0000', '\ufffd').toWellFormed()
}

/** Returns the pause that a server asks for with `Retry-After`, in milliseconds; 0 for none. A date is compared with the server's clock. */
export function retryAfterOf({ headers }: Pick<FetchResponse, 'headers'>): number {
  const text = headers['retry-after'] ?? ''
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1_000
  const [at, now] = [text, headers.date ?? ''].map((date) => (httpDate.test(date) ? Date.parse(date) : Number.NaN))
  return Math.max(at! - now!, 0) || 0
}
