import { invalid } from '../../base/errors.ts'
import {
  type Identifier,
  identifierOrThrow,
  isGiven,
  readEmail,
  readExternalId,
  readPhone,
} from '../identity/identifier.ts'
import { type AttributeChange, blankChange } from '../profile/attributes.ts'
import { findGroup, type GroupRef, type GroupStateChange } from '../profile/group-states.ts'
import { bodyNotObject, notValid, tooManyIds } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import {
  badItems,
  badState,
  emailAndPhone,
  emailOfSms,
  nobodyNamed,
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

type Groups = ReadonlyMap<string, GroupRef>
type Item = Readonly<Record<string, unknown>>
type Lists = { readonly [name in 'external_id' | 'email' | 'phone']: readonly unknown[] }

/** Reads the body of `POST /v2/subscription/status/set` (specification 4.2). Throws a Failure if anything in it is wrong. */
export function readBulkSet(body: unknown, groups: Groups): GroupStateRequest {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { subscription_groups: items } = body
  if (!Array.isArray(items) || items.length === 0 || !items.every(isObject)) throw invalid(badItems)
  return readItems(items, groups)
}

/** Reads the body of `POST /subscription/status/set` (specification 4.3), which is one such item. */
export function readSet(body: unknown, groups: Groups): GroupStateRequest {
  if (!isObject(body)) throw invalid(bodyNotObject)
  return readItems([body], groups)
}

function readItems(items: readonly Item[], groups: Groups): GroupStateRequest {
  const lists = items.map(readLists)
  const users = lists.reduce(
    (sum, { external_id, email, phone }) => sum + external_id.length + email.length + phone.length,
    0,
  )
  if (users > usersMax) throw invalid(tooManyIds)
  const attributes: PersonItem[] = []
  const addresses: AddressItem[] = []
  for (const [i, { external_id, email, phone }] of lists.entries()) {
    const { archived, ...state } = readState(items[i]!, groups)
    if (state.channel === 'sms' && email.length > 0) throw invalid(emailOfSms)
    if (state.channel === 'email' && phone.length > 0) throw invalid(phoneOfEmail)
    const identifiers = external_id.map((value) => identifierOrThrow(readExternalId(value, true)))
    const addressed = [
      ...email.map((value) => identifierOrThrow(readEmail(value))),
      ...phone.map((value) => identifierOrThrow(readPhone(value))),
    ]
    // An archived group takes no state and gives no error (contract, section 3).
    if (archived) continue
    const change = { ...blankChange(), subscriptions: [state] }
    attributes.push(...identifiers.map((identifier) => ({ identifier, create: false as const, change })))
    addresses.push(...addressed.map((identifier) => addressItem(identifier, state, attributes.length)))
  }
  return { attributes, addresses }
}

function addressItem({ kind, value }: Identifier, { group_id, state }: GroupStateChange, after: number): AddressItem {
  return { kind: kind as AddressItem['kind'], value, group_id, state, after }
}

function readState(item: Item, groups: Groups): GroupStateChange & Pick<GroupRef, 'archived'> {
  const { subscription_group_id, subscription_state: state, use_double_opt_in_logic: doubleOptIn } = item
  if (state !== 'subscribed' && state !== 'unsubscribed') throw invalid(badState)
  if (isGiven(doubleOptIn) && !flags.has(doubleOptIn)) throw invalid(notValid('use_double_opt_in_logic'))
  const group = findGroup(groups, subscription_group_id)
  if (!group) throw invalid(unknownGroup)
  const { group_id, channel, archived } = group
  return { group_id, channel, archived, state }
}

const flags: ReadonlySet<unknown> = new Set([true, false, 'true', 'false'])

function readLists(item: Item): Lists {
  const external_id = readList(item, 'external_id')
  const email = readList(item, 'email')
  const phone = readList(item, 'phone')
  if (email.length > 0 && phone.length > 0) throw invalid(emailAndPhone)
  if (external_id.length + email.length + phone.length === 0) throw invalid(nobodyNamed)
  return { external_id, email, phone }
}

/** Reads a list. It may have its singular or its plural name, and one value may replace a list of one. */
function readList(item: Item, name: string): unknown[] {
  return [name, `${name}s`].flatMap((key) => {
    const given = item[key]
    if (Array.isArray(given)) return given.filter(isGiven)
    if (!isGiven(given)) return []
    if (typeof given === 'object') throw invalid(notValid(key))
    return [given]
  })
}
