import type { Tx } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import type { Move, Person } from '../../people/identity/person.ts'
import type { OwnedRule } from '../../people/merge/owned-rule.ts'
import { type Decision, recordDecisions } from '../ledger/record-decisions.ts'
import { resolveDuplicateMessages } from './duplicate-messages.ts'
import {
  deletePeopleMessages,
  lockKeptMessages,
  lockMergedMessages,
  type MergingMessageRow,
  moveMergedMessages,
  updateKeptMessages,
} from './merged-messages-store.ts'
import { uncertainBecause } from './outcome.ts'

/** What a merge and a deletion of people do to messages. */
export const messageRule: OwnedRule = {
  tables: ['message'],
  merge: mergeMessages,
  delete: deletePeopleMessages,
}

/**
 * Moves the messages of merged profiles to the kept ones. Of two messages of one order to one person at most one is sent; the other ends as
 * `merged`. A repetition has no effect.
 */
async function mergeMessages(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void> {
  const merged = await lockMergedMessages(tx, moves)
  if (merged.length === 0) return
  const kept = Map.groupBy(await lockKeptMessages(tx, moves, merged), groupOf)
  const resolved = [...Map.groupBy(merged, groupOf)].map(([group, own]) => {
    return resolveDuplicateMessages(own, kept.get(group) ?? [])
  })
  const arriving = resolved.flatMap((each) => each.merged)
  const changed = resolved.flatMap((each) => each.kept)
  await updateKeptMessages(tx, changed, stampUs)
  // The item is retried soon, and then finds the new message.
  if (!(await moveMergedMessages(tx, moves, arriving, stampUs))) throw unavailable('The database is busy')
  await recordDecisions(
    tx,
    [...arriving, ...changed].flatMap(({ message, because }) =>
      because ? [decisionOf(message, because, moves[message.n - 1]!.into, stampUs)] : [],
    ),
  )
}

/** Returns the key of messages of which one person gets at most one. */
function groupOf({ n, cause, channel }: MergingMessageRow): string {
  return `${n}/${cause}/${channel}`
}

function decisionOf(message: MergingMessageRow, other: MergingMessageRow, into: Person, stampUs: number): Decision {
  const { bucket, profile_id } = into
  const { workspace_id, cause, step, visit, channel, message_id } = message
  const why = {
    reason: 'merged',
    rule: 'a merged person gets one mail of a dispatch',
    inputs: { other_message: { message_id: other.message_id, state: other.state } },
  } as const
  return {
    ...{ bucket, profile_id, workspace_id, cause, step, visit, channel, message_id, stampUs },
    ...(message.maybe_sent ? uncertainBecause(why) : why),
  }
}
