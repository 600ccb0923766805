import { type Failure, invalid } from '../../base/errors.ts'
import { Notices } from '../../base/http/notices.ts'
import {
  type Identifier,
  type IdentifierKind,
  idText,
  isGiven,
  isLocalEmail,
  pushTokenIdentifier,
  readIdentifier,
} from '../identity/identifier.ts'
import { type AttributeChange, blankChange, readAttributes } from '../profile/attributes.ts'
import type { GroupRef } from '../profile/group-states.ts'
import { lostOfTokens, readPushTokens } from '../profile/push-tokens.ts'
import { isTooLarge, profileTooLarge } from '../profile/size-limit.ts'
import { onlyImported } from '../values/drops.ts'
import type { NestedNulls } from '../values/nulls.ts'
import {
  badEmail,
  badTokenImport,
  type IdentifierWords,
  identifierWords,
  notAnObject,
  notValid,
  reservedId,
} from '../values/refusals.ts'
import { isObject, toFlag } from '../values/values.ts'
import { type EventItem, type PurchaseItem, readEvent, readPurchase } from './occurrences.ts'
import { type InputArray, noValidItems, type TrackError, tooManyForOne, tooManyItems } from './schema.ts'

export type TrackRules = {
  /** Epoch milliseconds; later times of events and purchases are replaced by this. */
  readonly nowMs: number
  /** Whether texts and keys must be checked, because the body has escapes or one of the dropped keys. */
  readonly suspicious: boolean
  /** Returns the time before which events and purchases are deleted. */
  readonly historyCutoffMs?: () => number
  /** The most objects in the three arrays together. */
  readonly batchMax: number
  /** The most objects in each array; replaces `batchMax` unless null. */
  readonly batchMaxPerArray: number | null
  /** The most accepted objects for one user; null for no limit. */
  readonly perPersonMax: number | null
  readonly reservedExternalIds: ReadonlySet<string>
  /** Whether a reserved id refuses only its object, not the request. */
  readonly reservedIdsPartial: boolean
  readonly appIds: ReadonlySet<string>
  /** Subscription groups of the workspace by their public id. */
  readonly groups: ReadonlyMap<string, GroupRef>
  /** Whether e-mail addresses such as `a@localhost` are accepted. */
  readonly localEmails?: boolean
  /** What happens to nulls inside custom attributes, if not the default of workspaces. */
  readonly nestedNulls?: NestedNulls
  /** Names of custom attributes that are not stored. */
  readonly blockedAttributes?: ReadonlySet<string>
  readonly serviceName: string
  /** Whether the body is so large that one object may be larger than a profile. */
  readonly isLarge?: boolean
  /** Whether an object of which something would not be kept as sent is refused. */
  readonly strict?: boolean
}

export type AttributeItem = {
  readonly identifier: Identifier
  readonly create: boolean
  readonly change: AttributeChange
  /** Whether the change has an effect only when this item creates the person. The identifier must be an address. */
  readonly onlyNew?: true
}
export type { EventItem, PurchaseItem }

export type SplitTrack = {
  readonly attributes: readonly AttributeItem[]
  /** The position of each of them in its array. */
  readonly positions: readonly number[]
  readonly events: readonly EventItem[]
  readonly purchases: readonly PurchaseItem[]
  readonly errors: readonly TrackError[]
  /** What is not kept of the accepted objects. */
  readonly notices: Notices
  /** Which arrays were sent and not empty. */
  readonly sent: Readonly<Record<InputArray, boolean>>
  /** The number of accepted objects of each array. */
  readonly processed: Readonly<Record<InputArray, number>>
}

type Input = Readonly<Record<string, unknown>>
type Lists = Readonly<Record<InputArray, readonly unknown[]>>
type Attempt = {
  readonly rules: TrackRules
  readonly words: IdentifierWords
  readonly errors: TrackError[]
  readonly notices: Notices
}

export const inputArrays = ['attributes', 'events', 'purchases'] as const
const nothing: readonly unknown[] = Object.freeze([])

