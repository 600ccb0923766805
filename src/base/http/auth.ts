import type { IncomingHttpHeaders } from 'node:http'
import type { Actor, RequestSource } from '../call.ts'
import { Failure, forbidden } from '../errors.ts'
import { sameSecret } from '../ids.ts'
import type { Ability } from './abilities.ts'
import { readSingle } from './query.ts'
import type { Query, Request, Route } from './route.ts'
import type { WrongBearers } from './wrong-bearers.ts'

/** An API key whose text was recognised. */
export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly workspace_id: number
  readonly permissions: ReadonlySet<string>
  /** Addresses and networks from which it may be used; empty for all. */
  readonly allowed_ips: readonly string[]
  /** Whether its requests are strict (`Call`). */
  readonly strict: boolean
}

/** A SCIM token whose text was recognised. */
export type ScimToken = {
  readonly id: string
  readonly name: string
  /** The required value of `X-Request-Origin`; null when the header is not required. */
  readonly origin: string | null
  readonly allowed_ips: readonly string[]
  /** Whether it may change permissions of accounts. */
  readonly may_grant: boolean
}

/** The look-ups of authorization. `app.ts` provides them. */
export type AuthLookups = {
  findKey(token: string): ApiKey | undefined
  isAllowed(ip: string, allowed: readonly string[]): boolean
  isAdmin(token: string): boolean
  findScimToken(token: string): ScimToken | undefined
  readonly wrongBearers: WrongBearers
  /** Returns the workspace of admin and public routes. */
  readonly defaultWorkspace: () => number
  /** Finds the workspace with this id; the default one for undefined. */
  findWorkspace(id: string | undefined): number | undefined
  /** Finds the signed-in account by the `Cookie` header. Not cached: a session that was ended has no effect from then on. */
  findSignedIn(cookies: string): Promise<SignedInAccount | undefined>
}

/** An account with a session that has not ended. */
export type SignedInAccount = {
  readonly account_id: string
  readonly user_name: string
  /** The required `X-CSRF-Token` of a write: another site can make a browser send its cookie, but does not know this token. */
  readonly csrf: string
  /** Whether the account has an ability in a workspace; undefined means a workspace that does not exist. */
  may(ability: Ability, workspace_id: number | undefined): boolean
}

export type Caller = {
  readonly workspace_id: number
  readonly actor: Actor
  /** Whether its API key is strict (`Call`). */
  readonly strict?: boolean
  /** Checks abilities that depend on the body. Throws 403. Absent for a caller that may do everything. */
  readonly checkRequest?: (request: Request) => void
  /** Whether it has an ability in the workspace of the request. Absent for a caller that may do everything. */
  readonly may?: (ability: Ability) => boolean
}

/** The part of a request that authorization needs. `body` is only read where it may have the key (`keyIsInBody`). */
export type AuthRequest = {
  readonly headers: IncomingHttpHeaders
  readonly query: Query
  readonly from: RequestSource
  readonly body?: unknown
}

type AdminRoute = Extract<Route, { permission: 'admin' }>

const bearer = /^Bearer +([\x21-\x7e]+) *$/i
const anonymous = { kind: 'anonymous', id: '', name: 'anonymous' } as const
const admin = { kind: 'admin', id: 'admin', name: 'admin' } as const

/** Returns the caller of a route. Throws 401 for an unknown caller and 403 for one without permission (contract section 5). */
export function authorize(lookups: AuthLookups, route: Route, request: AuthRequest): Caller | Promise<Caller> {
  const { headers, from } = request
  if (route.permission === 'public') return { workspace_id: lookups.defaultWorkspace(), actor: { ...anonymous, from } }
  const token = bearer.exec(headers.authorization ?? '')?.[1]
  if (route.permission === 'admin') {
    // A token has precedence over the cookie that a browser sends with it.
    if (token !== undefined || headers.cookie === undefined) return authorizeAdmin(lookups, token, from)
    return authorizeSignedIn(lookups, route, request, headers.cookie)
  }
  if (route.permission === 'scim') return authorizeScim(lookups, token, request)
  return authorizeKey(lookups, route.permission, route.keyMember, token ?? keyInBody(route, request), from)
}

/** Returns whether the key of a request can only be in its body, which must then be read before the caller is known. */
export function keyIsInBody({ keyMember }: Route, { authorization }: IncomingHttpHeaders): boolean {
  return keyMember !== undefined && !bearer.test(authorization ?? '')
}

