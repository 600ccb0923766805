import type { Tx } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import type { Move, Person } from '../../people/identity/person.ts'
import type { OwnedRule } from '../../people/merge/owned-rule.ts'
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
  moveMergedEntries,
  setEntriesAside,
} from './merged-entries-store.ts'

/** What a merge and a deletion of people do to entries. */
export const entryRule: OwnedRule = { tables: ['entry'], merge: mergeEntries, delete: deletePeopleEntries }

/**
 * Gives the entries of profiles that are merged away to those who stay, before their messages and anything else of them moves. An open
 * one goes on where it stands, unless who stays is or was in that flow: then it ends as `merged`, and so do its messages.
 */
async function mergeEntries(tx: Tx, moves: readonly Move[], stampUs: number): Promise<void> {
  // Entries before messages, and messages before what was received, as a worker takes them.
  const leaving = await lockMergedEntries(tx, moves)
  if (leaving.length === 0) return
  const { arriving, aside } = settleAll(leaving, await lockStanding(tx, moves, leaving), moves)
  await setEntriesAside(tx, aside)
  const ending = arriving.filter(({ ends }) => ends).map(({ entry }) => entry)
  await cancelEntryMessages(
    tx,
    ending.map(({ bucket, entry_id }) => ({ bucket, entry_id, reason: 'merged' as const })),
    Math.floor(stampUs / 1000),
    stampUs,
  )
  // Found out only now, and soon tried again: then it is seen.
  if (!(await moveMergedEntries(tx, moves, arriving, stampUs))) throw unavailable('The database is busy')
  await recordDecisions(
    tx,
    ending.map((entry) => decisionOf(entry, moves[entry.n - 1]!.into, stampUs)),
  )
}

type Standing = {
  readonly ordered: readonly MergingEntryRow[]
  readonly isIn: (move: Move, flow_id: number) => boolean
}

/** How those stand who stay. Whoever enters one of the flows now waits: it is judged by rows that are held from here on. */
async function lockStanding(tx: Tx, moves: readonly Move[], leaving: readonly MergingEntryRow[]): Promise<Standing> {
  const open = leaving.filter(({ state }) => state !== 'ended')
  const asked = open.map(({ n, flow_id, workspace_id }) => ({ person: moves[n - 1]!.into, flow_id, workspace_id }))
  const own = open.map(({ bucket, n, flow_id, workspace_id }) => {
    return { person: { bucket, profile_id: moves[n - 1]!.from.profile_id }, flow_id, workspace_id }
  })
  const received = await lockReceived(tx, [...asked, ...own])
  const ordered = await lockKeptEntries(tx, moves, leaving)
  const standing = new Set((await listPeopleInFlows(tx, asked)).map(keyOf))
  return {
    ordered,
    isIn: ({ into }, flow_id) => {
      const key = keyOf({ profile_id: into.profile_id, flow_id })
      return standing.has(key) || (received.get(key)?.entries ?? 0) > 0
    },
  }
}

function keyOf({ profile_id, flow_id }: { profile_id: string; flow_id: number }): string {
  return `${profile_id}/${flow_id}`
}

/** Person by person, because several may go up in one. */
function settleAll(leaving: readonly MergingEntryRow[], { ordered, isIn }: Standing, moves: readonly Move[]) {
  const intoOf = ({ n }: MergingEntryRow) => moves[n - 1]!.into.profile_id
  const staying = Map.groupBy(ordered, intoOf)
  const settled = [...Map.groupBy(leaving, intoOf)].map(([profile_id, own]) => {
    const flows = new Set(own.filter(({ n, flow_id }) => isIn(moves[n - 1]!, flow_id)).map(({ flow_id }) => flow_id))
    return resolveDuplicateEntries(own, { flows, ordered: staying.get(profile_id) ?? [] })
  })
  const arriving: ResolvedEntry<MergingEntryRow>[] = settled.flatMap((each) => each.leaving)
  return { arriving, aside: settled.flatMap((each) => each.staying.map(({ entry }) => entry)) }
}

function decisionOf(entry: MergingEntryRow, { bucket, profile_id }: Person, stampUs: number): Decision {
  const { workspace_id, entry_id, flow_id, step, visit } = entry
  return {
    ...{ bucket, profile_id, workspace_id, cause: entry_id, step, visit, channel: entryChannel, flow_id, stampUs },
    reason: 'merged',
    rule: 'two people who became one are in a flow once',
  }
}
