import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Fetcher, FetchResponse } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import type { FetchedText, FetchWish } from './asks.ts'

/** Bytes of one answer. */
export const answerBytesMax = 1_048_576
/** Characters of answers that are kept to serve again. */
const keptCharactersMax = 16_000_000
/** After a failure that may pass; only where the template says `:retry`. */
const usualPausesMs: readonly number[] = [250, 1_000]
const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** `origins`: where it may be sent; anywhere when empty. */
export type Credential = {
  readonly user_name: string
  readonly password: string
  readonly origins: readonly string[]
}

type ConnectionParts = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly clock: Pick<Clock, 'now'>
  findCredential(workspace_id: number, name: string): Promise<Credential | undefined>
  /** Milliseconds between attempts. */
  readonly pausesMs?: readonly number[]
}

type Authorized = { readonly headers: Readonly<Record<string, string>> } | { readonly refused: string }

type Kept = { readonly untilMs: number; readonly answer: Promise<FetchedText>; characters: number }

/**
 * Asks other servers for `connected_content`. Answers serve again for as long as the template says, on the clock of the business;
 * the same question asked meanwhile waits for the same answer. A password goes into the request here and nowhere else.
 */
export function openConnection({ fetcher, clock, findCredential, pausesMs = usualPausesMs }: ConnectionParts) {
  const kept = new Map<string, Kept>()
  let keptCharacters = 0

  function forget(key: string, entry: Kept): void {
    if (kept.get(key) !== entry) return
    kept.delete(key)
    keptCharacters -= entry.characters
  }

  function keep(key: string, entry: Kept): void {
    kept.set(key, entry)
    entry.answer.then(
      (answer) => {
        if (answer === undefined || 'refused' in answer || answer.status >= 400) return forget(key, entry)
        if (kept.get(key) !== entry) return
        entry.characters = key.length + answer.text.length
        keptCharacters += entry.characters
        for (const [old, oldest] of kept) {
          if (keptCharacters <= keptCharactersMax) break
          forget(old, oldest)
        }
      },
      () => forget(key, entry),
    )
  }

  /** The header that says who asks, or why nobody may. */
  async function authorize(workspace_id: number, { basic_auth, url }: FetchWish): Promise<Authorized> {
    if (basic_auth === undefined) return { headers: {} }
    const credential = await findCredential(workspace_id, basic_auth)
    if (credential === undefined) return { refused: `there is no credential "${basic_auth}"` }
    if (!mayGoTo(credential, url)) return { refused: `the credential "${basic_auth}" is not for this origin` }
    return { headers: { authorization: authorizationOf(credential) } }
  }

  async function ask(workspace_id: number, wish: FetchWish): Promise<FetchedText> {
    const authorized = await authorize(workspace_id, wish)
    if ('refused' in authorized) return authorized
    const { method, body } = wish
    const asked = { method, headers: { ...wish.headers, ...authorized.headers }, bytesMax: answerBytesMax }
    for (let attempt = 0; ; attempt++) {
      const answer = await fetchOrRefused(fetcher, wish.url, { ...asked, ...(body !== undefined && { body }) })
      if (answer instanceof FetchError && !answer.temporary) return { refused: answer.message }
      if (!isPassing(answer) || !wish.retry) return textOf(answer)
      const pauseMs = pausesMs[attempt]
      if (pauseMs === undefined) return { refused: `no answer after ${attempt + 1} attempts` }
      await sleep(pauseMs)
    }
  }

  return {
    fetch(workspace_id: number, wish: FetchWish): Promise<FetchedText> {
      if (wish.cacheS === 0) return ask(workspace_id, wish)
      const key = JSON.stringify([workspace_id, wish.method, wish.url, wish.headers, wish.body, wish.basic_auth])
      const known = kept.get(key)
      if (known && known.untilMs > clock.now()) return known.answer
      if (known) forget(key, known)
      const entry = { untilMs: clock.now() + wish.cacheS * 1000, answer: ask(workspace_id, wish), characters: 0 }
      keep(key, entry)
      return entry.answer
    },
  }
}

/** Whether a credential may go to the server of this URL. */
export function mayGoTo({ origins }: Pick<Credential, 'origins'>, url: string): boolean {
  return origins.length === 0 || origins.includes(URL.parse(url)?.origin ?? '')
}

/** The value of `Authorization`. */
export function authorizationOf({ user_name, password }: Credential): string {
  return `Basic ${Buffer.from(`${user_name}:${password}`).toString('base64')}`
}

/** Whether the same request may succeed a little later. */
export function isPassing(answer: FetchResponse | FetchError): boolean {
  return answer instanceof FetchError ? answer.temporary : temporaryStatuses.has(answer.status)
}

/** An answer, or why there is none. */
export async function fetchOrRefused(
  fetcher: Pick<Fetcher, 'fetch'>,
  url: string,
  asked: Parameters<Fetcher['fetch']>[1],
): Promise<FetchResponse | FetchError> {
  try {
    return await fetcher.fetch(url, asked)
  } catch (error) {
    if (error instanceof FetchError) return error
    throw error
  }
}

/** An answer that never came is none: the template may do without. */
function textOf(answer: FetchResponse | FetchError): FetchedText {
  return answer instanceof FetchError ? undefined : { status: answer.status, text: answer.body.toString() }
}
