import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { kept } from '../../base/work/kept.ts'
import { exportFields } from '../../people/export/schema.ts'
import { isCleanText } from '../../people/values/values.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type CountServices, countTrees } from '../builder/count-audience.ts'
import { linkTo, objectName } from './link.ts'
import { type ExportEntry, type ExportsReply, exportPageDefault, exportPageMax } from './schema.ts'
import { findSelection } from './select-people.ts'
import { type ExportCursor, type ExportRow, listExports } from './store.ts'

export type ExportListServices = CountServices & {
  serviceName: string
  publicUrl: string
  secret: Buffer
  workspaces: Workspaces
}

/** Counts the people of an export that is being written. */
export type CountPeople = (call: Call, workspace_id: number, row: ExportRow) => Promise<number | null>

const countedAgainMs = 60_000
const countsMax = 1_000

/** Returns a counter of people that keeps its counts for a minute. */
export function openCounts(services: ExportListServices): CountPeople {
  const counts = kept<number | null>(countedAgainMs, countsMax)
  return ({ db, clock }, workspace_id, { id, segment_id }) =>
    counts(id, clock.elapsed(), async () => {
      const tree = await findSelection(db, workspace_id, { segment_id }, services.workspaces)
      if (!tree) return null
      const [estimate] = await countTrees({ db, clock }, workspace_id, [tree], false, services)
      return estimate!.count
    })
}

/** Lists a page of the exports that have not expired, newest first (`GET /admin/exports`). */
export async function readExports(
  call: Call,
  query: Query,
  workspace_id: number,
  services: ExportListServices,
  count: CountPeople,
): Promise<ExportsReply> {
  const limit = readLimit(query, exportPageDefault, exportPageMax)
  const segment_id = readNonEmpty(query, 'segment_id')
  const isKnown = segment_id === undefined || isCleanText(segment_id)
  const rows = isKnown ? await listExports(call.db, workspace_id, readCursor(query), limit + 1, segment_id) : []
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const totals = await Promise.all(page.map((row) => totalOf(call, workspace_id, row, count)))
  return {
    exports: page.map((row, i) => toReply(row, totals[i] ?? null, services)),
    fields: [...exportFields(services.serviceName)],
    ...(last && rows.length > limit && { cursor: cursorAfter(last) }),
  }
}

async function totalOf(call: Call, workspace_id: number, row: ExportRow, count: CountPeople): Promise<number | null> {
  if (row.state === 'done') return row.people
  if (row.state !== 'running') return null
  // The list is needed most when an export is heavy, so it is shown without the total when the count is refused.
  const total = await count(call, workspace_id, row).catch((error: unknown) => {
    call.log.warn({ err: error }, 'the people of a running export could not be counted')
    return null
  })
  // An estimate may be too low.
  return total === null ? null : Math.max(total, row.people)
}

function toReply(
  row: ExportRow,
  people_in_all: number | null,
  { serviceName, publicUrl, secret }: ExportListServices,
): ExportEntry {
  const { id, state, request, created_at, finished_at, expires_at, bytes } = row
  const { fields, custom_attributes, output_format, callback_endpoint } = request
  const file = state === 'done' && expires_at !== null ? objectName(id, output_format) : undefined
  const link = (origin: string) => (file === undefined ? null : linkTo(origin, file, expires_at!.getTime(), secret))
  return {
    object_prefix: id,
    segment_id: row.segment_id,
    state,
    fields_to_export: fields.map((field) => (field === 'service_id' ? `${serviceName}_id` : field)),
    custom_attributes_to_export: [...custom_attributes],
    output_format,
    people: row.people,
    people_in_all,
    files: row.files,
    bytes: Number(bytes),
    failure: row.failure,
    url: link(publicUrl),
    path: link(''),
    callback: callback_endpoint
      ? {
          endpoint: callback_endpoint,
          state: row.callback_state,
          attempts: row.callback_attempts,
          failure: row.callback_failure,
        }
      : null,
    created_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    expires_at: expires_at?.toISOString() ?? null,
  }
}

function cursorAfter({ created_us, id }: ExportRow): string {
  return Buffer.from(`${created_us}.${id}`).toString('base64url')
}

const cursorForm = /^(\d{1,18})\.([0-9a-f-]{1,64})$/

function readCursor(query: Query): ExportCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, createdUs, id] = cursorForm.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!createdUs || !id || !isCleanText(id)) throw invalid("'cursor' is not valid")
  return { createdUs, id }
}