function keyInBody({ keyMember }: Route, { body }: AuthRequest): string | undefined {
  if (keyMember === undefined || typeof body !== 'object' || body === null) return undefined
  const key: unknown = Object.hasOwn(body, keyMember) ? (body as Record<string, unknown>)[keyMember] : undefined
  return typeof key === 'string' && key !== '' ? key : undefined
}

function authorizeKey(
  lookups: AuthLookups,
  permission: string,
  keyMember: string | undefined,
  token: string | undefined,
  from: RequestSource,
): Caller {
  const key = token === undefined ? undefined : lookups.findKey(token)
  if (key === undefined) throw unknown(lookups, 'Invalid API key', token, from, keyMember)
  lookups.wrongBearers.check(from.ip, token!)
  if (!key.permissions.has(permission)) throw forbidden('You do not have permission to access this resource')
  if (key.allowed_ips.length > 0 && !lookups.isAllowed(from.ip, key.allowed_ips))
    throw forbidden('Invalid whitelisted IPs')
  return {
    workspace_id: key.workspace_id,
    actor: { kind: 'key', id: key.id, name: key.name, from },
    strict: key.strict,
  }
}

function authorizeScim(lookups: AuthLookups, token: string | undefined, { headers, from }: AuthRequest): Caller {
  const found = token === undefined ? undefined : lookups.findScimToken(token)
  if (found === undefined) throw unknown(lookups, 'Invalid SCIM token', token, from)
  const { id, name, origin, allowed_ips, may_grant: mayGrant } = found
  if (allowed_ips.length > 0 && !lookups.isAllowed(from.ip, allowed_ips)) throw forbidden('Invalid whitelisted IPs')
  const sent = headers['x-request-origin']
  if (origin !== null && !(typeof sent === 'string' && isOrigin(sent, origin))) {
    throw forbidden('X-Request-Origin must be the request origin of this service')
  }
  return { workspace_id: lookups.defaultWorkspace(), actor: { kind: 'scim', id, name, from, mayGrant } }
}

/** Compares origins without regard to case and to a final slash. */
function isOrigin(sent: string, origin: string): boolean {
  return sent.replace(/\/$/, '').toLowerCase() === origin.toLowerCase()
}

function authorizeAdmin(lookups: AuthLookups, token: string | undefined, from: RequestSource): Caller {
  if (token === undefined || !lookups.isAdmin(token)) throw unknown(lookups, 'Invalid admin token', token, from)
  return { workspace_id: lookups.defaultWorkspace(), actor: { ...admin, from } }
}

async function authorizeSignedIn(
  lookups: AuthLookups,
  route: AdminRoute,
  request: AuthRequest,
  cookies: string,
): Promise<Caller> {
  const { headers, query, from } = request
  const signedIn = await lookups.findSignedIn(cookies)
  if (signedIn === undefined)
    throw new Failure('unauthenticated', 'Sign in first: there is no session, or it has ended')
  const { account_id, user_name, csrf } = signedIn
  const sent = headers['x-csrf-token']
  if (route.method !== 'GET' && (typeof sent !== 'string' || !sameSecret(sent, csrf))) {
    throw forbidden('X-CSRF-Token must be the csrf_token of GET /admin/session')
  }
  const named = lookups.findWorkspace(readSingle(query, 'workspace'))
  const demand = (ability: Ability) => {
    if (!signedIn.may(ability, named)) throw forbidden(`You do not have permission to do this: it takes ${ability}`)
  }
  demand(route.ability)
  const actor: Actor = { kind: 'account', id: account_id, name: user_name, from }
  const checkRequest = (parsed: Request) => {
    for (const further of route.furtherAbilities?.(parsed) ?? []) demand(further)
  }
  // A caller with the ability everywhere may name an unknown workspace. The verb then answers with 404.
  const may = (ability: Ability) => signedIn.may(ability, named)
  return { workspace_id: named ?? lookups.defaultWorkspace(), actor, checkRequest, may }
}

/** Returns the error for a token that is missing or unknown. Throws 429 when too many unknown ones came from the address. */
function unknown(
  lookups: AuthLookups,
  text: string,
  token: string | undefined,
  { ip }: RequestSource,
  member?: string,
): Failure {
  if (token !== undefined) lookups.wrongBearers.count(ip)
  // The key is not echoed, although the hosted interface does: answers end up in other people's logs.
  const places = `"Authorization: Bearer ..."${member === undefined ? '' : ` or as '${member}' of the body`}`
  const message = token === undefined ? `${text}: send it as ${places}` : text
  return new Failure('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
