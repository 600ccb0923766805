import { isDeepStrictEqual } from 'node:util'
import { ExactNumber } from '../../base/exact-number.ts'
import { isCohortText, isPartner } from '../cohorts/cohort-names.ts'
import { confirmationSources } from '../confirmations/confirmation.ts'
import { idBytesMax } from '../identity/identifier.ts'
import { tokenBytesMax } from '../profile/push-tokens.ts'
import { type StandardDraft, type StandardFields, standardReaders } from '../profile/standard.ts'
import { parseMoment } from '../values/moments.ts'
import { depthMax, isCleanText, isLong, isObject, isSafe, isUnsafeKey, type Json } from '../values/values.ts'

/** A value of a row. A moment is epoch microseconds. */
export type BackupValue = Json
export type BackupRow = Readonly<Record<string, BackupValue>>

/** A column of a table, and its format in lines. A line has a moment as `2026-08-01T10:00:00.123456Z`. */
export type BackupColumn = {
  readonly type: 'text' | 'text[]' | 'int4' | 'int8' | 'uuid' | 'float8' | 'bool' | 'timestamptz' | 'jsonb'
  /** The value when a line does not have the member. Without `blank`, the member is required. */
  readonly blank?: BackupValue
  /** Parses the value of a line; undefined when it is not valid. */
  read(value: unknown): BackupValue | undefined
}

export type BackupColumns = Readonly<Record<string, BackupColumn>>

/** A table with rows of a person: the member of a line, the columns besides `bucket, profile_id`, and those of the key. */
export type BackupTable = {
  readonly table: string
  readonly member: string
  readonly columns: BackupColumns
  readonly key: readonly string[]
}

const textCharactersMax = 4096
const intMax = 2 ** 31 - 1
/** The largest number in a column `int8`. */
const longMax = 2n ** 63n - 1n
/** The most installations whose links of one confirmation work. */
export const linkHashesMax = 10
/** The largest number of conversions that a person made in a flow. */
const namesMax = 100

/** A text that PostgreSQL can store. */
function text(fits: (text: string) => boolean): BackupColumn {
  return { type: 'text', read: (value) => (isText(value) && fits(value) ? value : undefined) }
}

/** Returns a column that is null when the member is absent. */
function optional(column: BackupColumn): BackupColumn {
  return { ...column, blank: null }
}

function integer(least: number, most: number, blank?: number): BackupColumn {
  const read = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined
  return { type: 'int4', ...(blank !== undefined && { blank }), read }
}

function number(fits: (value: number) => boolean, blank: number | null): BackupColumn {
  return { type: 'float8', blank, read: (value) => (typeof value === 'number' && fits(value) ? value : undefined) }
}

/** A list of at most `countMax` texts. */
function list(countMax: number, fits: (value: unknown) => boolean): BackupColumn {
  const read = (value: unknown) =>
    Array.isArray(value) && value.length <= countMax && value.every(fits) ? value : undefined
  return { type: 'text[]', blank: [], read }
}

/** A field of attributes objects. A value is valid when the reader of the field would store it unchanged. */
function standard(name: keyof StandardFields, type: BackupColumn['type'], blank: BackupValue): BackupColumn {
  const reader = standardReaders.get(name)!
  const read = (value: unknown) => {
    const draft: StandardDraft = { standard: null }
    if (!isStorable(value) || reader(draft, value) !== undefined) return undefined
    const stored = draft.standard?.[name]
    return isDeepStrictEqual(stored, value) ? (stored as BackupValue) : undefined
  }
  return { type, blank, read }
}

const id = text((value) => value !== '' && Buffer.byteLength(value) <= idBytesMax)
/** Part of a key, which cannot be much longer than 2,000 bytes. */
const word = text((value) => value !== '' && !isLong(value))
const token = text((value) => value !== '' && Buffer.byteLength(value) <= tokenBytesMax)
const note = text((value) => value.length <= textCharactersMax)
const moment: BackupColumn = {
  type: 'timestamptz',
  read: (value) => (typeof value === 'string' ? parseMoment(value) : undefined),
}
const flag: BackupColumn = { type: 'bool', read: (value) => (typeof value === 'boolean' ? value : undefined) }
const unset: BackupColumn = { ...flag, blank: false }
const subscribeState = (name: 'email_subscribe' | 'push_subscribe') => standard(name, 'text', 'subscribed')
const standardText = (name: keyof StandardFields) => standard(name, 'text', null)