/**
 * Splits a track request into accepted and refused objects (specification 4.1). Throws a Failure, with `errors`, if the body is no object
 * of arrays, has too many objects or a reserved id, or has no object that can be accepted.
 */
export function splitTrack(body: unknown, rules: TrackRules): SplitTrack {
  const lists = readLists(body)
  refuseTooMany(lists, rules)
  refuseReserved(lists, rules)
  const attempt = {
    rules,
    words: identifierWords(rules.serviceName),
    errors: [] as TrackError[],
    notices: new Notices(rules.strict === true),
  }
  const attributes: AttributeItem[] = []
  const positions: number[] = []
  const events: EventItem[] = []
  const purchases: PurchaseItem[] = []
  const processed = {
    attributes: take(attempt, 'attributes', lists, (object, index) => {
      const refusal = takeAttributes(object, attempt, attributes)
      while (positions.length < attributes.length) positions.push(index)
      return refusal
    }),
    events: take(attempt, 'events', lists, (object) => takeItem(object, attempt, readEvent, events)),
    purchases: take(attempt, 'purchases', lists, (object) => takeItem(object, attempt, readPurchase, purchases)),
  }
  if (processed.attributes + processed.events + processed.purchases === 0) throw fatal(noValidItems, attempt.errors)
  if (rules.perPersonMax !== null) refuseCrowd([attributes, events, purchases], rules.perPersonMax)
  const sent = {
    attributes: lists.attributes.length > 0,
    events: lists.events.length > 0,
    purchases: lists.purchases.length > 0,
  }
  const { errors, notices } = attempt
  return { attributes, positions, events, purchases, errors, notices, sent, processed }
}

export function fatal(message: string, errors: readonly TrackError[] = []): Failure {
  return invalid(message, errors)
}

function readLists(body: unknown): Lists {
  if (!isObject(body)) throw fatal(noValidItems)
  const [attributes, events, purchases] = inputArrays.map((name) => body[name] ?? nothing)
  if (!Array.isArray(attributes) || !Array.isArray(events) || !Array.isArray(purchases)) throw fatal(noValidItems)
  return { attributes, events, purchases }
}

function refuseTooMany({ attributes, events, purchases }: Lists, { batchMax, batchMaxPerArray }: TrackRules): void {
  const count =
    batchMaxPerArray === null
      ? attributes.length + events.length + purchases.length
      : Math.max(attributes.length, events.length, purchases.length)
  if (count > (batchMaxPerArray ?? batchMax)) throw fatal(tooManyItems)
}

/** Checks reserved ids. One refuses the request (specification 7), unless the workspace refuses only its object. */
function refuseReserved(lists: Lists, rules: TrackRules): void {
  if (rules.reservedExternalIds.size === 0 || rules.reservedIdsPartial) return
  const errors: TrackError[] = []
  for (const input_array of inputArrays) {
    for (const [index, object] of lists[input_array].entries()) {
      if (isObject(object) && isReserved(object, rules)) errors.push({ index, input_array, type: reservedId })
    }
  }
  if (errors.length > 0) throw fatal(reservedId, errors)
}

function isReserved({ external_id }: Input, { reservedExternalIds }: TrackRules): boolean {
  const id = reservedExternalIds.size === 0 ? undefined : idText(external_id)
  return id !== undefined && reservedExternalIds.has(id)
}

function refuseCrowd(lists: readonly (readonly { readonly identifier: Identifier }[])[], perPersonMax: number): void {
  const counts = new Map<string, number>()
  for (const list of lists) {
    for (const { identifier } of list) {
      if (identifier.value === '') continue
      const key = `${identifier.kind}:${identifier.value}`
      const count = (counts.get(key) ?? 0) + 1
      if (count > perPersonMax) throw fatal(tooManyForOne)
      counts.set(key, count)
    }
  }
}

