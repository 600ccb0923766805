import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { getSegment } from '../segments/find.ts'
import { linkTo, objectName } from './link.ts'
import { readSegmentExport } from './read-request.ts'
import { alreadyExported, exportsMax, type SegmentReply, tooManyExports } from './schema.ts'
import { countExports, insertExport } from './store.ts'
import { expiresAfterMs } from './writer-loop.ts'

export type AcceptServices = {
  workspaces: Workspaces
  serviceName: string
  publicUrl: string
  secret: Buffer
  /** Something was accepted. */
  wakeWriter(): void
}

/** Accepts an export of everybody in a segment (contract 10.1): once this is answered it will be written, whatever happens. */
export async function exportSegment(call: Call, body: unknown, parts: AcceptServices): Promise<SegmentReply> {
  const { db, clock, workspace_id } = call
  const { settings } = parts.workspaces.get(workspace_id)
  const asked = readSegmentExport(body, parts.serviceName, settings.export_all_fields)
  const nowMs = clock.elapsed()
  const id = `${newUuid()}-${Math.floor(nowMs / 1000)}`
  await db.transaction(async (tx) => {
    await getSegment(tx, workspace_id, asked.segment_id)
    if ((await countExports(tx, workspace_id, exportsMax)) === exportsMax) throw invalid(tooManyExports)
    if (!(await insertExport(tx, { workspace_id, id }, asked, clock.stamp()))) throw invalid(alreadyExported)
  })
  parts.wakeWriter()
  const url = linkTo(parts.publicUrl, objectName(id, asked.output_format), nowMs + expiresAfterMs, parts.secret)
  return { object_prefix: id, url, message: 'success' }
}
