import type { Call } from '../../base/call.ts'
import { dayFromNumber, dayNumber, dayOf, startOfDay } from '../../base/days.ts'
import type { Tx } from '../../base/db/db.ts'
import { measureSubject, Tally } from '../../workspace/tallies/tally.ts'
import { insertTallyChange } from '../../workspace/tallies/tally-store.ts'
import { pushTokenIdentifier } from '../identity/identifier.ts'
import { bucketsOf, type Person } from '../identity/person.ts'
import { addAppUse } from '../profile/app-use-store.ts'
import { updateUsage } from '../profile/column-store.ts'
import type { DeviceMembers } from '../profile/device.ts'
import { type PushTokenRow, upsertPushTokens } from '../profile/push-token-store.ts'
import type { AppliedAssignment } from './apply-assignment.ts'
import { countActivity, monthDays } from './count-activity.ts'
import {
  deleteSessions,
  findDevice,
  insertSessions,
  listDaysOfUse,
  type TakenDevice,
  upsertCardClicks,
  upsertDevice,
} from './device-store.ts'
import type { SdkReport } from './read-report.ts'

/** How a report is counted: the id of the name of its app, and the time zone of its days. */
export type ReportCounting = {
  readonly app: number
  readonly zone: string
}

/** Days of use that are nearer to a session matter to who is active in a month; a day more, because days have a time zone. */
const activeUs = (monthDays + 1) * 24 * 60 * 60 * 1_000_000
/** A session that is sent again within this time is counted once. */
const sessionKnownMs = 30 * 24 * 60 * 60 * 1000

const unknownDevice: DeviceMembers = {
  model: null,
  os: null,
  carrier: null,
  idfv: null,
  idfa: null,
  google_ad_id: null,
  roku_ad_id: null,
  ad_tracking_enabled: null,
}

/** Writes the data of the report about the device, the app and the person. The person must be locked. */
export async function writeReport(
  tx: Tx,
  call: Call,
  report: SdkReport,
  applied: AppliedAssignment,
  counting: ReportCounting,
): Promise<void> {
  const { workspace_id, clock } = call
  const { person, taken } = applied
  const { app_id, device_id, app_version: version, attribution, sessions, uninstalledUs } = report
  const stampUs = clock.stamp()
  const tally = new Tally()
  const [known, counted] = await Promise.all([
    taken ? taken.device : findDevice(tx, person, device_id),
    insertNewSessions(tx, call, person, report, taken, counting, tally),
  ])
  const started = sessions.map(({ startedUs }) => startedUs)
  const ended = sessions.map(({ endedUs }) => endedUs)
  const [firstUsedUs, lastSessionUs, lastUsedUs] = [least(started), greatest(started), greatest(ended)]
  const wasUsedAfter = uninstalledUs !== null && lastUsedUs !== null && lastUsedUs > uninstalledUs
  const use = {
    ...{ app_id, version, sessions: counted, firstUsedUs, lastUsedUs },
    uninstalledUs: wasUsedAfter ? null : uninstalledUs,
  }
  const hasUse = version !== null || sessions.length > 0 || uninstalledUs !== null
  const [uninstalled] = await Promise.all([
    hasUse && addAppUse(tx, person, use),
    updateUsage(tx, {
      person,
      sessions: counted,
      firstSessionUs: firstUsedUs,
      lastSessionUs,
      attribution,
      stampUs,
    }),
    upsertDevice(tx, person, device_id, { ...unknownDevice, ...known, ...report.device }, stampUs),
    upsertCardClicks(tx, person, report.cards),
    upsertPushTokens(tx, tokensOf(workspace_id, person, report, taken, stampUs)),
  ])
  if (uninstalled) tally.add(measureSubject(workspace_id, 'uninstalls'), counting.app, uninstalledUs!)
  if (applied.isNew) tally.add(measureSubject(workspace_id, 'new_users'), null, stampUs)
  await insertTallyChange(tx, tally)
}

/** Inserts the sessions, adds the new ones to `tally`, and returns how many of them are new. */
async function insertNewSessions(
  tx: Tx,
  { workspace_id, clock }: Call,
  person: Person,
  { device_id, app_id, sessions }: SdkReport,
  taken: TakenDevice | null,
  { app, zone }: ReportCounting,
  tally: Tally,
): Promise<number> {
  const known = (taken?.sessions ?? []).map((session) => {
    return { app_id: session.app_id, startedUs: Number(session.started_us), recordedUs: Number(session.recorded_us) }
  })
  const recordedUs = clock.now() * 1000
  const reported = sessions.map(({ sentUs }) => ({ app_id, startedUs: sentUs, recordedUs }))
  if (sessions.length === 0) {
    await insertSessions(tx, person, device_id, known)
    return 0
  }
  const started = sessions.map(({ startedUs }) => startedUs)
  const around = { fromUs: least(started)! - activeUs, untilUs: greatest(started)! + activeUs, zone }
  // All use the same connection, which runs them in this order.
  const [, days, , inserted] = await Promise.all([
    insertSessions(tx, person, device_id, known),
    listDaysOfUse(tx, person, around),
    deleteSessions(tx, person, device_id, recordedUs - sessionKnownMs * 1000),
    insertSessions(tx, person, device_id, reported),
  ])
  const isNew = new Set(inserted.map(({ startedUs }) => startedUs))
  const counted = sessions.filter(({ sentUs }) => isNew.has(sentUs))
  for (const { startedUs } of counted) tally.add(measureSubject(workspace_id, 'sessions'), app, startedUs)
  const used = counted.map(({ startedUs }) => ({ app_id, day: dayNumber(dayOf(startedUs / 1000, zone)) }))
  for (const { measure, app_id: ofApp, day, count } of countActivity(days, used))
    tally.add(
      measureSubject(workspace_id, measure),
      ofApp === null ? null : app,
      startOfDay(dayFromNumber(day), zone) * 1000,
      count,
    )
  return counted.length
}

function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values)
}

function greatest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values)
}

/** Returns the token of the report, and those that are taken with the device, in lock order. */
function tokensOf(
  workspace_id: number,
  person: Person,
  { app_id, device_id, push_token }: SdkReport,
  taken: TakenDevice | null,
  stampUs: number,
): (PushTokenRow & { value: string })[] {
  const own = push_token === null ? [] : [{ app_id, token: push_token, notifications_enabled: true }]
  const rows = [...(taken?.tokens ?? []), ...own].map((token) => {
    const { value } = pushTokenIdentifier(token.app_id, token.token)
    const { bucket } = bucketsOf(workspace_id, 'push_token', value)
    return { ...token, device_id, person, workspace_id, bucket, value, stampUs }
  })
  const each = [...new Map(rows.map((row) => [row.value, row])).values()]
  return each.sort((a, b) => a.bucket - b.bucket || (a.value < b.value ? -1 : 1))
}
