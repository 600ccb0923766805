import type { Call } from '../../base/call.ts'
import { conflict, notFound } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
import { parseUuid } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { formatItem, type ListWorkServices } from './list-work.ts'
import { refusalOfAction, type WorkAction } from './work-actions.ts'
import type { WorkEntry } from './work-schema.ts'
import { discardItem, findItem, lockWork, reopenItem, type WorkRow } from './work-store.ts'
import type { WorkWorker } from './worker.ts'

export type ActOnWorkServices = ListWorkServices & { readonly worker: Pick<WorkWorker, 'wake' | 'waitUntilDone'> }

const positionMax = 1_000_000

/** Makes an item that has ended wait again, and waits until it is carried out. Throws 404 and 409. */
export async function retryWork(call: Call, request: Request, workspace_id: number, services: ActOnWorkServices) {
  const before = await actOnWork(call, request, workspace_id, 'retry')
  services.worker.wake()
  await services.worker.waitUntilDone(before.request_id)
  const now = await findItem(call.db, workspace_id, before.request_id, before.position)
  return reply(now ?? before, services)
}

/** Ends an item that waits, without carrying it out. Throws 404 and 409. */
export async function discardWork(call: Call, request: Request, workspace_id: number, services: ActOnWorkServices) {
  const before = await actOnWork(call, request, workspace_id, 'discard')
  const now = await findItem(call.db, workspace_id, before.request_id, before.position)
  return reply(now ?? before, services)
}

function reply(row: WorkRow, services: ListWorkServices): { work: WorkEntry } {
  return { work: formatItem(row, services) }
}

/** Changes an item with an audit row. Returns the item as it was before. */
async function actOnWork(call: Call, { params }: Request, workspace_id: number, action: WorkAction): Promise<WorkRow> {
  const request_id = parseUuid(params.request_id ?? '')
  const position = /^\d{1,7}$/.test(params.position ?? '') ? Number(params.position) : positionMax
  if (request_id === undefined || position >= positionMax) throw unknownItem()
  return call.db.transaction(async (tx) => {
    // No process carries out work meanwhile.
    await lockWork(tx)
    const row = await findItem(tx, workspace_id, request_id, position)
    if (!row) throw unknownItem()
    const { state, outcome } = row
    const refusal = refusalOfAction(action, { ...row, hasRequest: row.asked !== null })
    if (refusal !== undefined) throw conflict(refusal)
    if (action === 'retry') await reopenItem(tx, row)
    else await discardItem(tx, row, call.clock.stamp())
    const after = action === 'retry' ? { state: 'waiting', outcome: null } : { state: 'done', outcome: 'discarded' }
    const target = { kind: 'work', id: `${row.request_id}/${position}` }
    await recordAudit(tx, call, { action: `work.${action}`, target, before: { state, outcome }, after, workspace_id })
    return row
  })
}

function unknownItem() {
  return notFound('There is no such item. Items are kept for 30 days after they have ended')
}
