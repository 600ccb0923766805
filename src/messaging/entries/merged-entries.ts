import type { Tx } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import type { Move, Person } from '../../people/identity/person.ts'
import type { OwnedRule } from '../../people/merge/owned-rule.ts'
import { receivedKey } from '../../people/received/received.ts'
import { lockReceived } from '../../people/received/received-store.ts'
import { type Decision, recordDecisions } from '../ledger/record-decisions.ts'
import { cancelEntryMessages } from '../messages/entry-messages.ts'
import { type ResolvedEntry, resolveDuplicateEntries } from './duplicate-entries.ts'
import { entryChannel } from './entry.ts'
import {
  deletePeopleEntries,
  listPeopleInFlows,
  lockKeptEntries,
  lockMergedEntries,
  type MergingEntryRow,
  markDuplicates,
  moveMergedEntries,
} from './merged-entries-store.ts'
import { StepTally } from './step-tally.ts'

/** What a merge and a deletion of people do to entries. */
export const entryRule: OwnedRule = { tables: ['entry'], merge: mergeEntries, delete: deletePeopleEntries }

/**
 * Moves the entries of merged profiles to the kept ones, before their messages and anything else. An open entry continues at its step,
 * unless the kept profile is or was in that flow: then it ends as `merged`, and so do its messages.
 */
async function mergeEntries(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void> {
  // Locks in the same order as a worker: entries, messages, received rows.
  const merged = await lockMergedEntries(tx, moves)
  if (merged.length === 0) return
  const { moving, duplicates } = resolveAll(merged, await lockKept(tx, moves, merged), moves)
  await markDuplicates(tx, duplicates)
  const ending = moving.filter(({ ends }) => ends).map(({ entry }) => entry)
  const ended = await cancelEntryMessages(
    tx,
    ending.map(({ bucket, entry_id }) => ({ bucket, entry_id, reason: 'merged' as const })),
    Math.floor(stampUs / 1000),
    stampUs,
  )
  // The item is retried soon, and then finds the new entry.
  if (!(await moveMergedEntries(tx, moves, moving, stampUs))) throw unavailable('The database is busy')
  await recordDecisions(
    tx,
    ending.map((entry) => decisionOf(entry, moves[entry.n - 1]!.into, stampUs)),
  )
  const tally = new StepTally()
  for (const entry of ending) {
    if (!entry.is_pending) tally.hop(entry, { from: entry.step, path: '', to: '', ended: 'merged' }, stampUs)
  }
  for (const message of ended) tally.message(message, stampUs)
  await tally.write(tx)
}

type KeptState = {
  readonly ordered: readonly MergingEntryRow[]
  readonly isIn: (move: Move, flow_id: number) => boolean
}

/** Locks what the kept profiles have. A transaction in which one of them enters a flow waits for the received rows that are locked here. */
async function lockKept(tx: Tx, moves: readonly Move[], merged: readonly MergingEntryRow[]): Promise<KeptState> {
  const open = merged.filter(({ state }) => state !== 'ended')
  const keptIn = open.map(({ n, flow_id, workspace_id }) => ({ person: moves[n - 1]!.into, flow_id, workspace_id }))
  const own = open.map(({ bucket, n, flow_id, workspace_id }) => {
    return { person: { bucket, profile_id: moves[n - 1]!.from.profile_id }, flow_id, workspace_id }
  })
  const received = await lockReceived(tx, [...keptIn, ...own])
  const ordered = await lockKeptEntries(tx, moves, merged)
  const inFlow = new Set(
    (await listPeopleInFlows(tx, keptIn)).map(({ profile_id, flow_id }) => receivedKey(profile_id, flow_id)),
  )
  return {
    ordered,
    isIn: ({ into }, flow_id) => {
      const key = receivedKey(into.profile_id, flow_id)
      return inFlow.has(key) || (received.get(key)?.entries ?? 0) > 0
    },
  }
}

/** Resolves kept profile by kept profile, because several profiles may be merged into one. */
function resolveAll(merged: readonly MergingEntryRow[], { ordered, isIn }: KeptState, moves: readonly Move[]) {
  const intoOf = ({ n }: MergingEntryRow) => moves[n - 1]!.into.profile_id
  const kept = Map.groupBy(ordered, intoOf)
  const resolved = [...Map.groupBy(merged, intoOf)].map(([profile_id, own]) => {
    const flows = new Set(own.filter(({ n, flow_id }) => isIn(moves[n - 1]!, flow_id)).map(({ flow_id }) => flow_id))
    return resolveDuplicateEntries(own, { flows, ordered: kept.get(profile_id) ?? [] })
  })
  const moving: ResolvedEntry<MergingEntryRow>[] = resolved.flatMap((each) => each.merged)
  return { moving, duplicates: resolved.flatMap((each) => each.kept.map(({ entry }) => entry)) }
}

function decisionOf(entry: MergingEntryRow, { bucket, profile_id }: Person, stampUs: number): Decision {
  const { workspace_id, entry_id, flow_id, step, visit } = entry
  return {
    ...{ bucket, profile_id, workspace_id, cause: entry_id, step, visit, channel: entryChannel, flow_id, stampUs },
    reason: 'merged',
    rule: 'a merged person is in a flow once',
  }
}
