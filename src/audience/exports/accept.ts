import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { getSegment } from '../segments/find.ts'
import { linkTo, objectName } from './link.ts'
import { readSegmentExport } from './read-request.ts'
import { alreadyExported, exportsMax, type SegmentReply, tooManyExports } from './schema.ts'
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
export async function exportSegment(call: Call, body: unknown, services: AcceptExportServices): Promise<SegmentReply> {
  const { db, clock, workspace_id } = call
  const { settings } = services.workspaces.get(workspace_id)
  const request = readSegmentExport(body, services.serviceName, settings.export_all_fields)
  const nowMs = clock.elapsed()
  const id = `${newUuid()}-${Math.floor(nowMs / 1000)}`
  await db.transaction(async (tx) => {
    await getSegment(tx, workspace_id, request.segment_id)
    if ((await countExports(tx, workspace_id, exportsMax)) === exportsMax) throw invalid(tooManyExports)
    if (!(await insertExport(tx, { workspace_id, id }, request, clock.stamp()))) throw invalid(alreadyExported)
  })
  services.wakeups.wake('exports')
  const url = linkTo(services.publicUrl, objectName(id, request.output_format), nowMs + expiresAfterMs, services.secret)
  return { object_prefix: id, url, message: 'success' }
}
