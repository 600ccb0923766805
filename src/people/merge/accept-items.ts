import type { Call } from '../../base/call.ts'
import { type Mention, mentionsOf } from './person-hash.ts'
import type { Asked, Kind } from './work-schema.ts'
import { insertItems } from './work-store.ts'

export type AcceptParts = { mention: Mention; parseServiceId(text: string): string | undefined }

/** Writes the items of a request down, all or none of them: from now on they will be carried out, whatever happens. */
export async function accept(
  { db, clock, workspace_id }: Call,
  request_id: string,
  kind: Kind,
  asked: readonly Asked[],
  { mention, parseServiceId }: AcceptParts,
): Promise<void> {
  if (asked.length === 0) return
  const items = asked.map((each) => {
    return { workspace_id, kind, asked: each, mentions: mentionsOf(workspace_id, each, mention, parseServiceId) }
  })
  await db.transaction((tx) => insertItems(tx, request_id, items, clock.stamp()))
}
