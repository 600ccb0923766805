import { parseTime } from '../../base/dates.ts'
import { invalid } from '../../base/errors.ts'
import {
  type Identifier,
  identifierOrThrow,
  idText,
  isGiven,
  isLocalEmail,
  readIdentifier,
} from '../identity/identifier.ts'
import { type DeviceMember, type DeviceMembers, deviceTexts } from '../profile/device.ts'
import { isDeviceId, tokenBytesMax } from '../profile/push-tokens.ts'
import { badEmail, bodyNotObject, type IdentifierWords, notValid, reservedId } from '../values/refusals.ts'
import { isCleanText, isLong, isObject } from '../values/values.ts'
import {
  cardsMax,
  endsTooEarly,
  oneIdentifier,
  sessionsMax,
  tooManyCards,
  tooManySessions,
  unknownApp,
} from './schema.ts'

/** A session; all times are epoch microseconds. `sentUs` is the start as it was sent. It identifies a session that is sent again. */
export type ReportedSession = { readonly sentUs: number; readonly startedUs: number; readonly endedUs: number }

export type Attribution = {
  readonly campaign: string | null
  readonly source: string | null
  readonly adgroup: string | null
  readonly ad: string | null
}

/** A report of an SDK. Moments are epoch microseconds and never in the future. */
export type SdkReport = {
  readonly who: Identifier | null
  readonly device_id: string
  /** Only members that were sent; null clears one. */
  readonly device: Partial<DeviceMembers>
  readonly app_id: string
  readonly app_version: string | null
  /** Each `sentUs` once. */
  readonly sessions: readonly ReportedSession[]
  readonly push_token: string | null
  readonly attribution: Attribution | null
  /** When each card was last clicked. */
  readonly cards: ReadonlyMap<string, number>
  readonly uninstalledUs: number | null
}

export type ReportRules = {
  readonly nowMs: number
  readonly words: IdentifierWords
  readonly appIds: ReadonlySet<string>
  readonly reservedExternalIds: ReadonlySet<string>
  /** Whether e-mail addresses such as `a@localhost` are accepted. */
  readonly localEmails: boolean
}

type Members = Readonly<Record<string, unknown>>

/** Reads the body of `POST /sdk/data`. Throws 400 with the member that is wrong. Null counts as absent. */
export function readReport(body: unknown, rules: ReportRules): SdkReport {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { nowMs } = rules
  const { device, app_id, uninstalled_at } = body
  const who = readWho(body.identifier, rules)
  if (!isObject(device)) throw invalid(notValid('device'))
  const { device_id } = device
  if (!isDeviceId(device_id) || !isCleanText(device_id)) throw invalid(notValid('device.device_id'))
  if (typeof app_id !== 'string' || !rules.appIds.has(app_id)) throw invalid(unknownApp)
  return {
    who,
    device_id,
    device: readDevice(device),
    app_id,
    app_version: readText(body.app_version, 'app_version'),
    sessions: readSessions(body.sessions, nowMs),
    push_token: readToken(body.push_token),
    attribution: readAttribution(body.attribution),
    cards: readCards(body.card_clicks, nowMs),
    uninstalledUs: isAbsent(uninstalled_at) ? null : readMoment(uninstalled_at, 'uninstalled_at', nowMs),
  }
}

function readWho(given: unknown, { words, reservedExternalIds, localEmails }: ReportRules): Identifier | null {
  if (isAbsent(given)) return null
  if (!isObject(given)) throw invalid(notValid('identifier'))
  const kinds = ['external_id', 'user_alias', words.serviceIdKey, 'email', 'phone']
  if (kinds.filter((kind) => isGiven(given[kind])).length !== 1) throw invalid(oneIdentifier(words.serviceIdKey))
  if (reservedExternalIds.has(idText(given.external_id) ?? '')) throw invalid(reservedId)
  const identifier = identifierOrThrow(readIdentifier(given, words, true))
  if (identifier.kind === 'email' && isLocalEmail(identifier.value) && !localEmails) throw invalid(badEmail)
  return identifier
}

