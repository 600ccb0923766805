import type { Call } from '../../base/call.ts'
import { bucketCount } from '../../base/db/buckets.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { appsSection } from '../../workspace/file/apps-config-section.ts'
import { groupsSection } from '../../workspace/file/groups-config-section.ts'
import { getInstallation } from '../../workspace/settings/installation-store.ts'
import { getWorkspace } from '../../workspace/settings/selected.ts'
import { listTimedCohorts } from '../cohorts/cohort-store.ts'
import { addressHasher, bucketOfId, person } from '../identity/person.ts'
import { type BackupPage, type BackupReading, bucketRange, hashingKey, statesPage } from './address-states-page.ts'
import { type BackupCursor, firstCursor, firstState, formatCursor, peopleAfter, readCursor } from './backup-cursor.ts'
import { type BackupLine, lineBytesMax, lineRowsMax, linesVersion } from './backup-lines.ts'
import { findHistorySources, type HistorySource, listProfileKeys, type ProfileKey } from './backup-store.ts'
import { headCohorts } from './backup-tables.ts'
import { historyPage } from './history-page.ts'
import { measureHistory } from './history-page-store.ts'
import { formatRow } from './line-rows.ts'
import { personLines, splitPerson } from './people-page.ts'

/** The largest number of events and purchases of a page. */
const rowsMax = 5_000
/** The largest size of custom attributes and properties of a page. */
const bytesMax = 2_000_000
/** The largest number of statements that search for the people of a page: most buckets of a small workspace are empty. */
const statementsMax = 20

/** A page of a backup. `next` is null at the end; `share` is the progress, 0 to 1. */
export type PeoplePage = { lines: readonly BackupLine[]; next: string | null; share: number }

/**
 * Reads a page of the people of a workspace: the header first, then people in the order of their ids, then the states of addresses. Every
 * page is a short transaction of its own, with the data of that moment.
 */
export async function readBackup(call: Call, after?: string, workspace?: string): Promise<PeoplePage> {
  const cursor = after === undefined ? firstCursor : readCursor(after)
  const found = await getWorkspace(call.db, workspace)
  const read = async (tx: Tx): Promise<BackupPage> => {
    const { secret } = await getInstallation(tx)
    const reading = { tx, workspace: found, hashAddress: addressHasher(secret), secret }
    const header = after === undefined ? [await readHeader(reading)] : []
    const { lines, next } = await pageAt(reading, cursor)
    return { lines: [...header, ...lines], next }
  }
  const { lines, next } = await call.db.transaction(read, { settings: readOnlySnapshot })
  return { lines, next: next ? formatCursor(next) : null, share: next ? shareOf(next) : 1 }
}

/** Returns the progress by ids, which are spread evenly. States come last and take little time. */
function shareOf(cursor: BackupCursor): number {
  if (cursor.stage === 'states') return 1
  return Number(cursor.stage === 'people' ? cursor.after : cursor.profile_id) / 2 ** 63
}

async function readHeader({ tx, workspace, hashAddress }: BackupReading): Promise<BackupLine> {
  const { workspace_id, id, name } = workspace
  const [apps, subscription_groups, cohorts] = await Promise.all([
    appsSection.list(tx, workspace_id),
    groupsSection.list(tx, workspace_id),
    listTimedCohorts(tx, workspace_id),
  ])
  const key = hashingKey(hashAddress, workspace_id)
  return {
    ...{ easel: 'people', version: linesVersion, workspace: { id, name }, key, apps, subscription_groups },
    cohorts: cohorts.map((cohort) => formatRow(headCohorts.columns, cohort)),
  }
}

function pageAt(reading: BackupReading, cursor: BackupCursor): Promise<BackupPage> {
  switch (cursor.stage) {
    case 'people':
      return peoplePage(reading, cursor.after, cursor.limit)
    case 'history':
      return historyPage(reading, cursor)
    case 'states':
      return statesPage(reading, cursor.after)
  }
}

/** Reads as many people as fit into a page. A person who does not fit into a line gets a page of several lines. */
async function peoplePage(reading: BackupReading, after: string, limit: number): Promise<BackupPage> {
  const { keys, scanned } = await nextKeys(reading, after, limit)
  const people = keys.map(({ profile_id }) => person(bucketOfId(profile_id), profile_id))
  const sources = await findHistorySources(reading.tx, people)
  const sizes = await measure(reading.tx, keys, sources)
  const count = fitting(sizes)
  if (count === 0 && people.length > 0) return splitPerson(reading, people[0]!, sizes[0]!.rows > 0)
  const own = sources.filter(({ n }) => n < count)
  const lines = await personLines(reading, people.slice(0, count), own)
  const last = count < people.length ? people[count - 1]!.profile_id : scanned
  const next = last === undefined ? { stage: 'states' as const, after: firstState } : peopleAfter(last, count * 2)
  return { lines, next }
}

/** Reads the next people. `scanned` is the id up to which there are no others; undefined at the end of the workspace. */
async function nextKeys(
  { tx, workspace }: BackupReading,
  after: string,
  limit: number,
): Promise<{ keys: ProfileKey[]; scanned: string | undefined }> {
  const keys: ProfileKey[] = []
  let bucket = bucketOfId(after)
  for (let statement = 0; statement < statementsMax; statement++) {
    const buckets = bucketRange(bucket, statement)
    keys.push(...(await listProfileKeys(tx, workspace.workspace_id, buckets, after, limit - keys.length)))
    if (keys.length === limit) return { keys, scanned: keys.at(-1)!.profile_id }
    bucket += buckets.length
    if (bucket === bucketCount) return { keys, scanned: undefined }
  }
  return { keys, scanned: lastIdBefore(bucket) }
}

function lastIdBefore(bucket: number): string {
  return ((BigInt(bucket) << 51n) - 1n).toString()
}

type Size = { rows: number; bytes: number }

async function measure(tx: Tx, keys: readonly ProfileKey[], sources: readonly HistorySource[]): Promise<Size[]> {
  const sizes = keys.map(({ bytes }): Size => ({ rows: 0, bytes }))
  const found = await Promise.all([
    measureHistory(tx, 'event', sources, lineRowsMax + 1),
    measureHistory(tx, 'purchase', sources, lineRowsMax + 1),
  ])
  for (const { n, rows, bytes } of found.flat()) {
    sizes[n]!.rows += rows
    sizes[n]!.bytes += bytes
  }
  return sizes
}

/** Returns how many of the people fit into a page; 0 when the first one does not fit into a line. */
function fitting(sizes: readonly Size[]): number {
  const total: Size = { rows: 0, bytes: 0 }
  const end = sizes.findIndex(({ rows, bytes }) => {
    total.rows += rows
    total.bytes += bytes
    return rows > lineRowsMax || bytes > lineBytesMax || total.rows > rowsMax || total.bytes > bytesMax
  })
  return end < 0 ? sizes.length : end
}
