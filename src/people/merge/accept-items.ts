import type { Call } from '../../base/call.ts'
import { type HashPerson, hashesOf } from './person-hash.ts'
import type { WorkKind, WorkRequest } from './work-schema.ts'
import { insertItems } from './work-store.ts'

export type AcceptServices = { hashPerson: HashPerson; parseServiceId(text: string): string | undefined }

/** Writes the items of a request down, all or none of them: from now on they will be carried out, whatever happens. */
export async function acceptItems(
  { db, clock, workspace_id }: Call,
  request_id: string,
  kind: WorkKind,
  asked: readonly WorkRequest[],
  { hashPerson, parseServiceId }: AcceptServices,
): Promise<void> {
  if (asked.length === 0) return
  const items = asked.map((each) => {
    return { workspace_id, kind, asked: each, mentions: hashesOf(workspace_id, each, hashPerson, parseServiceId) }
  })
  await db.transaction((tx) => insertItems(tx, request_id, items, clock.stamp()))
}
