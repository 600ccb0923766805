import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { aliasParts } from '../identity/identifier.ts'
import { actionsFor, peopleWords, workFamily, workSentence } from './work-actions.ts'
import {
  type Selector,
  type WorkEntry,
  type WorkReply,
  type WorkRequest,
  workKinds,
  workOutcomes,
  workPageDefault,
  workPageMax,
  workStates,
} from './work-schema.ts'
import { countItems, listItems, type WorkCount, type WorkCursor, type WorkFilter, type WorkRow } from './work-store.ts'

export type ListWorkServices = { serviceName: string; formatServiceId(profile_id: string): string }

/** Only the newest items are counted. */
const countedMax = 100_000

/** Lists accepted items with their outcomes, newest first, page by page (`GET /admin/work`). */
export async function listWork(
  call: Call,
  query: Query,
  workspace_id: number,
  services: ListWorkServices,
): Promise<WorkReply> {
  const filter = readFilter(query, workspace_id)
  const limit = readLimit(query, workPageDefault, workPageMax)
  const after = readCursor(query)
  const [rows, counts] = await Promise.all([
    listItems(call.db, filter, after, limit + 1),
    countItems(call.db, filter, countedMax),
  ])
  const page = rows.slice(0, limit)
  const more = rows.length > limit
  return {
    work: page.map((row) => formatItem(row, services)),
    counts: formatCounts(counts),
    ...(more && { cursor: formatCursor(page.at(-1)!) }),
  }
}

function readFilter(query: Query, workspace_id: number): WorkFilter {
  const request_id = readNonEmpty(query, 'request_id')
  if (request_id !== undefined && !uuid.test(request_id)) throw invalid("'request_id' must be a UUID")
  return {
    workspace_id,
    kind: readChoice(query, 'kind', workKinds),
    state: readChoice(query, 'state', workStates),
    outcome: readChoice(query, 'outcome', workOutcomes),
    request_id: request_id?.toLowerCase(),
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function readChoice<const Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const given = readNonEmpty(query, name)
  const known = choices.find((choice) => choice === given)
  if (given !== undefined && !known) throw invalid(`'${name}' must be one of ${choices.join(', ')}`)
  return known
}

function formatCursor({ accepted_us, request_id, position }: WorkRow): string {
  return Buffer.from(`${accepted_us}.${position}.${request_id}`).toString('base64url')
}

const cursorForm = /^(\d{1,18})\.(\d{1,9})\.([0-9a-f-]{36})$/

function readCursor(query: Query): WorkCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, acceptedUs, position, request_id] = cursorForm.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!acceptedUs || !position || !request_id || !uuid.test(request_id)) throw invalid("'cursor' is not valid")
  return { acceptedUs, position: Number(position), request_id }
}

function formatCounts(counts: readonly WorkCount[]): WorkReply['counts'] {
  const sum = (matches: (count: WorkCount) => boolean) =>
    counts.filter(matches).reduce((total, { count }) => total + count, 0)
  return {
    waiting: sum(({ state }) => state === 'waiting'),
    ...Object.fromEntries(workOutcomes.map((outcome) => [outcome, sum((count) => count.outcome === outcome)])),
  }
}

/** Returns an item as answers have it. */
export function formatItem(row: WorkRow, services: ListWorkServices): WorkEntry {
  const { request_id, position, kind, state, outcome, asked, accepted_at, finished_at } = row
  const standing = { kind, state, outcome, hasRequest: asked !== null }
  const serviceId = (profile_id: string | null) => profile_id && services.formatServiceId(profile_id)
  return {
    request_id,
    position,
    kind,
    state,
    outcome,
    asked: asked && formatRequest(kind, asked, `${services.serviceName}_id`),
    kept: serviceId(row.into_id),
    merged: kind === 'delete' ? null : serviceId(row.from_id),
    accepted_at: accepted_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    who: asked && peopleWords(kind, asked),
    sentence: workSentence(standing),
    family: workFamily(standing),
    actions: actionsFor(standing),
  }
}

/** Formats an item as in its request. */
function formatRequest(
  kind: WorkRow['kind'],
  { who, into, merge_behavior }: WorkRequest,
  serviceIdKey: string,
): object {
  if (kind === 'delete' || !into) return formatSelector(who, serviceIdKey)
  if (kind === 'identify')
    return { ...formatSelector(into, serviceIdKey), ...formatSelector(who, serviceIdKey), merge_behavior }
  return {
    identifier_to_merge: formatSelector(who, serviceIdKey),
    identifier_to_keep: formatSelector(into, serviceIdKey),
  }
}

function formatSelector({ kind, value, prioritization }: Selector, serviceIdKey: string): object {
  if (kind === 'alias') return { user_alias: aliasParts(value) }
  if (kind === 'device') return { device_id: value }
  return { [kind === 'service_id' ? serviceIdKey : kind]: value, ...(prioritization && { prioritization }) }
}
