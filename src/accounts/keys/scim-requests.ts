import { hostname } from 'node:os'
import type { Clock } from '../../base/clock.ts'
import type { Exchange } from '../../base/http/observe.ts'
import { maskUrl } from '../../workspace/requests/mask-secrets.ts'

/** The latest requests of a SCIM token that a process keeps. */
export const requestsPerTokenMax = 100
/** The latest requests without a token that is known; nobody knows which provider has made them. */
export const unknownRequestsMax = 100
/** The most characters of a path with its query that are kept. */
export const scimUrlCharactersMax = 500
const refusalCharactersMax = 500

export type ScimRequest = {
  readonly id: string
  readonly at: string
  readonly token_id: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly refusal: string | null
  readonly ip: string
  readonly ms: number
}

type Kept = { requests: number; refused: number; latest: ScimRequest[] }

export type ScimRequestCount = { readonly token_id: string | null; readonly requests: number; readonly refused: number }

type Services = {
  readonly clock: Clock
  /** Finds the id of the token with this text. A request from a wrong origin is refused before its caller is known. */
  findTokenId(text: string): string | undefined
}

const bearer = /^Bearer +([\x21-\x7e]+) *$/i

/**
 * Counts the requests to `/scim/v2` since this process was started, and keeps the latest of each token. It is in memory only: it helps to
 * connect an identity provider. What requests have changed is in the audit.
 */
export class ScimRequests {
  readonly #services: Services
  readonly #kept = new Map<string | null, Kept>()
  readonly since: string
  readonly process = `${hostname()}:${globalThis.process.pid}`

  constructor(services: Services) {
    this.#services = services
    this.since = new Date(services.clock.elapsed()).toISOString()
  }

  /** Records an answer of an endpoint of SCIM. */
  observe = (exchange: Exchange): void => {
    const { route, caller, status, failure, from, method, startedMs, headers } = exchange
    if (!('permission' in route) || route.permission !== 'scim') return
    const token_id = caller?.actor.id ?? this.#tokenIn(headers.authorization)
    const kept = this.#keptOf(token_id)
    kept.requests++
    if (status >= 400) kept.refused++
    kept.latest.unshift({
      id: from.request_id,
      at: new Date(startedMs).toISOString(),
      token_id,
      method,
      path: maskUrl(exchange.url.slice(0, scimUrlCharactersMax)),
      status,
      refusal: failure?.message.slice(0, refusalCharactersMax) ?? null,
      ip: from.ip,
      ms: this.#services.clock.elapsed() - startedMs,
    })
    kept.latest.length = Math.min(kept.latest.length, token_id === null ? unknownRequestsMax : requestsPerTokenMax)
  }

  /** Returns the counts of each token; null stands for requests without a token that is known. */
  counts(): ScimRequestCount[] {
    return [...this.#kept].map(([token_id, { requests, refused }]) => ({ token_id, requests, refused }))
  }

  /** Returns the latest requests of a token, of none (null), or of all (undefined), newest first. */
  latest(token_id: string | null | undefined): ScimRequest[] {
    if (token_id !== undefined) return [...(this.#kept.get(token_id)?.latest ?? [])]
    return [...this.#kept.values()]
      .flatMap(({ latest }) => latest)
      .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
  }

  /** Forgets tokens that are deleted. */
  keepOnly(token_ids: readonly string[]): void {
    for (const id of this.#kept.keys()) if (id !== null && !token_ids.includes(id)) this.#kept.delete(id)
  }

  #keptOf(token_id: string | null): Kept {
    const known = this.#kept.get(token_id)
    if (known) return known
    const made = { requests: 0, refused: 0, latest: [] }
    this.#kept.set(token_id, made)
    return made
  }

  #tokenIn(authorization: string | undefined): string | null {
    const text = bearer.exec(authorization ?? '')?.[1]
    return text === undefined ? null : (this.#services.findTokenId(text) ?? null)
  }
}
