import { padDate, parseTime, toCalendarDay } from '../../base/dates.ts'
import { isAnyInteger, isAnyNumber } from '../../base/exact-number.ts'
import { toE164, toEmail } from '../identity/identifier.ts'
import { toCountryCode } from '../values/countries.ts'
import { exportedName, moreBytes, notInUse, notStored, ofAlias, unknownMembers } from '../values/drops.ts'
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

/** Why a member of an accepted object is not stored, or not as it was sent: the rest of a sentence that begins with the member. */
export type Dropped = { readonly dropped: string }

/** Writes a member. Returns why it is not stored as it was sent, or the text that refuses the object. */
export type StandardReader = (draft: StandardDraft, value: unknown) => Dropped | string | undefined

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

function dropped(reason: string): Dropped {
  return { dropped: reason }
}

/** Returns a reader of a text that is stored if `normalise` accepts it. Other values do not change the field. */
function textField(
  column: TextColumn,
  expected: string,
  normalise: (text: string) => string | undefined,
): StandardReader {
  const unfit = dropped(notStored(expected))
  return (draft, value) => {
    if (value === null) return put(draft, column, null)
    const text = typeof value === 'string' ? normalise(value) : undefined
    return text === undefined ? unfit : put(draft, column, text === '' ? null : text)
  }
}

const shortTextWords = `a text of at most ${charactersMax} characters`

function shortText(text: string): string | undefined {
  return isLong(text) ? undefined : text
}

const notBoolean = dropped(notStored('true or false'))
const notDate = dropped(notStored('a date'))

function booleanField(column: 'email_open_tracking_disabled' | 'email_click_tracking_disabled'): StandardReader {
  return (draft, value) => {
    if (typeof value !== 'boolean' && value !== null) return notBoolean
    return put(draft, column, value === true)
  }
}

function timeField(
  column: 'date_of_first_session' | 'date_of_last_session' | 'marked_email_as_spam_at',
): StandardReader {
  return (draft, value) => {
    if (value === null) return put(draft, column, null)
    const ms = typeof value === 'string' ? parseTime(padDate(value)) : undefined
    return ms === undefined ? notDate : put(draft, column, ms * 1000)
  }
}

const timeDropped = dropped('has a time of day: only the date was stored')

/** Stores the day of a date in any form. */
function readBirthday(draft: StandardDraft, value: unknown): Dropped | undefined {
  if (value === null) return put(draft, 'dob', null)
  const day = typeof value === 'string' ? toCalendarDay(value) : undefined
  if (day === undefined) return notDate
  put(draft, 'dob', day.date)
  return day.hasTime ? timeDropped : undefined
}

const regionDropped = dropped('has more than a language: only the language was stored')
const noLanguage = dropped(notStored('a language of ISO 639-1'))

function readLanguage(draft: StandardDraft, value: unknown): Dropped | undefined {
  if (value === null) return put(draft, 'language', null)
  const code = typeof value === 'string' ? toLanguageCode(value) : undefined
  if (code === undefined) return noLanguage
  put(draft, 'language', code)
  return (value as string).length > code.length ? regionDropped : undefined
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

const noPhone = dropped(notStored(shortTextWords))

/** As an attribute any text is a phone number. One in the form of E.164 is stored in that form. */
function readPhoneField(draft: StandardDraft, value: unknown): Dropped | undefined {
  if (value === null) return put(draft, 'phone', null)
  const text = isAnyNumber(value) ? String(value) : value
  if (text === '') return undefined
  if (typeof text !== 'string' || isLong(text)) return noPhone
  return put(draft, 'phone', toE164(text) ?? text)
}

const locationMembers = new Set(['longitude', 'latitude'])
const longCoordinates = dropped('has more digits than coordinates: the nearest doubles were stored')

function readLocation(draft: StandardDraft, value: unknown): Dropped | string | undefined {
  if (value === null) {
    put(draft, 'longitude', null)
    return put(draft, 'latitude', null)
  }
  if (!isObject(value) || !isAnyNumber(value.longitude) || !isAnyNumber(value.latitude)) return badLocation
  const [longitude, latitude] = [Number(value.longitude), Number(value.latitude)]
  if (Math.abs(longitude) > 180 || Math.abs(latitude) > 90) return badLocation
  put(draft, 'longitude', longitude)
  put(draft, 'latitude', latitude)
  if (longitude !== value.longitude || latitude !== value.latitude) return longCoordinates
  const unknown = unknownMembers([value], locationMembers)
  return unknown === undefined ? undefined : dropped(unknown)
}

type MemberKind = 'text' | 'integer' | 'texts'

const notObject = dropped(notStored('an object'))
const largeAccount = dropped(moreBytes)

/** A social account: known and well-formed members are stored, others dropped. */
function account(column: 'facebook' | 'twitter', members: Readonly<Record<string, MemberKind>>): StandardReader {
  return (draft, value) => {
    if (value === null) return put(draft, column, null)
    if (!isObject(value)) return notObject
    const kept: Record<string, Json> = {}
    for (const [name, kind] of Object.entries(members)) {
      const member = value[name]
      if (isMember(member, kind)) kept[name] = member
    }
    if (!fits(kept, nestedBytesMax)) return largeAccount
    put(draft, column, kept)
    const unknown = unknownMembers([value], new Set(Object.keys(kept)))
    return unknown === undefined ? undefined : dropped(unknown)
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

/** Returns a reader of members that are never stored. */
function notKept(reason: string): StandardReader {
  const kept = dropped(reason)
  return (_draft, value) => (value === null ? undefined : kept)
}

/** Other code reads these members. */
const readElsewhere: StandardReader = () => undefined

function readImportFlag(_draft: StandardDraft, value: unknown): Dropped | undefined {
  return typeof value === 'boolean' || value === null ? undefined : notBoolean
}

const exportedOnly = [
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
]

/** The members of an attributes object that are no custom attributes, and their readers. */
export const standardReaders: ReadonlyMap<string, StandardReader> = new Map<string, StandardReader>([
  ['email', readEmailField],
  ['phone', readPhoneField],
  ['first_name', textField('first_name', shortTextWords, shortText)],
  ['last_name', textField('last_name', shortTextWords, shortText)],
  ['home_city', textField('home_city', shortTextWords, shortText)],
  ['image_url', textField('image_url', `a text of at most ${urlCharactersMax} characters`, shortUrl)],
  ['gender', textField('gender', 'M, F, O, N or P', genderLetter)],
  ['dob', readBirthday],
  ['country', textField('country', 'a country that is known', toCountryCode)],
  ['language', readLanguage],
  ['time_zone', textField('time_zone', 'a time zone that is known', toTimeZone)],
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
  ['external_id', readElsewhere],
  ['user_alias', readElsewhere],
  ['push_token_import', readImportFlag],
  ['alias_name', notKept(ofAlias)],
  ['alias_label', notKept(ofAlias)],
  ['bio', notKept(notInUse)],
  // Names of the export never become custom attributes (specification 2.3).
  ...exportedOnly.map((name): [string, StandardReader] => [name, notKept(exportedName)]),
])
