import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Move } from '../identity/person.ts'
import type { AcceptServices } from './accept-items.ts'
import { hashesOf } from './person-hash.ts'
import type { WorkRequest } from './work-schema.ts'
import { finishItems, insertItems, requestBucket } from './work-store.ts'

/** Stores a merge that this transaction made for an SDK as a work item, so that the worker moves the history. */
export async function recordMerge(
  tx: Tx,
  { workspace_id, clock }: Call,
  request_id: string,
  asked: WorkRequest,
  { from, into }: Move,
  { hashPerson, parseServiceId }: AcceptServices,
): Promise<void> {
  const item = {
    bucket: requestBucket(request_id),
    request_id,
    position: 0,
    workspace_id,
    kind: 'identify',
    asked,
  } as const
  const person_hashes = [from, into].map(({ profile_id }) => hashPerson(workspace_id, 'profile', profile_id))
  const selected = hashesOf(workspace_id, asked, hashPerson, parseServiceId)
  const stampUs = clock.stamp()
  await insertItems(tx, request_id, [{ ...item, person_hashes: selected }], stampUs)
  await finishItems(
    tx,
    [{ item, outcome: 'done', moving: true, from, into, mergedProfiles: [], person_hashes }],
    stampUs,
  )
}
