import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import { type NewAuditEntry, recordAudit } from '../../workspace/audit/record.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { getSegmentOfPath } from '../segments/find.ts'
import { linkTo, objectName } from './link.ts'
import { readControlGroupExport, readSegmentExport } from './read-request.ts'
import { type ExportReply, type ExportRequest, exportsMax, tooManyExports } from './schema.ts'
import { findSelection, selectionWords } from './select-people.ts'
import { countExports, insertExport } from './store.ts'
import { expiresAfterMs } from './writer-loop.ts'

export type AcceptExportServices = {
  workspaces: Workspaces
  serviceName: string
  publicUrl: string
  secret: Buffer
  wakeups: Wakeups
}

/** Accepts an export: `POST /users/export/segment` (contract 10.1). Returns when the export is stored. The writer writes it later. */
export async function exportSegment(call: Call, body: unknown, services: AcceptExportServices): Promise<ExportReply> {
  const { settings } = services.workspaces.get(call.workspace_id)
  return accept(call, readSegmentExport(body, services.serviceName, settings.export_all_fields), services)
}

/** Accepts an export of the global control group in the same way: `POST /users/export/global_control_group` (contract 10.1). */
export async function exportControlGroup(
  call: Call,
  body: unknown,
  services: AcceptExportServices,
): Promise<ExportReply> {
  const { settings } = services.workspaces.get(call.workspace_id)
  return accept(call, readControlGroupExport(body, services.serviceName, settings.export_all_fields), services)
}

/** Accepts an export of a segment for an administrator, with an audit row. Throws 404 for an unknown segment. */
export async function exportForAdmin(
  call: Call,
  workspace_id: number,
  id: string,
  body: unknown,
  services: AcceptExportServices,
): Promise<ExportReply> {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { settings } = services.workspaces.get(workspace_id)
  const { fields_to_export, custom_attributes_to_export, output_format } = body
  const asked = { segment_id: id, fields_to_export, custom_attributes_to_export, output_format }
  const { name } = await getSegmentOfPath(call.db, workspace_id, id)
  const request = readSegmentExport(asked, services.serviceName, settings.export_all_fields)
  const { fields, custom_attributes } = request
  const after = { fields, custom_attributes: custom_attributes.length, output_format: request.output_format }
  const entry = { action: 'segment.export', target: { kind: 'segment', id, name }, after, workspace_id }
  return accept({ ...call, workspace_id }, request, services, entry)
}

async function accept(
  call: Call,
  request: ExportRequest,
  services: AcceptExportServices,
  audited?: NewAuditEntry,
): Promise<ExportReply> {
  const { db, clock, workspace_id } = call
  const words = selectionWords(request)
  const nowMs = clock.elapsed()
  const id = `${newUuid()}-${Math.floor(nowMs / 1000)}`
  await db.transaction(async (tx) => {
    if (!(await findSelection(tx, workspace_id, request, services.workspaces))) throw invalid(words.unknown)
    if ((await countExports(tx, workspace_id, exportsMax)) === exportsMax) throw invalid(tooManyExports)
    if (!(await insertExport(tx, { workspace_id, id }, request, clock.stamp()))) throw invalid(words.already)
    if (audited) await recordAudit(tx, call, audited)
  })
  services.wakeups.wake('exports')
  const url = linkTo(services.publicUrl, objectName(id, request.output_format), nowMs + expiresAfterMs, services.secret)
  return { object_prefix: id, url, message: 'success' }
}
