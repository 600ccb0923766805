import { type AnyNumber, addNumbers, isAnyNumber, isStorableNumber } from '../../base/exact-number.ts'
import type { Identifier } from '../identity/identifier.ts'
import { largeSum, moreBytes, notAList, notANumber, nothingToUpdate, oldestItems } from '../values/drops.ts'
import {
  arrayItemsMax,
  collapse,
  fits,
  isContainer,
  isObject,
  type Json,
  type JsonObject,
  keyOf,
  nestedBytesMax,
} from '../values/values.ts'
import type { AttributeChange } from './attributes.ts'
import type { ArrayOperation, Match, Operation } from './operations.ts'
import type { StandardFields } from './standard.ts'

/** Counts of sessions stop at the largest value of their column. */
export const countMax = 2 ** 31 - 1

type Custom = Readonly<Record<string, Json>>
type Typed = Readonly<Record<string, number>>

/** Custom attributes, and the epoch milliseconds of those that are dates. */
export type CustomState = { readonly custom: Custom; readonly typed: Typed }

/** The part of a profile that a change may alter, named like the columns. Moments are epoch microseconds. */
export type ProfileState = Readonly<StandardFields> &
  CustomState & {
    readonly external_id: string | null
    readonly email_subscribe_at: number | null
    readonly email_opted_in_at: number | null
    readonly email_unsubscribed_at: number | null
    readonly push_subscribe_at: number | null
    readonly push_opted_in_at: number | null
    readonly push_unsubscribed_at: number | null
  }

/** The part of a profile that a merge combines: the state, and counters and attribution. */
export type MergeState = ProfileState & {
  readonly session_count: number
  readonly total_revenue: number
  readonly attributed_campaign: string | null
  readonly attributed_source: string | null
  readonly attributed_adgroup: string | null
  readonly attributed_ad: string | null
}

/** The profile that is created for an identifier. */
export function blankState(identifier: Identifier): ProfileState {
  return {
    external_id: identifier.kind === 'external_id' ? identifier.value : null,
    email: identifier.kind === 'email' ? identifier.value : null,
    phone: identifier.kind === 'phone' ? identifier.value : null,
    first_name: null,
    last_name: null,
    gender: null,
    dob: null,
    country: null,
    home_city: null,
    language: null,
    time_zone: null,
    image_url: null,
    longitude: null,
    latitude: null,
    facebook: null,
    twitter: null,
    email_subscribe: 'subscribed',
    email_subscribe_at: null,
    email_opted_in_at: null,
    email_unsubscribed_at: null,
    push_subscribe: 'subscribed',
    push_subscribe_at: null,
    push_opted_in_at: null,
    push_unsubscribed_at: null,
    email_open_tracking_disabled: false,
    email_click_tracking_disabled: false,
    date_of_first_session: null,
    date_of_last_session: null,
    marked_email_as_spam_at: null,
    custom: {},
    typed: {},
  }
}

/** Returns the profile after a change with that stamp (epoch microseconds). Other members of the state are copied. */
export function fold<State extends ProfileState>(
  state: State,
  change: AttributeChange,
  stampUs: number,
  lose?: Lose,
): State {
  const { standard } = change
  const { custom, typed } = foldCustom(state, change, lose)
  return standard === null
    ? { ...state, custom, typed }
    : { ...state, ...standard, ...subscribeStamps(standard, stampUs), custom, typed }
}

function subscribeStamps(standard: Partial<StandardFields>, stampUs: number): Partial<ProfileState> {
  const { email_subscribe, push_subscribe } = standard
  return {
    ...(email_subscribe && { email_subscribe_at: stampUs }),
    ...(email_subscribe === 'opted_in' && { email_opted_in_at: stampUs }),
    ...(email_subscribe === 'unsubscribed' && { email_unsubscribed_at: stampUs }),
    ...(push_subscribe && { push_subscribe_at: stampUs }),
    ...(push_subscribe === 'opted_in' && { push_opted_in_at: stampUs }),
    ...(push_subscribe === 'unsubscribed' && { push_unsubscribed_at: stampUs }),
  }
}

/** Called with an attribute of which an operation has no effect, or not all of it, and the reason. */
export type Lose = (key: string, reason: string) => void

