import { parseTime } from '../../base/dates.ts'
import { ExactNumber, isAnyNumber } from '../../base/exact-number.ts'
import type { Notices } from '../../base/http/notices.ts'
import { eventRetentionDaysMin } from '../../workspace/settings/settings.ts'
import { type Identifier, idText } from '../identity/identifier.ts'
import { toCurrencyCode } from '../values/currencies.ts'
import { type IdentifierWords, notValid } from '../values/refusals.ts'
import { broken, inspect, isCleanText, isLong, isSafe, keysMax } from '../values/values.ts'
import { propertiesText, refuseProperties } from './properties.ts'
import {
  badCurrency,
  badProperties,
  currencyRequired,
  futureTime,
  longPrice,
  nameRequired,
  notAMember,
  notTheIdentifier,
  pastRetention,
  priceRequired,
  productRequired,
  propertiesBytesMax,
  quantityMax,
  timeRequired,
} from './schema.ts'

export type OccurrenceRules = {
  /** Epoch milliseconds; later times are replaced by this. */
  readonly nowMs: number
  readonly suspicious: boolean
  /** Returns the time before which events and purchases are deleted. Only needed for old ones. */
  readonly historyCutoffMs?: () => number
}

/** No retention is shorter. */
const retentionMsMin = eventRetentionDaysMin * 86_400_000

type Occurrence = {
  readonly identifier: Identifier
  /** Whether a person is created if no person matches. */
  readonly create: boolean
  readonly app_id: string | null
  /** Epoch milliseconds. */
  readonly timeMs: number
  /** JSON text. */
  readonly properties: string | null
}

export type EventItem = Occurrence & { readonly name: string }

export type PurchaseItem = Occurrence & {
  readonly product_id: string
  readonly currency: string
  readonly price: number
  readonly quantity: number
}

type Input = Readonly<Record<string, unknown>>

/** What events and purchases do not share. `properties` may not have the names `reserved` (contract 2.2.4). */
const kinds = {
  events: { reserved: ['time', 'event_name'], members: new Set(['name']) },
  purchases: { reserved: [], members: new Set(['product_id', 'currency', 'price', 'quantity']) },
} as const

/** Reads an event object; returns a text if it refuses the object. */
export function readEvent(
  object: Input,
  identifier: Identifier,
  create: boolean,
  rules: OccurrenceRules,
  words: IdentifierWords,
  notices: Notices,
): EventItem | string {
  const { name } = object
  if (name === undefined || name === null || name === '') return nameRequired
  if (typeof name !== 'string' || !isShortText(name, rules.suspicious)) return notValid('name')
  const happened = readFields({ object, kind: 'events', name, identifier, words }, rules, notices)
  if (typeof happened === 'string') return happened
  const { app_id, timeMs, properties } = happened
  return { identifier, create, name, app_id, timeMs, properties }
}

/** Reads a purchase object; returns a text if it refuses the object. */
export function readPurchase(
  object: Input,
  identifier: Identifier,
  create: boolean,
  rules: OccurrenceRules,
  words: IdentifierWords,
  notices: Notices,
): PurchaseItem | string {
  const { suspicious } = rules
  const { product_id, currency, price } = object
  if (product_id === undefined || product_id === null || product_id === '') return productRequired
  const product = idText(product_id)
  if (product === undefined || !isShortText(product, suspicious)) return notValid('product_id')
  if (currency === undefined || currency === null || currency === '') return currencyRequired
  const code = typeof currency === 'string' ? toCurrencyCode(currency) : undefined
  if (code === undefined) return badCurrency
  if (price === undefined || price === null) return priceRequired
  const amount = isAnyNumber(price) ? Number(price) : Number.NaN
  if (!isSafe(amount)) return notValid('price')
  if (price instanceof ExactNumber) notices.add('price', longPrice)
  const count = object.quantity ?? 1
  if (!isQuantity(count)) return notValid('quantity')
  const happened = readFields({ object, kind: 'purchases', name: product, identifier, words }, rules, notices)
  if (typeof happened === 'string') return happened
  const { app_id, timeMs, properties } = happened
  return {
    identifier,
    create,
    product_id: product,
    app_id,
    currency: code,
    price: amount,
    quantity: count,
    timeMs,
    properties,
  }
}

type OccurrenceFields = Pick<Occurrence, 'app_id' | 'timeMs' | 'properties'>

/** An event or purchase whose other fields were read. */
type Reading = {
  readonly object: Input
  readonly kind: keyof typeof kinds
  /** The event name or product id. */
  readonly name: string
  readonly identifier: Identifier
  readonly words: IdentifierWords
}

/** Reads the fields that events and purchases share, after the others; returns a text if one refuses the object. */
function readFields(
  reading: Reading,
  { nowMs, suspicious, historyCutoffMs }: OccurrenceRules,
  notices: Notices,
): OccurrenceFields | string {
  const { object, kind, name } = reading
  const { app_id, time, properties } = object
  const timeMs = readTime(time)
  if (typeof timeMs === 'string') return timeMs
  if (timeMs > nowMs) notices.add('time', futureTime)
  else if (historyCutoffMs && timeMs < nowMs - retentionMsMin && timeMs < historyCutoffMs())
    notices.add('time', pastRetention)
  if (!isAppId(app_id, suspicious)) return notValid('app_id')
  const refusal =
    refuseMembers(reading, suspicious, notices) ??
    refuseProperties(properties, name, kinds[kind].reserved, suspicious, notices)
  if (refusal !== undefined) return refusal
  const text = propertiesText(properties, propertiesBytesMax, suspicious)
  if (text === undefined) return badProperties
  return { app_id: appText(app_id), timeMs: Math.min(timeMs, nowMs), properties: text }
}

/** Returns epoch milliseconds, or the text that refuses the object. */
function readTime(time: unknown): number | string {
  if (time === undefined || time === null || time === '') return timeRequired
  const ms = typeof time === 'string' ? parseTime(time) : undefined
  return ms === undefined ? notValid('time') : ms
}

function isQuantity(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= quantityMax
}

function isShortText(text: string, suspicious: boolean): boolean {
  return !isLong(text) && !(suspicious && !isCleanText(text))
}

function isAppId(value: unknown, suspicious: boolean): boolean {
  if (value === undefined || value === null) return true
  const text = idText(value)
  return text !== undefined && isShortText(text, suspicious)
}

/** The id of an unknown app is stored unchanged. */
function appText(value: unknown): string | null {
  return idText(value) || null
}

/** Members that events and purchases share. */
const sharedMembers = new Set(['external_id', 'user_alias', 'time', 'app_id', 'properties', '_update_existing_only'])

/** Checks that the other members are well formed. They are not kept. */
function refuseMembers(
  { object, kind, identifier, words }: Reading,
  suspicious: boolean,
  notices: Notices,
): string | undefined {
  const { members } = kinds[kind]
  let keys = 0
  for (const key in object) {
    if (++keys > keysMax) return notValid(kind)
    if (sharedMembers.has(key) || members.has(key)) continue
    const value = object[key]
    if ((suspicious && !isCleanText(key)) || inspect(value, suspicious) & broken) return notValid(key)
    if (key === identifier.kind || key === words.serviceIdKey || value === null) continue
    notices.add(key, key === 'email' || key === 'phone' ? notTheIdentifier : notAMember[kind])
  }
  return undefined
}
