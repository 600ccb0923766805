import { isCalendarDate, parseTime } from '../../base/dates.ts'
import { isAnyInteger, isAnyNumber } from '../../base/exact-number.ts'
import { toE164, toEmail } from '../identity/identifier.ts'
import { toCountryCode } from '../values/countries.ts'
import { toLanguageCode } from '../values/languages.ts'
import {
  badEmail,
  badEmailSubscribe,
  badLocation,
  badPushSubscribe,
  emailSubscriptionInfo,
} from '../values/refusals.ts'
import { toTimeZone } from '../values/time-zones.ts'
import { charactersMax, fits, isLong, isObject, type Json, type JsonObject, nestedBytesMax } from '../values/values.ts'

export type SubscribeState = 'opted_in' | 'subscribed' | 'unsubscribed'

/** The standard fields of a profile that an attributes object may set, named like their columns. Moments are epoch microseconds. */
export type StandardFields = {
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  gender: string | null
  dob: string | null
  country: string | null
  home_city: string | null
  language: string | null
  time_zone: string | null
  image_url: string | null
  longitude: number | null
  latitude: number | null
  facebook: JsonObject | null
  twitter: JsonObject | null
  email_subscribe: SubscribeState
  push_subscribe: SubscribeState
  email_open_tracking_disabled: boolean
  email_click_tracking_disabled: boolean
  date_of_first_session: number | null
  date_of_last_session: number | null
  marked_email_as_spam_at: number | null
}

/** The target of the readers. `standard` stays null until a field is set, so that an object without standard fields remains plain. */
export type StandardDraft = { standard: Partial<StandardFields> | null }

/** Writes a member, drops it, or returns the text that refuses the object. */
export type StandardReader = (draft: StandardDraft, value: unknown) => string | undefined

const urlCharactersMax = 2048

function put<Column extends keyof StandardFields>(
  draft: StandardDraft,
  column: Column,
  value: StandardFields[Column],
): undefined {
  draft.standard ??= {}
  draft.standard[column] = value
}

type TextColumn = {
  [Column in keyof StandardFields]: string extends StandardFields[Column] ? Column : never
}[keyof StandardFields]

/** Returns a reader of a text that is stored if `normalise` accepts it. Other values do not change the field. */
function textField(column: TextColumn, normalise: (text: string) => string | undefined): StandardReader {
  return (draft, value) => {
    if (value === null) return put(draft, column, null)
    const text = typeof value === 'string' ? normalise(value) : undefined
    return text === undefined ? undefined : put(draft, column, text === '' ? null : text)
  }
}

function shortText(text: string): string | undefined {
  return isLong(text) ? undefined : text
}

function booleanField(column: 'email_open_tracking_disabled' | 'email_click_tracking_disabled'): StandardReader {
  return (draft, value) => {
    if (typeof value === 'boolean' || value === null) put(draft, column, value === true)
    return undefined
  }
}

function timeField(
  column: 'date_of_first_session' | 'date_of_last_session' | 'marked_email_as_spam_at',
): StandardReader {
  return (draft, value) => {
    if (value === null) return put(draft, column, null)
    const ms = typeof value === 'string' ? parseTime(value) : undefined
    return ms === undefined ? undefined : put(draft, column, ms * 1000)
  }
}

function subscribeState(column: 'email_subscribe' | 'push_subscribe', refusal: string): StandardReader {
  return (draft, value) => {
    if (value === null) return undefined
    if (value !== 'opted_in' && value !== 'subscribed' && value !== 'unsubscribed') return refusal
    return put(draft, column, value)
  }
}

function readEmailField(draft: StandardDraft, value: unknown): string | undefined {
  if (value === null) return put(draft, 'email', null)
  if (value === '') return undefined
  const email = typeof value === 'string' ? toEmail(value) : undefined
  return email === undefined ? badEmail : put(draft, 'email', email)
}

/** As an attribute any text is a phone number. One in the form of E.164 is stored in that form. */
function readPhoneField(draft: StandardDraft, value: unknown): undefined {
  if (value === null) return put(draft, 'phone', null)
  const text = isAnyNumber(value) ? String(value) : value
  if (typeof text !== 'string' || text === '' || isLong(text)) return undefined
  return put(draft, 'phone', toE164(text) ?? text)
}