/** The columns of the profile, without custom attributes, which may be too many for one line. */
export const profileColumns: BackupColumns = {
  random_bucket: integer(0, 9999),
  external_id: optional(id),
  email: standardText('email'),
  phone: standardText('phone'),
  first_name: standardText('first_name'),
  last_name: standardText('last_name'),
  gender: standardText('gender'),
  dob: standardText('dob'),
  country: standardText('country'),
  home_city: standardText('home_city'),
  language: standardText('language'),
  time_zone: standardText('time_zone'),
  image_url: standardText('image_url'),
  longitude: number((value) => Math.abs(value) <= 180, null),
  latitude: number((value) => Math.abs(value) <= 90, null),
  facebook: standard('facebook', 'jsonb', null),
  twitter: standard('twitter', 'jsonb', null),
  email_subscribe: subscribeState('email_subscribe'),
  email_subscribe_at: optional(moment),
  email_opted_in_at: optional(moment),
  email_unsubscribed_at: optional(moment),
  push_subscribe: subscribeState('push_subscribe'),
  push_subscribe_at: optional(moment),
  push_opted_in_at: optional(moment),
  push_unsubscribed_at: optional(moment),
  email_open_tracking_disabled: unset,
  email_click_tracking_disabled: unset,
  date_of_first_session: optional(moment),
  date_of_last_session: optional(moment),
  marked_email_as_spam_at: optional(moment),
  session_count: integer(0, intMax, 0),
  attributed_campaign: optional(note),
  attributed_source: optional(note),
  attributed_adgroup: optional(note),
  attributed_ad: optional(note),
  total_revenue: number(Number.isFinite, 0),
  created_at: moment,
  updated_at: moment,
}

export const aliases: BackupTable = {
  table: 'profile_alias',
  member: 'aliases',
  columns: { alias_label: text((value) => isId(value) && !value.includes('\u001f')), alias_name: id },
  key: ['alias_label'],
}

export const formerIds: BackupTable = {
  table: 'former_id',
  member: 'former_ids',
  columns: { external_id: id, at: moment },
  key: ['external_id'],
}

export const devices: BackupTable = {
  table: 'device',
  member: 'devices',
  columns: {
    device_id: word,
    model: optional(note),
    os: optional(note),
    carrier: optional(note),
    idfv: optional(note),
    idfa: optional(note),
    google_ad_id: optional(note),
    roku_ad_id: optional(note),
    ad_tracking_enabled: optional(flag),
    created_at: moment,
  },
  key: ['device_id'],
}

export const pushTokens: BackupTable = {
  table: 'push_token',
  member: 'push_tokens',
  columns: { app_id: word, token, device_id: optional(word), notifications_enabled: flag, created_at: moment },
  key: ['app_id', 'token'],
}

/** A line has the id of the group, the table has its number. */
export const memberships: BackupTable = {
  table: 'membership',
  member: 'groups',
  columns: {
    group_id: { type: 'int4', read: (value) => (isText(value) ? value : undefined) },
    state: text((value) => value === 'subscribed' || value === 'unsubscribed'),
    stamp: moment,
  },
  key: ['group_id'],
}

/** A line has `int8` as text: JSON has no exact numbers of this size. */
const long: BackupColumn = {
  type: 'int8',
  read: (value) => (isText(value) && /^\d{1,19}$/.test(value) && BigInt(value) <= longMax ? value : undefined),
}
const uuid: BackupColumn = {
  type: 'uuid',
  read: (value) => (isText(value) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? value : undefined),
}
const hashes = list(linkHashesMax, (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value))

/** What people were asked to confirm, so that links and keywords work in the other installation. A line has the id of the group. */
export const confirmations: BackupTable = {
  table: 'confirmation',
  member: 'confirmations',
  columns: {
    group_id: memberships.columns.group_id!,
    confirmation_id: long,
    address: note,
    keyword: optional(word),
    source: text((value) => (confirmationSources as readonly string[]).includes(value)),
    form_id: optional(note),
    language: word,
    requested_at: moment,
    requested_from: optional(note),
    dispatch_id: uuid,
    sent_at: moment,
    sent_count: integer(1, intMax),
    expires_at: moment,
    confirmed_at: optional(moment),
    confirmed_from: optional(note),
    link_hashes: hashes,
  },
  key: ['group_id'],
}

/** A line has the names of the cohort, the table has its number. */
export const cohortMembers: BackupTable = {
  table: 'cohort_member',
  member: 'cohorts',
  columns: { cohort_id: { type: 'int4', read: readCohort }, added_at: moment },
  key: ['cohort_id'],
}

/** The cohorts in the head, also those that have no members. */
export const headCohorts: { readonly columns: BackupColumns; readonly key: readonly string[] } = {
  columns: {
    partner: { type: 'text', read: (value) => (isPartner(value) ? value : undefined) },
    id: { type: 'text', read: (value) => (isCohortText(value) ? value : undefined) },
    name: { type: 'text', read: (value) => (isCohortText(value) ? value : undefined) },
    created_at: moment,
    updated_at: moment,
  },
  key: ['partner', 'id'],
}

