import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Move } from '../identity/person.ts'
import type { AcceptParts } from './accept-items.ts'
import { mentionsOf } from './person-hash.ts'
import type { Asked } from './work-schema.ts'
import { bucketOf, finishItems, insertItems } from './work-store.ts'

/** Writes down that a request has identified somebody by a merge in this transaction: history follows as it does after all others. */
export async function noteMerge(
  tx: Tx,
  { workspace_id, clock }: Call,
  request_id: string,
  asked: Asked,
  { from, into }: Move,
  { mention, parseServiceId }: AcceptParts,
): Promise<void> {
  const item = { bucket: bucketOf(request_id), request_id, position: 0, workspace_id, kind: 'identify', asked } as const
  const mentions = [from, into].map(({ profile_id }) => mention(workspace_id, 'profile', profile_id))
  const named = mentionsOf(workspace_id, asked, mention, parseServiceId)
  const stampUs = clock.stamp()
  await insertItems(tx, request_id, [{ ...item, mentions: named }], stampUs)
  await finishItems(tx, [{ item, outcome: 'done', moving: true, from, into, absorbed: [], mentions }], stampUs)
}