function readLocation(draft: StandardDraft, value: unknown): string | undefined {
  if (value === null) {
    put(draft, 'longitude', null)
    return put(draft, 'latitude', null)
  }
  if (!isObject(value)) return badLocation
  if (!isAnyNumber(value.longitude) || !isAnyNumber(value.latitude)) return badLocation
  // Coordinates are doubles. The further digits that some clients send are of far less than an atom.
  const [longitude, latitude] = [Number(value.longitude), Number(value.latitude)]
  if (Math.abs(longitude) > 180 || Math.abs(latitude) > 90) return badLocation
  put(draft, 'longitude', longitude)
  return put(draft, 'latitude', latitude)
}

type MemberKind = 'text' | 'integer' | 'texts'

/** A social account: known and well-formed members are stored, others dropped. */
function account(column: 'facebook' | 'twitter', members: Readonly<Record<string, MemberKind>>): StandardReader {
  return (draft, value) => {
    if (value === null) return put(draft, column, null)
    if (!isObject(value)) return undefined
    const kept: Record<string, Json> = {}
    for (const [name, kind] of Object.entries(members)) {
      const member = value[name]
      if (isMember(member, kind)) kept[name] = member
    }
    return fits(kept, nestedBytesMax) ? put(draft, column, kept) : undefined
  }
}

function isMember(value: unknown, kind: MemberKind): value is Json {
  if (kind === 'integer') return isAnyInteger(value)
  if (kind === 'texts') return Array.isArray(value) && value.every((item) => isMember(item, 'text'))
  return typeof value === 'string' && value.length <= charactersMax
}

function genderLetter(text: string): string | undefined {
  const letter = text.toUpperCase()
  return letter.length === 1 && 'MFONP'.includes(letter) ? letter : undefined
}

function shortUrl(text: string): string | undefined {
  return text.length <= urlCharactersMax ? text : undefined
}

function calendarDate(text: string): string | undefined {
  return isCalendarDate(text) ? text : undefined
}

const ignored: StandardReader = () => undefined

/** The members of an attributes object that are no custom attributes, and their readers. */
export const standardReaders: ReadonlyMap<string, StandardReader> = new Map<string, StandardReader>([
  ['email', readEmailField],
  ['phone', readPhoneField],
  ['first_name', textField('first_name', shortText)],
  ['last_name', textField('last_name', shortText)],
  ['home_city', textField('home_city', shortText)],
  ['image_url', textField('image_url', shortUrl)],
  ['gender', textField('gender', genderLetter)],
  ['dob', textField('dob', calendarDate)],
  ['country', textField('country', toCountryCode)],
  ['language', textField('language', toLanguageCode)],
  ['time_zone', textField('time_zone', toTimeZone)],
  ['current_location', readLocation],
  ['email_subscribe', subscribeState('email_subscribe', badEmailSubscribe)],
  ['push_subscribe', subscribeState('push_subscribe', badPushSubscribe)],
  ['email_open_tracking_disabled', booleanField('email_open_tracking_disabled')],
  ['email_click_tracking_disabled', booleanField('email_click_tracking_disabled')],
  ['date_of_first_session', timeField('date_of_first_session')],
  ['date_of_last_session', timeField('date_of_last_session')],
  ['marked_email_as_spam_at', timeField('marked_email_as_spam_at')],
  ['facebook', account('facebook', { id: 'text', likes: 'texts', num_friends: 'integer' })],
  [
    'twitter',
    account('twitter', {
      id: 'integer',
      screen_name: 'text',
      followers_count: 'integer',
      friends_count: 'integer',
      statuses_count: 'integer',
    }),
  ],
  ['email_subscription_info', (): string => emailSubscriptionInfo],
  // Members that other code reads, names of the export, and names of old editions: never custom attributes (specification 2.3).
  ...[
    'external_id',
    'user_alias',
    'alias_name',
    'alias_label',
    'bio',
    'push_token_import',
    'apps',
    'attributed_ad',
    'attributed_adgroup',
    'attributed_campaign',
    'attributed_source',
    'campaigns_received',
    'canvases_received',
    'cards_clicked',
    'created_at',
    'custom_attributes',
    'custom_events',
    'devices',
    'email_opted_in_at',
    'email_unsubscribed_at',
    'last_coordinates',
    'purchases',
    'push_opted_in_at',
    'push_unsubscribed_at',
    'random_bucket',
    'total_revenue',
    'uninstalled_at',
    'user_aliases',
  ].map((name): [string, StandardReader] => [name, ignored]),
])
