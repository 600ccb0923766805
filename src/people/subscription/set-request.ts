import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import { type Identifier, isGiven, readEmail, readExternalId, readPhone } from '../identity/identifier.ts'
import { IdentifierLists } from '../identity/identifier-lists.ts'
import { type AttributeChange, blankChange } from '../profile/attributes.ts'
import { findGroup, type GroupRef, type GroupStateChange } from '../profile/group-states.ts'
import { bodyNotObject, notValid, tooManyIds } from '../values/refusals.ts'
import { isObject, toFlag } from '../values/values.ts'
import {
  archivedGroup,
  badItems,
  badState,
  emailAndPhone,
  emailOfSms,
  nobodyNamed,
  noDoubleOptIn,
  notAMember,
  phoneOfEmail,
  unknownGroup,
  usersMax,
} from './schema.ts'

/** A group state for the person with an external_id. It creates no person. */
export type PersonItem = { readonly identifier: Identifier; readonly create: false; readonly change: AttributeChange }

/** A group state for an address. It takes effect after the first `after` items for people of the same request. */
export type AddressItem = {
  readonly kind: 'email' | 'phone'
  readonly value: string
  readonly group_id: number
  readonly state: GroupStateChange['state']
  readonly after: number
}

/** The group states that one request sets. */
export type GroupStateRequest = {
  readonly attributes: readonly PersonItem[]
  readonly addresses: readonly AddressItem[]
}

/** The same with the place of each person in the request: the list and the position in it. */
export type ReadStates = GroupStateRequest & {
  readonly attributes: readonly (PersonItem & { readonly input_array: string; readonly index: number })[]
  /** People who are asked to confirm in place of a change of their state. */
  readonly toConfirm: readonly ConfirmItem[]
}

/** A person who is asked to confirm a group. `group_id` is the public id of the group. */
export type ConfirmItem = {
  readonly identifier: Identifier
  readonly group_id: string
  readonly input_array: string
  readonly index: number
}

const itemMembers = new Set([
  ...['subscription_group_id', 'subscription_state', 'use_double_opt_in_logic'],
  ...['external_id', 'external_ids', 'email', 'emails', 'phone', 'phones'],
])

type Groups = ReadonlyMap<string, GroupRef>
type Item = Readonly<Record<string, unknown>>
type ListName = 'external_id' | 'email' | 'phone'
/** A list of an item with the name under which it was sent. */
type NamedList = { readonly key: string; readonly values: readonly unknown[] }
type Lists = { readonly [name in ListName]: readonly NamedList[] }

/**
 * Reads the body of `POST /v2/subscription/status/set` (specification 4.2). Throws a Failure if anything in it is wrong. `notices` gets
 * what has no effect.
 */
export function readBulkSet(body: unknown, groups: Groups, notices: Notices): ReadStates {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { subscription_groups: items } = body
  if (!Array.isArray(items) || items.length === 0 || !items.every(isObject)) throw invalid(badItems)
  const states = readItems(items, groups, (i) => `subscription_groups[${i}].`)
  for (const [i, item] of items.entries()) {
    notices.begin('subscription_groups', i)
    noticeItem(item, groups, notices)
    for (const key in item) if (!itemMembers.has(key) && item[key] !== null) notices.add(key, notAMember)
  }
  return states
}

/** Reads the body of `POST /subscription/status/set` (specification 4.3), which is one such item. */
export function readSet(body: unknown, groups: Groups, notices: Notices): ReadStates {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const states = readItems([body], groups, () => '')
  notices.beginRequest()
  noticeItem(body, groups, notices)
  return states
}

function noticeItem(item: Item, groups: Groups, notices: Notices): void {
  const { subscription_group_id, use_double_opt_in_logic: doubleOptIn } = item
  if (findGroup(groups, subscription_group_id)?.archived) notices.add('subscription_group_id', archivedGroup)
  if (toFlag(doubleOptIn) === true && !mayAsk(findGroup(groups, subscription_group_id)))
    notices.add('use_double_opt_in_logic', noDoubleOptIn)
}

/** Whether a request may have people confirm a group: only where the group says so. */
function mayAsk(group: GroupRef | undefined): boolean {
  return group?.double_opt_in?.enabled === true && group.double_opt_in.through_api === true
}

