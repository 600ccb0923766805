import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Fetcher, FetchResponse } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import { isTemporary, tryFetch } from '../../base/fetch/try-fetch.ts'
import type { ContentRequest, ContentResponse } from '../liquid/source-query.ts'
import { basicAuthorization, type FindCredential, mayBeSentTo } from './credential.ts'

/** Bytes of one response. */
export const responseBytesMax = 1_048_576
/** Characters of cached responses. */
const cachedCharactersMax = 16_000_000
/** The pauses between attempts after a temporary failure. Only templates with `:retry` have several attempts. */
const defaultPausesMs: readonly number[] = [250, 1_000]

type ConnectedContentServices = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly clock: Pick<Clock, 'now'>
  readonly findCredential: FindCredential
  /** Milliseconds between attempts. */
  readonly pausesMs?: readonly number[]
}

type Authorized = { readonly headers: Readonly<Record<string, string>> } | { readonly refused: string }

type CachedResponse = { readonly untilMs: number; readonly response: Promise<ContentResponse>; characters: number }

/**
 * Makes the requests of `connected_content`. A response is cached for the time in the template, in business time. Equal requests during a
 * request wait for the same response. A password is added to the request here and never reaches a template.
 */
export function openConnectedContent({
  fetcher,
  clock,
  findCredential,
  pausesMs = defaultPausesMs,
}: ConnectedContentServices) {
  const cache = new Map<string, CachedResponse>()
  let cachedCharacters = 0

  function remove(key: string, entry: CachedResponse): void {
    if (cache.get(key) !== entry) return
    cache.delete(key)
    cachedCharacters -= entry.characters
  }

  function add(key: string, entry: CachedResponse): void {
    cache.set(key, entry)
    entry.response.then(
      (response) => {
        if (response === undefined || 'refused' in response || response.status >= 400) return remove(key, entry)
        if (cache.get(key) !== entry) return
        entry.characters = key.length + response.text.length
        cachedCharacters += entry.characters
        for (const [oldKey, oldest] of cache) {
          if (cachedCharacters <= cachedCharactersMax) break
          remove(oldKey, oldest)
        }
      },
      () => remove(key, entry),
    )
  }

  async function authorize(workspace_id: number, { basic_auth, url }: ContentRequest): Promise<Authorized> {
    if (basic_auth === undefined) return { headers: {} }
    const credential = await findCredential(workspace_id, basic_auth)
    if (credential === undefined) return { refused: `there is no credential "${basic_auth}"` }
    if (!mayBeSentTo(credential, url)) return { refused: `the credential "${basic_auth}" is not for this origin` }
    return { headers: { authorization: basicAuthorization(credential) } }
  }

  async function send(workspace_id: number, request: ContentRequest): Promise<ContentResponse> {
    const authorized = await authorize(workspace_id, request)
    if ('refused' in authorized) return authorized
    const { method, body, url } = request
    const headers = { ...request.headers, ...authorized.headers }
    for (let attempt = 0; ; attempt++) {
      const options = { method, headers, bytesMax: responseBytesMax, ...(body !== undefined && { body }) }
      const result = await tryFetch(fetcher, url, options)
      if (result instanceof FetchError && !result.temporary) return { refused: result.message }
      if (!isTemporary(result) || !request.retry) return toResponse(result)
      const pauseMs = pausesMs[attempt]
      if (pauseMs === undefined) return { refused: `no answer after ${attempt + 1} attempts` }
      await sleep(pauseMs)
    }
  }

  return {
    fetch(workspace_id: number, request: ContentRequest): Promise<ContentResponse> {
      const { method, url, headers, body, basic_auth, cacheS } = request
      if (cacheS === 0) return send(workspace_id, request)
      const key = JSON.stringify([workspace_id, method, url, headers, body, basic_auth])
      const cached = cache.get(key)
      if (cached && cached.untilMs > clock.now()) return cached.response
      if (cached) remove(key, cached)
      const entry = { untilMs: clock.now() + cacheS * 1000, response: send(workspace_id, request), characters: 0 }
      add(key, entry)
      return entry.response
    },
  }
}

/** Returns undefined for a server that did not respond. This is not an error: the template decides how to handle it. */
function toResponse(result: FetchResponse | FetchError): ContentResponse {
  return result instanceof FetchError ? undefined : { status: result.status, text: result.body.toString() }
}
