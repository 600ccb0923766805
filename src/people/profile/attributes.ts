import { parseCustomDate } from '../../base/dates.ts'
import type { Notices } from '../../base/http/notices.ts'
import { settingDefaults } from '../../workspace/settings/settings.ts'
import { type Identifier, isLocalEmail } from '../identity/identifier.ts'
import {
  blocklisted,
  dropOf,
  longText,
  moreBytes,
  moreItems,
  notAName,
  notAnInstruction,
  notMerged,
  repeatedItems,
  reservedPrefix,
  unsafeName,
} from '../values/drops.ts'
import { dropOfNulls, type NestedNulls, type NullReading } from '../values/nulls.ts'
import { badEmail, type IdentifierWords, notValid } from '../values/refusals.ts'
import {
  arrayItemsMax,
  broken,
  collapse,
  fits,
  inspect,
  isCleanText,
  isContainer,
  isLong,
  isObject,
  isUnsafeKey,
  isWideText,
  type Json,
  type JsonObject,
  keysMax,
  long,
  nestedBytesMax,
  toFlag,
  wide,
} from '../values/values.ts'
import { type GroupRef, type GroupStateChange, readGroupStates } from './group-states.ts'
import { isOperation, type Operation, readOperation, toStored } from './operations.ts'
import { lostOfTokens, type PushToken, readPushTokens } from './push-tokens.ts'
import { type Dropped, type StandardFields, standardReaders } from './standard.ts'

/** The changes of one attributes object. No key is in two of `custom`, `removed` and `operations`. */
export type AttributeChange = {
  /** Custom attributes to set. A key may be `toString`, so test with `Object.hasOwn`. */
  readonly custom: Readonly<Record<string, Json>> | null
  /** Epoch milliseconds of those values of `custom` that are dates. */
  readonly typed: Readonly<Record<string, number>> | null
  /** Custom attributes to remove. */
  readonly removed: readonly string[]
  readonly operations: readonly Operation[]
  readonly standard: Readonly<Partial<StandardFields>> | null
  readonly subscriptions: readonly GroupStateChange[]
  readonly push_tokens: readonly PushToken[]
  /** Whether JSON of what is set may have more than twice the bytes that the database takes for it. */
  readonly wide?: true
  /** Whether the change is refused when one of its operations has no effect, or not all of it. */
  readonly strict?: true
}

export type AttributeRules = {
  /** Whether texts and keys must be checked, because the body has escapes or one of the dropped keys. */
  readonly suspicious: boolean
  readonly appIds: ReadonlySet<string>
  readonly groups: ReadonlyMap<string, GroupRef>
  /** Whether e-mail addresses such as `a@localhost` are accepted. */
  readonly localEmails?: boolean
  /** What happens to nulls inside custom attributes, if not the default of workspaces. */
  readonly nestedNulls?: NestedNulls
  /** Names of custom attributes that are not stored. They can still be removed. */
  readonly blockedAttributes?: ReadonlySet<string>
}

type Draft = {
  custom: Record<string, Json> | null
  typed: Record<string, number> | null
  removed: string[]
  operations: Operation[]
  standard: Partial<StandardFields> | null
  subscriptions: readonly GroupStateChange[]
  push_tokens: readonly PushToken[]
  wide?: true
  strict?: true
}

const underscore = 95
const none: readonly never[] = Object.freeze([])

/** Whether the change only sets and removes custom attributes whose size the database knows well enough. */
export function isPlain(change: AttributeChange): boolean {
  return (
    change.wide === undefined &&
    change.operations.length === 0 &&
    change.standard === null &&
    change.subscriptions.length === 0 &&
    change.push_tokens.length === 0
  )
}

/** Whether the change sets nothing. */
export function isBlank(change: AttributeChange): boolean {
  return isPlain(change) && change.custom === null && change.removed.length === 0
}

/** A change that sets nothing, but counts as a write of the profile. */
export function blankChange(push_tokens: readonly PushToken[] = none): AttributeChange {
  return {
    custom: null,
    typed: null,
    removed: none,
    operations: none,
    standard: null,
    subscriptions: none,
    push_tokens,
  }
}

/**
 * Reads an attributes object of the person that `identifier` names. Returns a text if it refuses the object. Custom values over their
 * limits are dropped and named in `notices`; some fields have an error that refuses the object.
 */
export function readAttributes(
  object: Readonly<Record<string, unknown>>,
  identifier: Identifier,
  rules: AttributeRules,
  words: IdentifierWords,
  notices: Notices,
): AttributeChange | string {
  const { suspicious } = rules
  const draft = blankChange() as Draft
  if (notices.isStrict) draft.strict = true
  const merging = toFlag(object._merge_objects) === true
  // An address that identifies the person does not change the address.
  const address = identifier.kind === 'email' || identifier.kind === 'phone' ? identifier.kind : undefined
  let keys = 0
  for (const key in object) {
    if (++keys > keysMax) return notValid('attributes')
    if (key === address || key === words.serviceIdKey) continue
    const value = object[key]
    const facts = inspect(value, suspicious)
    if (facts & broken || (suspicious && !isCleanText(key))) return notValid(key)
    if (facts & wide || (suspicious && isWideText(key))) draft.wide = true
    const outcome = readMember(draft, key, value, facts, merging, rules)
    if (typeof outcome === 'string') return outcome
    if (outcome !== undefined) notices.add(key, outcome.dropped)
  }
  const email = draft.standard?.email
  return email && isLocalEmail(email) && !rules.localEmails ? badEmail : draft
}

