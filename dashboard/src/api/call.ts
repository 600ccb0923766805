import { CallError } from './errors.ts'
import type { Operation } from './operation.ts'

const script = import.meta.url

/**
 * The path of the service's root, `/` unless a proxy puts another path in front. This script is `dashboard/assets/...`; while developing,
 * it is elsewhere.
 */
export const root = new URL(script.includes('/assets/') ? '../..' : '/', script).pathname

let csrfToken: string | null = null

/** Sets the token that every write must send. It comes with the session. */
export function setCsrfToken(token: string | null): void {
  csrfToken = token
}

/** Makes a request. Throws a `CallError`. Without a session, the browser goes to the sign-in page and comes back later. */
export async function call<Reply>({ method, path, body }: Operation<Reply>, signal?: AbortSignal): Promise<Reply> {
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (method !== 'GET' && csrfToken !== null) headers['X-CSRF-Token'] = csrfToken
  const answer = await fetchOrThrow(root + path.slice(1), {
    method,
    headers,
    ...(signal && { signal }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (answer.status === 401) return signIn()
  const text = await answer.text()
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as Reply
  throw errorFrom(answer, text)
}

async function fetchOrThrow(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new CallError('The service cannot be reached. Is it running, and are you online?')
  }
}

function errorFrom(answer: Response, text: string): CallError {
  const retryAfter = Number(answer.headers.get('Retry-After') ?? Number.NaN)
  const { message, errors } = refusalIn(text)
  return new CallError(message ?? `The answer has the status ${answer.status} and no explanation.`, {
    status: answer.status,
    requestId: answer.headers.get('X-Request-Id') ?? undefined,
    ...(Number.isFinite(retryAfter) && { retryAfterS: retryAfter }),
    errors,
  })
}

function refusalIn(text: string): { readonly message?: string; readonly errors: readonly string[] } {
  try {
    const { message, errors } = JSON.parse(text) as { message?: unknown; errors?: unknown }
    return {
      ...(typeof message === 'string' && { message }),
      errors: Array.isArray(errors) ? errors.map(textOfError) : [],
    }
  } catch {
    // A proxy answers with a page of its own.
    return { errors: [] }
  }
}

/** An entry of `errors` is a text, or an object with a text. */
function textOfError(entry: unknown): string {
  const { type, message } = (entry ?? {}) as { type?: unknown; message?: unknown }
  const text = [entry, type, message].find((each) => typeof each === 'string')
  return text === undefined ? JSON.stringify(entry) : String(text)
}

/** Leaves for the sign-in page. What waits for the answer waits until the browser has left. */
export function signIn(): Promise<never> {
  const here = `/${location.pathname.slice(root.length)}${location.search}`
  location.assign(`${root}sign-in?next=${encodeURIComponent(here)}`)
  return new Promise(() => {})
}
