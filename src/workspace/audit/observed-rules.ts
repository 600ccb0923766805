import type { Actor } from '../../base/call.ts'
import type { Ability } from '../../base/http/abilities.ts'
import type { AnsweredRequest } from '../../base/http/observe.ts'
import type { Permission } from '../../base/http/permissions.ts'

/** A request that the audit records although it changed nothing. */
export type ObservedEvent = {
  readonly kind: 'access' | 'refusal'
  readonly actor: Actor
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string }
  readonly workspace_id: number | null
  readonly details: { readonly status: number; readonly reason?: string; readonly name?: string }
}

/** The most characters of a text that a caller wrote: a reason, an id of a path, a user name. */
export const observedCharactersMax = 500

/** Abilities that show people, or what was sent to them. */
const readingAbilities: ReadonlySet<Ability> = new Set([
  'people.read',
  'people.export',
  'messages.read',
  'suppressions.read',
  'work.read',
  'requests.read',
  'inbox.read',
])

/**
 * Permissions of API keys that show people, and those that write much configuration, with the action of the audit row. Other changes by
 * keys are recorded in their transactions.
 */
const observedPermissions: ReadonlyMap<Permission | 'scim' | 'public' | 'admin', string> = new Map([
  ['users.export.ids', 'people.read'],
  ['users.export.segment', 'people.export'],
  ['users.export.global_control_group', 'people.export'],
  ['users.track.sync', 'people.read'],
  ['subscription.status.get', 'people.read'],
  ['subscription.groups.get', 'people.read'],
  ['preference_center.user.get', 'people.read'],
  ['email.hard_bounces', 'people.read'],
  ['email.unsubscribe', 'people.read'],
  ['catalogs.add_items', 'catalog_items.create'],
  ['catalogs.create_item', 'catalog_items.create'],
  ['catalogs.update_items', 'catalog_items.update'],
  ['catalogs.update_item', 'catalog_items.update'],
  ['catalogs.replace_items', 'catalog_items.replace'],
  ['catalogs.replace_item', 'catalog_items.replace'],
  ['catalogs.delete_items', 'catalog_items.delete'],
  ['catalogs.delete_item', 'catalog_items.delete'],
  ['sends.id.create', 'send_id.create'],
])

const anonymous = { kind: 'anonymous', id: '', name: 'anonymous' } as const
const downloadPath = '/exports/{object}'

/** Returns what the audit records of an answer; undefined for nothing. Pure. */
export function eventOfAnswer(answered: AnsweredRequest): ObservedEvent | undefined {
  const { route, status } = answered
  if (!('permission' in route)) return eventOfPage(answered)
  if (status < 400) {
    const action = accessAction(route)
    return action === undefined ? undefined : accessOf(answered, action, endpointOf(answered))
  }
  // A failure of the service is no refusal.
  if (status >= 500) return undefined
  if (route.permission === 'scim') return refusalOf(answered, 'scim.refuse', scimTarget(answered))
  if (status !== 401) return undefined
  return refusalOf(answered, route.permission === 'admin' ? 'admin.refuse' : 'key.refuse', endpointOf(answered))
}

/** Returns the event of a link to sign in that was asked for an account that does not exist or may not sign in. Pure. */
export function unknownAccountEvent(user_name: string, { ip, request_id }: Actor['from']): ObservedEvent {
  return {
    kind: 'refusal',
    actor: { ...anonymous, from: { ip, request_id } },
    action: 'session.refuse',
    target: { kind: 'endpoint', id: 'POST /sign-in' },
    workspace_id: null,
    details: { status: 200, reason: 'There is no active account with this name', name: cleanText(user_name) },
  }
}

function eventOfPage(answered: AnsweredRequest): ObservedEvent | undefined {
  const { route, params, status } = answered
  if (route.path === downloadPath) {
    if (status >= 300) return undefined
    return accessOf(answered, 'export.download', { kind: 'export', id: cleanText(params.object ?? '') })
  }
  const isRefused = status >= 400 && status < 500
  if (!isRefused || !/^\/sign-in(?:\/|$)/.test(route.path)) return undefined
  return refusalOf(answered, 'session.refuse', endpointOf(answered))
}

function accessAction(route: AnsweredRequest['route']): string | undefined {
  if (!('permission' in route)) return undefined
  const { ability, permission } = route
  if (ability !== undefined) return readingAbilities.has(ability) ? ability : undefined
  return observedPermissions.get(permission)
}

function accessOf(
  { caller, from, status }: AnsweredRequest,
  action: string,
  target: ObservedEvent['target'],
): ObservedEvent {
  return {
    kind: 'access',
    actor: caller?.actor ?? { ...anonymous, from },
    action,
    target,
    workspace_id: caller?.workspace_id ?? null,
    details: { status },
  }
}

function refusalOf(
  { caller, failure, from, status }: AnsweredRequest,
  action: string,
  target: ObservedEvent['target'],
): ObservedEvent {
  return {
    kind: 'refusal',
    actor: caller?.actor ?? { ...anonymous, from },
    action,
    target,
    workspace_id: null,
    details: { status, reason: cleanText(failure?.message ?? 'The account does not exist or may not sign in') },
  }
}

function endpointOf({ route }: AnsweredRequest): ObservedEvent['target'] {
  return { kind: 'endpoint', id: `${route.method ?? 'GET'} ${route.path}` }
}

/** Names the account of a SCIM request, so that its refusals are found with its changes. A stranger's id is not stored. */
function scimTarget(answered: AnsweredRequest): ObservedEvent['target'] {
  const { caller, params, route } = answered
  const isAccount = params.id !== undefined && /\/Users\//.test(route.path)
  return caller && isAccount ? { kind: 'account', id: cleanText(params.id!) } : endpointOf(answered)
}

/** Returns a text that a database can store, with a bounded length. */
function cleanText(text: string): string {
  return text.slice(0, observedCharactersMax).toWellFormed().replaceAll('\0', '\ufffd')
}
