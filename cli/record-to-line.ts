import { parseTime } from '../src/base/dates.ts'
import type { BackupLine } from '../src/people/backup/backup-lines.ts'
import { deviceTexts } from '../src/people/profile/device.ts'
import { type StandardDraft, standardReaders } from '../src/people/profile/standard.ts'
import { formatMoment, parseMoment } from '../src/people/values/moments.ts'
import { isObject } from '../src/people/values/values.ts'

type Fields = Readonly<Record<string, unknown>>

export type RecordRules = {
  /** Ids of the apps of the workspace, by name and by id. */
  readonly apps: ReadonlyMap<string, string>
  /** The time for objects of a record without a time, epoch milliseconds. */
  readonly nowMs: number
}

/** A person as a line of an export, and how many objects of each kind were dropped. */
export type ConvertedRecord = { line: BackupLine; losses: Readonly<Record<string, number>> }

const standardFields =
  'email phone first_name last_name dob country home_city language gender time_zone email_subscribe push_subscribe'.split(
    ' ',
  )
const plainFields = 'attributed_campaign attributed_source attributed_adgroup attributed_ad total_revenue'.split(' ')
const timestampFields =
  'created_at email_opted_in_at email_unsubscribed_at push_opted_in_at push_unsubscribed_at'.split(' ')
/** Members with summaries, and lists of objects that exist only at the other installation. */
const droppedMembers = ['custom_events', 'purchases', 'campaigns_received', 'canvases_received']

/**
 * Converts a record of `POST /users/export/ids` of any installation (specification 2.3) to a line of an export that creates a new
 * person. Returns a text when it cannot be imported.
 */
export function lineFromRecord(record: Fields, rules: RecordRules): ConvertedRecord | string {
  const losses: Record<string, number> = {}
  const lose = (what: string, count: number) => {
    if (count > 0) losses[what] = count
  }
  const standard = standardOf(record, lose)
  if (typeof standard === 'string') return standard
  const times = Object.fromEntries(timestampFields.flatMap((name) => pairOf(name, timestampOf(record[name]))))
  const bornUs = parseMoment(times.created_at ?? '') ?? rules.nowMs * 1000
  const used = usesOf(record, rules.apps)
  const tokens = tokensOf(record, rules.apps)
  const devices = listOf(record.devices).filter(({ device_id }) => typeof device_id === 'string')
  const aliases = new Map(listOf(record.user_aliases).map((alias) => [alias.alias_label, alias]))
  for (const member of droppedMembers) lose(member, listOf(record[member]).length)
  lose('apps', listOf(record.apps).length - used.length)
  lose('push_tokens', listOf(record.push_tokens).length - tokens.length)
  lose('devices', listOf(record.devices).length - devices.length)
  const line = {
    profile: { ...standard, ...times, ...stampsOf(standard, times, bornUs), ...sessionsOf(record), ...plainOf(record) },
    aliases: [...aliases.values()].map(({ alias_label, alias_name }) => ({ alias_label, alias_name })),
    devices: inOrder(devices.map(deviceOf), 'created_at', bornUs),
    app_uses: used,
    card_clicks: inOrder(
      listOf(record.cards_clicked).map(({ name }) => ({ card: name })),
      'at',
      bornUs,
    ),
    push_tokens: inOrder(tokens, 'created_at', bornUs),
    custom_attributes: Object.fromEntries(
      Object.entries(isObject(record.custom_attributes) ? record.custom_attributes : {}).filter(
        ([, value]) => value !== null,
      ),
    ),
  }
  return { line, losses }
}

/** Reads the fields as those of an attributes object: a malformed value is dropped or refuses the record. */
function standardOf(record: Fields, lose: (what: string, count: number) => void): Fields | string {
  const draft: StandardDraft = { standard: null }
  for (const name of standardFields) {
    if (record[name] === undefined || record[name] === null) continue
    const outcome = standardReaders.get(name)!(draft, record[name])
    if (typeof outcome === 'string') return outcome
    if (outcome !== undefined) lose(name, 1)
  }
  return { ...draft.standard }
}

