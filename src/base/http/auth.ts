import type { Actor } from '../call.ts'
import { Failure, forbidden } from '../errors.ts'
import type { Route } from './route.ts'

/** What is known of an API key once its text has been recognised. */
export type Key = {
  readonly id: string
  readonly name: string
  readonly workspace_id: number
  readonly permissions: ReadonlySet<string>
  /** Addresses and networks it may come from; empty for anywhere. */
  readonly allowed_ips: readonly string[]
}

/** Who may come in; `app.ts` builds it. */
export type Gate = {
  findKey(token: string): Key | undefined
  isAllowed(ip: string, allowed: readonly string[]): boolean
  isAdmin(token: string): boolean
  /** The workspace of admin and public routes. */
  readonly defaultWorkspace: () => number
}

export type Caller = { readonly workspace_id: number; readonly actor: Actor }

const bearer = /^Bearer +([\x21-\x7e]+) *$/i
const anonymous: Actor = { kind: 'anonymous', id: '', name: 'anonymous' }
const admin: Actor = { kind: 'admin', id: 'admin', name: 'admin' }

/** Who asks at a route. Throws 401 for who is not known and 403 for who may not (contract section 5). */
export function admit(gate: Gate, route: Route, authorization: string | undefined, ip: string): Caller {
  if (route.permission === 'public') return { workspace_id: gate.defaultWorkspace(), actor: anonymous }
  const token = bearer.exec(authorization ?? '')?.[1]
  if (route.permission === 'admin') return admitAdmin(gate, token)
  const key = token === undefined ? undefined : gate.findKey(token)
  if (key === undefined) throw unknown('Invalid API key', token)
  if (!key.permissions.has(route.permission)) throw forbidden('You do not have permission to access this resource')
  if (key.allowed_ips.length > 0 && !gate.isAllowed(ip, key.allowed_ips)) throw forbidden('Invalid whitelisted IPs')
  return { workspace_id: key.workspace_id, actor: { kind: 'key', id: key.id, name: key.name } }
}

function admitAdmin(gate: Gate, token: string | undefined): Caller {
  if (token === undefined || !gate.isAdmin(token)) throw unknown('Invalid admin token', token)
  return { workspace_id: gate.defaultWorkspace(), actor: admin }
}

// The key is not echoed, although the hosted interface does: answers end up in other people's logs.
function unknown(text: string, token: string | undefined): Failure {
  const message = token === undefined ? `${text}: send it as "Authorization: Bearer ..."` : text
  return new Failure('unauthenticated', message, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