/** Applies the custom part of a change. Returns the same state if the change has no such part. */
export function foldCustom(state: CustomState, change: AttributeChange, lose: Lose = loseSilently): CustomState {
  const { custom: sets, removed, operations } = change
  if (sets === null && removed.length === 0 && operations.length === 0) return state
  const custom: Record<string, Json> = { ...state.custom, ...sets }
  const typed: Record<string, number> = { ...state.typed }
  for (const key in sets) delete typed[key]
  for (const key of removed) {
    delete custom[key]
    delete typed[key]
  }
  for (const operation of operations) {
    const { key } = operation
    const value = operate(Object.hasOwn(custom, key) ? custom[key] : undefined, operation, (reason) =>
      lose(key, reason),
    )
    if (value === undefined) continue
    custom[key] = value
    delete typed[key]
  }
  return { custom, typed: Object.assign(typed, change.typed) }
}

/** Combines two plain changes (`isPlain`) into one with the effect of `a` and then `b`. */
export function mergePlain(a: AttributeChange, b: AttributeChange): AttributeChange {
  const custom = { ...a.custom, ...b.custom } as Record<string, Json>
  const typed = { ...a.typed } as Record<string, number>
  const removed = new Set(a.removed)
  for (const key in b.custom) {
    removed.delete(key)
    delete typed[key]
  }
  for (const key of b.removed) {
    removed.add(key)
    delete custom[key]
    delete typed[key]
  }
  return { ...a, custom, typed: Object.assign(typed, b.typed), removed: [...removed] }
}

/** Returns the new value of an attribute after an operation; undefined if the operation has no effect. */
function operate(current: Json | undefined, operation: Operation, lose: LoseOne): Json | undefined {
  switch (operation.kind) {
    case 'inc':
      return increase(current ?? 0, operation.by, lose)
    case 'merge':
      return inSize(isObject(current) ? merged(current as JsonObject, operation.value) : operation.value, lose)
    case 'array':
      return rearrange(current, operation, lose)
  }
}

type LoseOne = (reason: string) => void

function loseSilently(): void {}

function increase(current: Json, by: AnyNumber, lose: LoseOne): AnyNumber | undefined {
  if (!isAnyNumber(current)) {
    lose(notANumber)
    return undefined
  }
  const sum = addNumbers(current, by)
  if (isStorableNumber(sum)) return sum
  lose(largeSum)
  return undefined
}

/** Merges objects member by member at every depth. Any other value replaces the old one. */
function merged(current: JsonObject, change: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...current }
  for (const key in change) {
    const value = change[key]!
    const before = Object.hasOwn(result, key) ? result[key] : undefined
    result[key] = isObject(value) && isObject(before) ? merged(before as JsonObject, value as JsonObject) : value
  }
  return result
}

/** Adds, then removes, then updates. An array without objects that is too long loses its oldest items. */
function rearrange(current: Json | undefined, operation: ArrayOperation, lose: LoseOne): Json | undefined {
  const { add, remove, removeWhere, update, merging } = operation
  if (current !== undefined && !Array.isArray(current)) {
    lose(notAList)
    return undefined
  }
  if (current === undefined && add.length === 0) {
    if (update.length > 0) lose(nothingToUpdate)
    return undefined
  }
  let items: readonly Json[] = collapse([...((current ?? []) as readonly Json[]), ...add])
  if (remove.length > 0) {
    const removed = new Set(remove.map(keyOf))
    items = items.filter((item) => !removed.has(keyOf(item)))
  }
  if (removeWhere.length > 0) items = items.filter((item) => !removeWhere.some((where) => matches(item, where)))
  for (const { where, value } of update) {
    if (!items.some((item) => matches(item, where))) lose(nothingToUpdate)
    items = items.map((item) => {
      if (!matches(item, where)) return item
      return merging ? merged(item as JsonObject, value) : value
    })
  }
  if (items.length > arrayItemsMax && !items.some(isContainer)) {
    items = items.slice(-arrayItemsMax)
    lose(oldestItems)
  }
  return inSize(items, lose)
}

function matches(item: Json, where: Match): boolean {
  return isObject(item) && Object.hasOwn(item, where.key) && keyOf(item[where.key] as Json) === keyOf(where.value)
}

function inSize(value: Json, lose: LoseOne): Json | undefined {
  if (fits(value, nestedBytesMax)) return value
  lose(moreBytes)
  return undefined
}
