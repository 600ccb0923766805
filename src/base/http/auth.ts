import type { IncomingHttpHeaders } from 'node:http'
import type { Actor, RequestSource } from '../call.ts'
import { Failure, forbidden } from '../errors.ts'
import { sameSecret } from '../ids.ts'
import type { Ability } from './abilities.ts'
import { readSingle } from './query.ts'
import type { Query, Request, Route } from './route.ts'

/** What is known of an API key once its text has been recognised. */
export type ApiKey = {
  readonly id: string
  readonly name: string
  readonly workspace_id: number
  readonly permissions: ReadonlySet<string>
  /** Addresses and networks it may come from; empty for anywhere. */
  readonly allowed_ips: readonly string[]
}

/** What is known of a SCIM token. */
export type ScimToken = {
  readonly id: string
  readonly name: string
  /** What `X-Request-Origin` must say; null: it need not be there. */
  readonly origin: string | null
  readonly allowed_ips: readonly string[]
}

/** Who may come in; `app.ts` builds it. */
export type AuthLookups = {
  findKey(token: string): ApiKey | undefined
  isAllowed(ip: string, allowed: readonly string[]): boolean
  isAdmin(token: string): boolean
  findScimToken(token: string): ScimToken | undefined
  /** The workspace of admin and public routes. */
  readonly defaultWorkspace: () => number
  /** The workspace with this id; the default one when absent. */
  findWorkspace(id: string | undefined): number | undefined
  /** Who has signed in, by the `Cookie` header; asked anew with every request. */
  findSignedIn(cookies: string): Promise<SignedInAccount | undefined>
}

/** Somebody with a session that has not ended. */
export type SignedInAccount = {
  readonly account_id: string
  readonly user_name: string
  /** What `X-CSRF-Token` must say in a write: other sites can make a browser send its cookie, but do not know this. */
  readonly csrf: string
  /** `workspace_id` undefined: in one that does not exist. */
  may(ability: Ability, workspace_id: number | undefined): boolean
}

export type Caller = {
  readonly workspace_id: number
  readonly actor: Actor
  /** What is known only once the body is there; throws 403. Absent for who may do everything. */
  readonly judge?: (request: Request) => void
}

/** As much of a request as it takes to say who asks. */
export type AuthRequest = { readonly headers: IncomingHttpHeaders; readonly query: Query; readonly from: RequestSource }

type AdminRoute = Extract<Route, { permission: 'admin' }>

const bearer = /^Bearer +([\x21-\x7e]+) *$/i
const anonymous = { kind: 'anonymous', id: '', name: 'anonymous' } as const
const admin = { kind: 'admin', id: 'admin', name: 'admin' } as const

/** Who asks at a route. Throws 401 for who is not known and 403 for who may not (contract section 5). */
export function authorize(gate: AuthLookups, route: Route, asking: AuthRequest): Caller | Promise<Caller> {
  const { headers, from } = asking
  if (route.permission === 'public') return { workspace_id: gate.defaultWorkspace(), actor: { ...anonymous, from } }
  const token = bearer.exec(headers.authorization ?? '')?.[1]
  if (route.permission === 'admin') {
    // Who sends a token means it, whatever a browser sends along.
    if (token !== undefined || headers.cookie === undefined) return admitAdmin(gate, token, from)
    return admitSignedIn(gate, route, asking, headers.cookie)
  }
  if (route.permission === 'scim') return admitScim(gate, token, asking)
  const key = token === undefined ? undefined : gate.findKey(token)
  if (key === undefined) throw unknown('Invalid API key', token)
  if (!key.permissions.has(route.permission)) throw forbidden('You do not have permission to access this resource')
  if (key.allowed_ips.length > 0 && !gate.isAllowed(from.ip, key.allowed_ips))
    throw forbidden('Invalid whitelisted IPs')
  return { workspace_id: key.workspace_id, actor: { kind: 'key', id: key.id, name: key.name, from } }
}

function admitScim(gate: AuthLookups, token: string | undefined, { headers, from }: AuthRequest): Caller {
  const found = token === undefined ? undefined : gate.findScimToken(token)
  if (found === undefined) throw unknown('Invalid SCIM token', token)
  const { id, name, origin, allowed_ips } = found
  if (allowed_ips.length > 0 && !gate.isAllowed(from.ip, allowed_ips)) throw forbidden('Invalid whitelisted IPs')
  const sent = headers['x-request-origin']
  if (origin !== null && !(typeof sent === 'string' && isOrigin(sent, origin))) {
    throw forbidden('X-Request-Origin must be the request origin of this service')
  }
  return { workspace_id: gate.defaultWorkspace(), actor: { kind: 'scim', id, name, from } }
}

/** Case makes no difference in a scheme and a host, nor does a slash after them. */
function isOrigin(sent: string, origin: string): boolean {
  return sent.replace(/\/$/, '').toLowerCase() === origin.toLowerCase()
}

function admitAdmin(gate: AuthLookups, token: string | undefined, from: RequestSource): Caller {
  if (token === undefined || !gate.isAdmin(token)) throw unknown('Invalid admin token', token)
  return { workspace_id: gate.defaultWorkspace(), actor: { ...admin, from } }
}

async function admitSignedIn(
  gate: AuthLookups,
  route: AdminRoute,
  asking: AuthRequest,
  cookies: string,
): Promise<Caller> {
  const { headers, query, from } = asking
  const signedIn = await gate.findSignedIn(cookies)
  if (signedIn === undefined)
    throw new Failure('unauthenticated', 'Sign in first: there is no session, or it has ended')
  const { account_id, user_name, csrf } = signedIn
  const sent = headers['x-csrf-token']
  if (route.method !== 'GET' && (typeof sent !== 'string' || !sameSecret(sent, csrf))) {
    throw forbidden('X-CSRF-Token must say what GET /admin/session answers as csrf_token')
  }
  const named = gate.findWorkspace(readSingle(query, 'workspace'))
  const demand = (ability: Ability) => {
    if (!signedIn.may(ability, named)) throw forbidden(`You do not have permission to do this: it takes ${ability}`)
  }
  demand(route.ability)
  const actor: Actor = { kind: 'account', id: account_id, name: user_name, from }
  const judge = (request: Request) => {
    const further = route.further?.(request)
    if (further !== undefined) demand(further)
  }
  // Where only who may everywhere has come this far, the verb says that there is no such workspace.
  return { workspace_id: named ?? gate.defaultWorkspace(), actor, judge }
}

// The key is not echoed, although the hosted interface does: answers end up in other people's logs.
function unknown(text: string, token: string | undefined): Failure {
  const message = token === undefined ? `${text}: send it as "Authorization: Bearer ..."` : text
  return new Failure('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