/** A line has `canvas:<id>` or `campaign:<id>`, the table has the number of the flow. */
const flow: BackupColumn = { type: 'int4', read: (value) => (isText(value) && isFlow(value) ? value : undefined) }
const names = list(namesMax, isId)

/** The state of people in canvases and campaigns, so that they do not enter again in the other installation. */
export const received: BackupTable = {
  table: 'received',
  member: 'flows',
  columns: {
    flow_id: flow,
    entries: integer(0, intMax, 0),
    last_entered_at: optional(moment),
    last_entered_control_at: optional(moment),
    last_exited_at: optional(moment),
    last_received_at: optional(moment),
    variant: optional(note),
    in_control: unset,
    opened_at: optional(moment),
    clicked_at: optional(moment),
    converting_until: optional(moment),
    converted: names,
    refused: optional(note),
    refused_at: optional(moment),
    previous_received_at: optional(moment),
    send_id: optional(note),
    previous_send_id: optional(note),
    counted_conversions: names,
  },
  key: ['flow_id'],
}

export const receivedSteps: BackupTable = {
  table: 'received_step',
  member: 'flow_steps',
  columns: { flow_id: flow, step: word, last_received_at: moment },
  key: ['flow_id', 'step'],
}

/** Tables with one row per key in the bucket of the person. */
export const personTables: readonly BackupTable[] = [
  aliases,
  formerIds,
  devices,
  {
    table: 'app_use',
    member: 'app_uses',
    columns: {
      app_id: word,
      version: optional(note),
      sessions: integer(0, intMax),
      first_used: optional(moment),
      last_used: optional(moment),
      uninstalled_at: optional(moment),
    },
    key: ['app_id'],
  },
  {
    table: 'app_session',
    member: 'app_sessions',
    columns: { device_id: word, app_id: word, started_at: moment, recorded_at: moment },
    key: ['device_id', 'app_id', 'started_at'],
  },
  { table: 'card_click', member: 'card_clicks', columns: { card: word, at: moment }, key: ['card'] },
  { table: 'last_received', member: 'received', columns: { channel: word, at: moment }, key: ['channel'] },
  {
    table: 'last_engaged',
    member: 'engaged',
    columns: { channel: word, kind: word, at: moment },
    key: ['channel', 'kind'],
  },
  pushTokens,
  memberships,
  confirmations,
  cohortMembers,
  received,
  receivedSteps,
]

/** Events as lines have them; tables have numbers for names and apps. */
export const eventColumns: BackupColumns = {
  name: word,
  time: moment,
  app_id: optional(word),
  properties: optional({ type: 'jsonb', read: (value) => (isObject(value) && isStorable(value) ? value : undefined) }),
}

export const purchaseColumns: BackupColumns = {
  product_id: word,
  time: moment,
  price: { type: 'float8', read: (value) => (typeof value === 'number' && isSafe(value) ? value : undefined) },
  currency: text((value) => /^[A-Z]{3}$/.test(value)),
  quantity: integer(1, intMax),
  app_id: optional(word),
  properties: eventColumns.properties!,
}

/** A state of an address of the person. Without a group, it is the state of the address itself. */
export const addressStateColumns: BackupColumns = {
  kind: text((value) => value === 'email' || value === 'phone'),
  group_id: optional(memberships.columns.group_id!),
  state: text((value) => ['subscribed', 'unsubscribed', 'opted_in'].includes(value)),
  stamp: moment,
}

/** Returns the name of a canvas or campaign in lines. */
export function flowText({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}:${id}`
}

function readCohort(value: unknown): BackupValue | undefined {
  if (!isObject(value)) return undefined
  const { partner, id, name } = value
  if (!isPartner(partner) || !isCohortText(id) || !isCohortText(name)) return undefined
  return { partner, id, name }
}

function isId(value: unknown): boolean {
  return id.read(value) !== undefined
}

function isFlow(value: string): boolean {
  return /^(canvas|campaign):./s.test(value) && isId(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && isCleanText(value)
}

function isCleanKey(key: string): boolean {
  return isCleanText(key) && !isUnsafeKey(key)
}

/** Returns whether a value can be stored unchanged: with clean texts and exact numbers, and not nested too deeply. */
export function isStorable(value: unknown, depth = 1): value is Json {
  switch (typeof value) {
    case 'string':
      return isCleanText(value)
    case 'number':
      return Number.isFinite(value)
    case 'boolean':
      return true
    case 'object': {
      if (value === null) return true
      if (value instanceof ExactNumber) return value.isStorable
      if (depth > depthMax) return false
      if (Array.isArray(value)) return value.every((item) => isStorable(item, depth + 1))
      return Object.entries(value).every(([key, inner]) => isCleanKey(key) && isStorable(inner, depth + 1))
    }
    default:
      return false
  }
}
