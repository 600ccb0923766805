import type { IncomingHttpHeaders } from 'node:http'
import type { Actor } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'
import { type Ability, scopeOf } from '../../base/http/abilities.ts'
import { bodyStartMax, type Exchange } from '../../base/http/observe.ts'
import { loggedUrlCharactersMax } from './schema.ts'

/** Stands for the callers that were not recognised: their requests belong to no workspace. */
export const strangers = 0

/** Where a request is logged, and what it takes to see it there. */
export type RequestOwner = {
  readonly workspace_id: number
  readonly ability: Ability | undefined
  /** Whether a key may be in the body. */
  readonly hasKeyInBody?: boolean
}

/** A kept body. `start` is a copy of its beginning. */
export type KeptBody = {
  readonly headers: Readonly<Record<string, string>>
  readonly start: Buffer | undefined
  readonly bytes: number
  readonly isCut: boolean
}

/** A kept request. Secrets in its bodies are masked when it is read. */
export type LoggedExchange = {
  /** Rises with each request that this process keeps. */
  readonly count: number
  readonly id: string
  readonly atMs: number
  readonly clockMs: number
  readonly ms: number
  readonly method: string
  readonly url: string
  readonly status: number
  readonly actor: Actor | undefined
  readonly ability: Ability | undefined
  readonly ip: string
  readonly items: number | null
  readonly refusal: string | null
  readonly sent: KeptBody
  readonly answered: KeptBody
  /** What it takes of the memory of the log. */
  readonly bytes: number
}

/**
 * Returns where a request is logged; undefined for one that is not. Logged are requests with API keys, and administrative writes and
 * refusals in a workspace. What the dashboard reads would only hide them. Those who could not make an administrative request do not see it.
 */
export function ownerOf(
  { route, status, caller, query, method }: Exchange,
  { findWorkspace }: { findWorkspace(id: string | undefined): number | undefined },
): RequestOwner | undefined {
  if (!('permission' in route)) return undefined
  const { permission, ability, keyMember } = route
  if (permission === 'scim' || permission === 'public') return undefined
  if (ability === undefined) {
    return { workspace_id: caller?.workspace_id ?? strangers, ability, hasKeyInBody: keyMember !== undefined }
  }
  if (!caller || scopeOf(ability) !== 'workspace' || (method === 'GET' && status < 400)) return undefined
  const workspace_id = findWorkspace(query.workspace?.[0])
  return workspace_id === undefined ? undefined : { workspace_id, ability }
}

/** What an entry takes beside its texts. */
const entryBytes = 1_000

/** Copies what is kept of a request and its answer. */
export function loggedExchange(
  exchange: Exchange,
  { ability, hasKeyInBody = false }: RequestOwner,
  clock: Clock,
  count: number,
): LoggedExchange {
  const { startedMs, method, status, failure, caller, from, headers, reply } = exchange
  const url = exchange.url.slice(0, loggedUrlCharactersMax)
  // A body that could not be read is not kept where it may hold secrets.
  const isReadable = (ability === undefined && !hasKeyInBody) || exchange.sent?.parsed !== undefined
  const sent = { headers: keptHeaders(headers), ...keptStart(isReadable ? exchange.sent : undefined) }
  const answered = { headers: keptReplyHeaders(reply.headers), ...keptAnswer(reply.body) }
  const texts = [url, failure?.message ?? '', JSON.stringify([sent.headers, answered.headers])]
  return {
    count,
    id: from.request_id,
    atMs: startedMs,
    clockMs: clock.now(),
    ms: clock.elapsed() - startedMs,
    method,
    url,
    status,
    actor: caller?.actor,
    ability,
    ip: from.ip,
    items: countItems(exchange.sent?.parsed),
    refusal: failure?.message ?? null,
    sent,
    answered,
    bytes: texts.reduce(
      (sum, text) => sum + 2 * text.length,
      entryBytes + (sent.start?.length ?? 0) + (answered.start?.length ?? 0),
    ),
  }
}

function keptStart(sent: Exchange['sent']): Omit<KeptBody, 'headers'> {
  if (sent === undefined) return { start: undefined, bytes: 0, isCut: false }
  // A part of a buffer would keep all of it in memory.
  const start = Buffer.allocUnsafeSlow(Math.min(sent.start.length, bodyStartMax))
  sent.start.copy(start)
  return { start, bytes: sent.bytes, isCut: sent.bytes > start.length }
}

function keptAnswer(body: Exchange['reply']['body']): Omit<KeptBody, 'headers'> {
  if (typeof body !== 'string' || body === '') return { start: undefined, bytes: 0, isCut: false }
  const bytes = Buffer.byteLength(body)
  const start = Buffer.allocUnsafeSlow(Math.min(bytes, bodyStartMax))
  // Only whole characters are written.
  const length = start.write(body, 'utf8')
  return { start: start.subarray(0, length), bytes, isCut: bytes > length }
}

/** Headers of requests that have no secrets. Of others, only the name is kept. */
const plainHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'connection', 'content-encoding', 'content-length'],
  ...['content-type', 'expect', 'host', 'idempotency-key', 'origin', 'transfer-encoding', 'user-agent'],
])
const headersMax = 50
const headerCharactersMax = 500

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).slice(0, headersMax)
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name.slice(0, headerCharactersMax),
      plainHeaders.has(name) ? String(value).slice(0, headerCharactersMax) : '***',
    ]),
  )
}

function keptReplyHeaders(headers: Exchange['reply']['headers']): Record<string, string> {
  const plain = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'set-cookie')
  return Object.fromEntries(plain.map(([name, value]) => [name, String(value)]))
}

/** Counts the entries of the lists in a body; null without a list. */
export function countItems(body: unknown): number | null {
  if (typeof body !== 'object' || body === null) return null
  const lists = (Array.isArray(body) ? [body] : Object.values(body)).filter((value) => Array.isArray(value))
  return lists.length === 0 ? null : lists.reduce((sum, list) => sum + list.length, 0)
}
