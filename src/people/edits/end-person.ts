import type { Call } from '../../base/call.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { acceptItems } from '../merge/accept-items.ts'
import type { WorkRequestServices } from '../merge/merge-people.ts'
import type { WorkKind, WorkOutcome, WorkRequest } from '../merge/work-schema.ts'
import { listItems } from '../merge/work-store.ts'
import { findPathPerson } from '../search/find-path-person.ts'
import type { EndPersonReply } from './schema.ts'

export type EditServices = WorkRequestServices & { formatServiceId(profile_id: string): string }

/**
 * Deletes one person, as `/users/delete` does, with an audit row. Returns when the person is deleted, or after ten seconds of other work.
 * Throws 404.
 */
export async function endPerson(
  call: Call,
  workspace_id: number,
  { id, request_id }: { readonly id: string; readonly request_id: string },
  services: EditServices,
): Promise<EndPersonReply> {
  const { found } = await findPathPerson(call.db, workspace_id, id, services)
  const asked = { who: { kind: 'service_id', value: services.formatServiceId(found.profile_id) } } as const
  const target = { kind: 'person', id: services.hashPerson(workspace_id, 'profile', found.profile_id) }
  const audit = { action: 'person.delete', target, workspace_id }
  const outcome = await carryOutOne({ ...call, workspace_id }, request_id, { kind: 'delete', asked, audit }, services)
  return { state: outcome === null ? 'waiting' : 'done', outcome }
}

type OneItem = {
  readonly kind: WorkKind
  readonly asked: WorkRequest
  readonly audit: Parameters<typeof recordAudit>[2]
}

/** Accepts one work item with its audit row, and waits for it. Returns its outcome; null when other work still comes first. */
export async function carryOutOne(
  call: Call,
  request_id: string,
  { kind, asked, audit }: OneItem,
  services: WorkRequestServices,
): Promise<WorkOutcome | null> {
  await acceptItems(call, request_id, kind, [asked], services, (tx) => recordAudit(tx, call, audit))
  services.worker.wake()
  await services.worker.waitUntilDone(request_id)
  const filter = { workspace_id: call.workspace_id, request_id, kind: undefined, state: undefined, outcome: undefined }
  const [done] = await listItems(call.db, filter, undefined, 1)
  return done?.outcome ?? null
}
