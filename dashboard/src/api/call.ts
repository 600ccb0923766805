import { CallError, type GivenMistake } from './errors.ts'
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
export async function call<Reply>(operation: Operation<Reply>, signal?: AbortSignal): Promise<Reply> {
  return (await callTagged(operation, signal)).reply
}

/** An answer with its ETag; null for an answer without one. */
export type Tagged<Reply> = { readonly reply: Reply; readonly tag: string | null }

/** Makes a request as `call` does, and returns the ETag with the answer. `parse` reads the text of the answer. */
export async function callTagged<Reply>(
  operation: Operation<Reply>,
  signal?: AbortSignal,
  parse: (text: string) => unknown = JSON.parse,
): Promise<Tagged<Reply>> {
  const { method, path, body, ifMatch } = operation
  const headers: Record<string, string> = {}
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (method !== 'GET' && csrfToken !== null) headers['X-CSRF-Token'] = csrfToken
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch
  const answer = await fetchOrThrow(root + path.slice(1), {
    method,
    headers,
    ...(signal && { signal }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (answer.status === 401) return signIn()
  const text = await answer.text()
  const reply = (answer.ok && text !== '' ? parse(text) : undefined) as Reply
  if (answer.ok) return { reply, tag: answer.headers.get('ETag') }
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
  const { message, errors, mistakes } = refusalIn(text)
  return new CallError(message ?? `The answer has the status ${answer.status} and no explanation.`, {
    status: answer.status,
    requestId: answer.headers.get('X-Request-Id') ?? undefined,
    ...(Number.isFinite(retryAfter) && { retryAfterS: retryAfter }),
    errors,
    mistakes,
  })
}

type RefusalText = {
  readonly message?: string
  readonly errors: readonly string[]
  readonly mistakes: readonly GivenMistake[]
}

function refusalIn(text: string): RefusalText {
  try {
    const { message, errors } = JSON.parse(text) as { message?: unknown; errors?: unknown }
    return {
      ...(typeof message === 'string' && { message }),
      errors: Array.isArray(errors) ? errors.map(textOfError) : [],
      mistakes: Array.isArray(errors) ? errors.filter(isMistake) : [],
    }
  } catch {
    // A proxy answers with a page of its own.
    return { errors: [], mistakes: [] }
  }
}

function isMistake(entry: unknown): entry is GivenMistake {
  const { path, message } = (entry ?? {}) as { path?: unknown; message?: unknown }
  return typeof path === 'string' && typeof message === 'string'
}

/** An entry of `errors` is a text, or an object with a text. */
function textOfError(entry: unknown): string {
  const { type, message } = (entry ?? {}) as { type?: unknown; message?: unknown }
  const text = [entry, type, message].find((each) => typeof each === 'string')
  return text === undefined ? JSON.stringify(entry) : String(text)
}

let isLeaving = false

/** Leaves for the sign-in page. What waits for the answer waits until the browser has left. */
export function signIn(): Promise<never> {
  // Several requests may find out at once, and a second departure would end the first.
  if (isLeaving) return new Promise(() => {})
  isLeaving = true
  const here = `/${location.pathname.slice(root.length)}${location.search}`
  location.assign(`${root}sign-in?next=${encodeURIComponent(here)}`)
  return new Promise(() => {})
}
