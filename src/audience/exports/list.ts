import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { isCleanText } from '../../people/values/values.ts'
import { linkTo, objectName } from './link.ts'
import { type ExportEntry, type ExportsReply, exportPageDefault, exportPageMax } from './schema.ts'
import { type ExportCursor, type ExportRow, listExports } from './store.ts'

export type ExportListServices = { serviceName: string; publicUrl: string; secret: Buffer }

/** Lists a page of the exports that have not expired, newest first (`GET /admin/exports`). */
export async function readExports(
  { db }: Call,
  query: Query,
  workspace_id: number,
  services: ExportListServices,
): Promise<ExportsReply> {
  const limit = readLimit(query, exportPageDefault, exportPageMax)
  const rows = await listExports(db, workspace_id, readCursor(query), limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    exports: page.map((row) => toReply(row, services)),
    ...(last && rows.length > limit && { cursor: cursorAfter(last) }),
  }
}

function toReply(row: ExportRow, { serviceName, publicUrl, secret }: ExportListServices): ExportEntry {
  const { id, state, request, created_at, finished_at, expires_at, bytes } = row
  const { fields, custom_attributes, output_format, callback_endpoint } = request
  const hasFile = state === 'done' && expires_at !== null
  return {
    object_prefix: id,
    segment_id: row.segment_id,
    state,
    fields_to_export: fields.map((field) => (field === 'service_id' ? `${serviceName}_id` : field)),
    custom_attributes_to_export: [...custom_attributes],
    output_format,
    people: row.people,
    files: row.files,
    bytes: Number(bytes),
    failure: row.failure,
    url: hasFile ? linkTo(publicUrl, objectName(id, output_format), expires_at.getTime(), secret) : null,
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
