import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { type HashPerson, hashesOf } from './person-hash.ts'
import type { WorkKind, WorkRequest } from './work-schema.ts'
import { insertItems } from './work-store.ts'

export type AcceptServices = { hashPerson: HashPerson; parseServiceId(text: string): string | undefined }

/** Stores all items of a request in one transaction, with what `alsoWrite` writes. The worker carries them out later. */
export async function acceptItems(
  { db, clock, workspace_id }: Call,
  request_id: string,
  kind: WorkKind,
  requests: readonly WorkRequest[],
  { hashPerson, parseServiceId }: AcceptServices,
  alsoWrite?: (tx: Tx) => Promise<void>,
): Promise<void> {
  if (requests.length === 0) return
  const items = requests.map((asked) => {
    return { workspace_id, kind, asked, person_hashes: hashesOf(workspace_id, asked, hashPerson, parseServiceId) }
  })
  await db.transaction(async (tx) => {
    await insertItems(tx, request_id, items, clock.stamp())
    await alsoWrite?.(tx)
  })
}