function plainOf(record: Fields): Fields {
  const { external_id, random_bucket, last_coordinates } = record
  const [longitude, latitude] = Array.isArray(last_coordinates) ? last_coordinates : []
  return {
    ...Object.fromEntries(plainFields.flatMap((name) => pairOf(name, record[name]))),
    ...(external_id !== undefined && {
      external_id: typeof external_id === 'number' ? String(external_id) : external_id,
    }),
    ...(random_bucket !== undefined && { random_bucket }),
    ...(latitude !== undefined && { longitude, latitude }),
  }
}

/** Returns the times of the subscription states, from the record if it has them. A state that was set needs a stamp. */
function stampsOf(standard: Fields, times: Readonly<Record<string, string>>, bornUs: number): Fields {
  const stamps = (['email', 'push'] as const).flatMap((channel) => {
    const state = standard[`${channel}_subscribe`]
    if (state !== 'opted_in' && state !== 'unsubscribed') return []
    const moment = times[`${channel}_${state === 'opted_in' ? 'opted_in' : 'unsubscribed'}_at`]
    return [[`${channel}_subscribe_at`, moment ?? formatMoment(bornUs)]]
  })
  return Object.fromEntries(stamps)
}

/** Sums up the sessions of all apps, including unknown ones. */
function sessionsOf(record: Fields): Fields {
  const apps = listOf(record.apps)
  const times = apps.flatMap(({ first_used, last_used }) => [timestampOf(first_used), timestampOf(last_used)])
  const known = times.filter((moment) => moment !== undefined).sort()
  return {
    session_count: apps.reduce((sum, { sessions }) => sum + countOf(sessions), 0),
    ...(known.length > 0 && { date_of_first_session: known[0], date_of_last_session: known.at(-1) }),
  }
}

function usesOf(record: Fields, apps: RecordRules['apps']): Fields[] {
  const used = listOf(record.apps).flatMap(({ name, version, sessions, first_used, last_used }) => {
    const app_id = apps.get(String(name))
    if (app_id === undefined) return []
    const times = { first_used: timestampOf(first_used), last_used: timestampOf(last_used) }
    return [{ app_id, version, sessions: countOf(sessions), ...times, uninstalled_at: undefined as string | undefined }]
  })
  // A record has the time of the last uninstall, but not the app. The app that was used last is the best guess.
  const [last] = used.toSorted((a, b) => (b.last_used ?? '').localeCompare(a.last_used ?? ''))
  if (last) last.uninstalled_at = timestampOf(record.uninstalled_at)
  return used
}

function tokensOf(record: Fields, apps: RecordRules['apps']): Fields[] {
  return listOf(record.push_tokens).flatMap(({ app, token, device_id, notifications_enabled }) => {
    const app_id = apps.get(String(app))
    if (app_id === undefined) return []
    return [{ app_id, token, device_id, notifications_enabled: notifications_enabled !== false }]
  })
}

function deviceOf(device: Fields): Fields {
  return Object.fromEntries(['device_id', ...deviceTexts, 'ad_tracking_enabled'].map((name) => [name, device[name]]))
}

/** Gives each entry a time one microsecond later than the one before, because a record has an order but no times. */
function inOrder(list: readonly Fields[], member: string, bornUs: number): Fields[] {
  return list.map((each, i) => ({ ...each, [member]: formatMoment(bornUs + i) }))
}

/** Counts are numbers; some installations write them as text. */
function countOf(value: unknown): number {
  const count = Number(value)
  return Number.isInteger(count) && count > 0 ? count : 0
}

function timestampOf(value: unknown): string | undefined {
  const ms = typeof value === 'string' ? parseTime(value.replace(/ UTC$/, 'Z')) : undefined
  return ms === undefined ? undefined : formatMoment(ms * 1000)
}

function pairOf<Value>(name: string, value: Value | undefined | null): [string, Value][] {
  return value === undefined || value === null ? [] : [[name, value]]
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