function readMember(
  draft: Draft,
  key: string,
  value: unknown,
  facts: number,
  merging: boolean,
  rules: AttributeRules,
): Dropped | string | undefined {
  const read = standardReaders.get(key)
  if (read) return read(draft, value)
  if (key === 'subscription_groups') return readGroups(draft, value, rules)
  if (key === 'push_tokens') return readTokens(draft, value, rules)
  const reason =
    key.charCodeAt(0) === underscore ? controlDrop(key, value) : readCustom(draft, key, value, facts, merging, rules)
  return reason === undefined ? undefined : { dropped: reason }
}

/** Whether a member of an attributes object with this name is a custom attribute, as far as no identifier has it. */
export function isAttributeName(name: string): boolean {
  if (name === '' || name.charCodeAt(0) === underscore || isLong(name) || !isCleanText(name)) return false
  return !isUnsafeKey(name) && !standardReaders.has(name) && name !== 'subscription_groups' && name !== 'push_tokens'
}

/** Returns why a member that controls the request, or looks so, has no effect. */
function controlDrop(key: string, value: unknown): string | undefined {
  if (key === '_update_existing_only' || value === null) return undefined
  if (key === '_merge_objects') return toFlag(value) === undefined ? notMerged : undefined
  return isUnsafeKey(key) ? unsafeName : reservedPrefix
}

/** Most changes have no item of a kind, so the list is created with its first item. */
function append<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item]
  list.push(item)
  return list
}

function readGroups(draft: Draft, value: unknown, rules: AttributeRules): Dropped | string | undefined {
  if (value === null) return undefined
  const read = readGroupStates(value, rules.groups)
  if (typeof read === 'string') return read
  draft.subscriptions = read.states
  return read.dropped === undefined ? undefined : { dropped: read.dropped }
}

function readTokens(draft: Draft, value: unknown, rules: AttributeRules): Dropped | string | undefined {
  if (value === null) return undefined
  const tokens = readPushTokens(value, rules.appIds, rules.suspicious)
  if (typeof tokens === 'string') return tokens
  draft.push_tokens = tokens
  const reason = lostOfTokens(value as readonly unknown[])
  return reason === undefined ? undefined : { dropped: reason }
}

/** Returns why the value is not kept as sent; undefined if it is. */
function readCustom(
  draft: Draft,
  key: string,
  value: unknown,
  facts: number,
  merging: boolean,
  rules: AttributeRules,
): string | undefined {
  if (key === '' || isLong(key)) return notAName
  if (rules.suspicious && isUnsafeKey(key)) return unsafeName
  if (value !== null && rules.blockedAttributes?.has(key)) return blocklisted
  switch (typeof value) {
    case 'string':
      if (facts & long) return longText
      setText(draft, key, value)
      return undefined
    case 'object':
      if (value !== null) return readContainer(draft, key, value, facts, merging, rules)
      draft.removed = append(draft.removed, key)
      return undefined
    default:
      set(draft, key, value as Json)
      return undefined
  }
}

function set(draft: Draft, key: string, value: Json): void {
  draft.custom ??= {}
  draft.custom[key] = value
}

function setText(draft: Draft, key: string, text: string): void {
  set(draft, key, text)
  const ms = parseCustomDate(text)
  if (ms === undefined) return
  draft.typed ??= {}
  draft.typed[key] = ms
}

function readContainer(
  draft: Draft,
  key: string,
  value: object,
  facts: number,
  merging: boolean,
  { suspicious, nestedNulls = settingDefaults.nested_nulls }: AttributeRules,
): string | undefined {
  const object = isObject(value) ? value : undefined
  const reading: NullReading = { suspicious, nestedNulls, nulls: [] }
  if (object && isOperation(object)) {
    const operation = readOperation(key, object, merging, reading)
    const reason = dropOfNulls(reading)
    if (operation === undefined) return nestedNulls === 'refuse_attribute' && reason ? reason : notAnInstruction
    draft.operations = append(draft.operations, operation)
    return reason
  }
  const stored = toStored(value, facts, key, reading)
  const drop = joinReasons(dropOf(facts), dropOfNulls(reading))
  if (stored === undefined) return drop
  if (!fits(stored, nestedBytesMax)) return moreBytes
  if (Array.isArray(stored)) return setArray(draft, key, stored, drop)
  if (typeof stored === 'string') setText(draft, key, stored)
  else if (merging && object)
    draft.operations = append(draft.operations, { kind: 'merge', key, value: stored as JsonObject })
  else set(draft, key, stored)
  return drop
}

function setArray(draft: Draft, key: string, items: readonly Json[], drop: string | undefined): string | undefined {
  const collapsed = collapse(items)
  if (collapsed.length > arrayItemsMax && !collapsed.some(isContainer)) return moreItems
  set(draft, key, collapsed)
  return joinReasons(collapsed.length < items.length ? repeatedItems : undefined, drop)
}

function joinReasons(first: string | undefined, second: string | undefined): string | undefined {
  return first !== undefined && second !== undefined ? `${first}; ${second}` : (first ?? second)
}