/** Whether an item asks people to confirm the group. Without the flag, the state of the item is set as always. */
function asksToConfirm({ use_double_opt_in_logic: flag, subscription_state: state }: Item, group: GroupRef): boolean {
  return state === 'subscribed' && toFlag(flag) === true && mayAsk(group)
}

/** Reads items. `pathOf` returns what is put before the name of a list in the error. */
function readItems(items: readonly Item[], groups: Groups, pathOf: (i: number) => string): ReadStates {
  const lists = items.map(readLists)
  if (lists.reduce((sum, each) => sum + countUsers(each), 0) > usersMax) throw invalid(tooManyIds)
  const states = lists.map((each, i) => readState(items[i]!, each, groups))
  const identifiers = new IdentifierLists()
  const readAll = (named: readonly NamedList[], path: string, read: (value: unknown) => Identifier | string) =>
    named.flatMap(({ key, values }) => {
      const input_array = path + key
      return identifiers
        .read(values, input_array, read)
        .map((identifier, index) => ({ identifier, input_array, index }))
    })
  const attributes: ReadStates['attributes'][number][] = []
  const addresses: AddressItem[] = []
  const toConfirm: ConfirmItem[] = []
  for (const [i, { external_id, email, phone }] of lists.entries()) {
    const { archived, ...state } = states[i]!
    const path = pathOf(i)
    const ids = readAll(external_id, path, (value) => readExternalId(value, true))
    const addressed = [...readAll(email, path, readEmail), ...readAll(phone, path, readPhone)]
    // An archived group takes no state and gives no error (contract, section 3), but a notice.
    if (archived) continue
    const group = findGroup(groups, items[i]!.subscription_group_id)!
    if (asksToConfirm(items[i]!, group)) {
      toConfirm.push(
        ...[...ids, ...addressed].map((each) => ({ ...each, group_id: String(items[i]!.subscription_group_id) })),
      )
      continue
    }
    const change = { ...blankChange(), subscriptions: [state] }
    attributes.push(...ids.map((id) => ({ ...id, create: false as const, change })))
    addresses.push(...addressed.map(({ identifier }) => addressItem(identifier, state, attributes.length)))
  }
  identifiers.check()
  return { attributes, addresses, toConfirm }
}

function addressItem({ kind, value }: Identifier, { group_id, state }: GroupStateChange, after: number): AddressItem {
  return { kind: kind as AddressItem['kind'], value, group_id, state, after }
}

function readState(item: Item, lists: Lists, groups: Groups): GroupStateChange & Pick<GroupRef, 'archived'> {
  const { subscription_group_id, subscription_state: state, use_double_opt_in_logic: doubleOptIn } = item
  if (state !== 'subscribed' && state !== 'unsubscribed') throw invalid(badState)
  if (isGiven(doubleOptIn) && toFlag(doubleOptIn) === undefined) throw invalid(notValid('use_double_opt_in_logic'))
  const group = findGroup(groups, subscription_group_id)
  if (!group) throw invalid(unknownGroup)
  const { group_id, channel, archived } = group
  if (channel === 'sms' && lists.email.length > 0) throw invalid(emailOfSms)
  if (channel === 'email' && lists.phone.length > 0) throw invalid(phoneOfEmail)
  return { group_id, channel, archived, state }
}

function readLists(item: Item): Lists {
  const lists = {
    external_id: readNamed(item, 'external_id'),
    email: readNamed(item, 'email'),
    phone: readNamed(item, 'phone'),
  }
  if (lists.email.length > 0 && lists.phone.length > 0) throw invalid(emailAndPhone)
  if (countUsers(lists) === 0) throw invalid(nobodyNamed)
  return lists
}

function countUsers(lists: Lists): number {
  return Object.values(lists)
    .flat()
    .reduce((sum, { values }) => sum + values.length, 0)
}

/** Reads a list. It may have its singular or its plural name, and one text may replace a list of one. */
function readNamed(item: Item, name: ListName): NamedList[] {
  const plural = `${name}s`
  return [name, plural].flatMap((key) => {
    const given = item[key]
    if (!isGiven(given)) return []
    if (Array.isArray(given)) return given.length > 0 ? [{ key, values: given }] : []
    if (typeof given === 'object' || (key === plural && typeof given !== 'string')) throw invalid(notValid(key))
    return [{ key, values: [given] }]
  })
}