/** Calls `takeOne` with each object of an array. It returns a text if it refuses the object. Returns how many were accepted. */
function take(
  { errors, notices }: Attempt,
  input_array: InputArray,
  lists: Lists,
  takeOne: (object: Input, index: number) => string | undefined,
): number {
  const list = lists[input_array]
  let accepted = 0
  for (let index = 0; index < list.length; index++) {
    const object = list[index]
    notices.begin(input_array, index)
    const type = isObject(object) ? takeOne(object, index) : notAnObject
    if (type === undefined) accepted++
    else {
      errors.push({ index, input_array, type })
      notices.forget()
    }
  }
  return accepted
}

function takeAttributes(object: Input, attempt: Attempt, into: AttributeItem[]): string | undefined {
  if (object.push_token_import === true) return importTokens(object, attempt, into)
  return takeItem(object, attempt, readChange, into)
}

function readChange(
  object: Input,
  identifier: Identifier,
  create: boolean,
  rules: TrackRules,
  words: IdentifierWords,
  notices: Notices,
): AttributeItem | string {
  const change = readAttributes(object, identifier, rules, words, notices)
  if (typeof change === 'string') return change
  if (rules.isLarge && change.custom && isTooLarge({ custom: change.custom, typed: {} })) return profileTooLarge
  return { identifier, create, change }
}

function takeItem<Item extends object>(
  object: Input,
  { rules, words, notices }: Attempt,
  read: (
    object: Input,
    identifier: Identifier,
    create: boolean,
    rules: TrackRules,
    words: IdentifierWords,
    notices: Notices,
  ) => Item | string,
  into: Item[],
): string | undefined {
  const identifier = identify(object, rules, words)
  if (typeof identifier === 'string') return identifier
  const create = mayCreate(object, identifier.kind)
  if (create === undefined) return badUpdateOnly
  const item = read(object, identifier, create, rules, words, notices)
  if (typeof item === 'string') return item
  const refusal = notices.refusal()
  if (refusal === undefined) into.push(item)
  return refusal
}

function identify(object: Input, rules: TrackRules, words: IdentifierWords): Identifier | string {
  if (isReserved(object, rules)) return reservedId
  const read = readIdentifier(object, words, rules.suspicious)
  const isRefused = typeof read === 'object' && read.kind === 'email' && isLocalEmail(read.value) && !rules.localEmails
  return isRefused ? badEmail : read
}

const badUpdateOnly = notValid('_update_existing_only')

/**
 * Returns whether the object creates a person if no person matches. An alias creates one only if `_update_existing_only` is false, a
 * `service_id` never, another identifier unless it is true. Returns undefined if the member is not a boolean.
 */
function mayCreate({ _update_existing_only: flag }: Input, kind: IdentifierKind): boolean | undefined {
  const given = flag !== undefined && flag !== null
  const only = given ? toFlag(flag) : false
  if (only === undefined) return undefined
  if (kind === 'service_id') return false
  return kind === 'alias' ? given && !only : !only
}

const importMembers = new Set(['push_token_import', 'push_tokens', '_update_existing_only'])

/** Reads an object with `push_token_import`: every token creates an anonymous profile of its own. Other members are not read. */
function importTokens(object: Input, { rules, words, notices }: Attempt, into: AttributeItem[]): string | undefined {
  if (isGiven(object.external_id) || isGiven(object[words.serviceIdKey])) return badTokenImport
  if (!Array.isArray(object.push_tokens) || object.push_tokens.length === 0) return badTokenImport
  const tokens = readPushTokens(object.push_tokens, rules.appIds, rules.suspicious)
  if (typeof tokens === 'string') return tokens
  for (const key in object) if (!importMembers.has(key) && object[key] !== null) notices.add(key, onlyImported)
  const lost = lostOfTokens(object.push_tokens)
  if (lost !== undefined) notices.add('push_tokens', lost)
  const refusal = notices.refusal()
  if (refusal !== undefined) return refusal
  for (const token of tokens) {
    into.push({
      identifier: pushTokenIdentifier(token.app_id, token.token),
      create: true,
      change: blankChange([token]),
    })
  }
  return undefined
}