function readDevice(given: Members): Partial<DeviceMembers> {
  const members: Partial<Record<DeviceMember, string | boolean | null>> = {}
  for (const member of deviceTexts) {
    if (given[member] !== undefined) members[member] = readText(given[member], `device.${member}`)
  }
  const { ad_tracking_enabled } = given
  if (ad_tracking_enabled !== undefined) {
    if (ad_tracking_enabled !== null && typeof ad_tracking_enabled !== 'boolean')
      throw invalid(notValid('device.ad_tracking_enabled'))
    members.ad_tracking_enabled = ad_tracking_enabled
  }
  return members as Partial<DeviceMembers>
}

function readSessions(given: unknown, nowMs: number): ReportedSession[] {
  if (isAbsent(given)) return []
  if (!Array.isArray(given)) throw invalid(notValid('sessions'))
  if (given.length > sessionsMax) throw invalid(tooManySessions)
  const sessions = given.map((each, i) => readSession(each, `sessions[${i}]`, nowMs))
  // When a session is sent twice, the longer one counts, as with two requests.
  const byEnd = sessions.toSorted((a, b) => a.endedUs - b.endedUs)
  return [...new Map(byEnd.map((session) => [session.sentUs, session])).values()]
}

function readSession(given: unknown, place: string, nowMs: number): ReportedSession {
  if (!isObject(given)) throw invalid(notValid(place))
  const startedMs = readTime(given.started_at, `${place}.started_at`)
  const endedMs = readTime(given.ended_at, `${place}.ended_at`)
  if (endedMs < startedMs) throw invalid(endsTooEarly(place))
  const startedUs = Math.min(startedMs, nowMs) * 1000
  return { sentUs: startedMs * 1000, startedUs, endedUs: Math.min(endedMs, nowMs) * 1000 }
}

function readToken(given: unknown): string | null {
  if (isAbsent(given)) return null
  if (typeof given !== 'string' || given === '' || Buffer.byteLength(given) > tokenBytesMax || !isCleanText(given))
    throw invalid(notValid('push_token'))
  return given
}

function readAttribution(given: unknown): Attribution | null {
  if (isAbsent(given)) return null
  if (!isObject(given)) throw invalid(notValid('attribution'))
  const read = (member: keyof Attribution) => readText(given[member], `attribution.${member}`)
  return { campaign: read('campaign'), source: read('source'), adgroup: read('adgroup'), ad: read('ad') }
}

function readCards(given: unknown, nowMs: number): Map<string, number> {
  const cards = new Map<string, number>()
  if (isAbsent(given)) return cards
  if (!Array.isArray(given)) throw invalid(notValid('card_clicks'))
  if (given.length > cardsMax) throw invalid(tooManyCards)
  for (const [i, each] of given.entries()) {
    const place = isObject(each) ? `card_clicks[${i}].name` : `card_clicks[${i}]`
    const { name, time }: Members = isObject(each) ? each : { name: each }
    const card = readText(name, place)
    if (card === null) throw invalid(notValid(place))
    const clickedUs = isAbsent(time) ? nowMs * 1000 : readMoment(time, `card_clicks[${i}].time`, nowMs)
    cards.set(card, Math.max(clickedUs, cards.get(card) ?? clickedUs))
  }
  return cards
}

/** Reads text of at most 255 characters; null when it is null or empty. */
function readText(given: unknown, place: string): string | null {
  if (isAbsent(given) || given === '') return null
  if (typeof given !== 'string' || isLong(given) || !isCleanText(given)) throw invalid(notValid(place))
  return given
}

/** Reads a moment as epoch microseconds. A moment in the future counts as now. */
function readMoment(given: unknown, place: string, nowMs: number): number {
  return Math.min(readTime(given, place), nowMs) * 1000
}

function readTime(given: unknown, place: string): number {
  const ms = typeof given === 'string' ? parseTime(given) : undefined
  if (ms === undefined) throw invalid(notValid(place))
  return ms
}

function isAbsent(given: unknown): given is null | undefined {
  return given === undefined || given === null
}
