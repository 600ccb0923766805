import type { Tx } from '../../base/db/db.ts'
import type { EnteredFlow, ReceivedKey } from '../../people/received/received.ts'
import { lockReceived, recordEntered, recordExited } from '../../people/received/received-store.ts'
import { channelOf } from '../channels/channels.ts'
import { type Entry, entryChannel, entryPerson } from '../entries/entry.ts'
import type { StoredEntry } from '../entries/entry-store.ts'
import { type EndedMessage, StepTally } from '../entries/step-tally.ts'
import { type Hop, trailOf } from '../entries/trail.ts'
import { updateLastEntry } from '../flows/activity-store.ts'
import { type Graph, sentBy } from '../flows/flow.ts'
import { FlowTally } from '../flows/flow-tally.ts'
import type { Reason } from '../ledger/reasons.ts'
import { type Decision, recordDecisions } from '../ledger/record-decisions.ts'
import { cancelEntryMessages } from '../messages/entry-messages.ts'
import { insertEntryMessages } from '../messages/entry-messages-store.ts'
import type { Effect, EntryEndReason } from './happening.ts'
import { nextStep } from './run-step.ts'
import type { MoveServices } from './services.ts'

/** An entry that was moved as far as possible now, and the effects of its moves. */
export type MovedEntry = {
  readonly entry: Entry
  readonly graph: Graph
  readonly effects: readonly Effect[]
  /** How it left steps, in order. An entry that has not begun has none. */
  readonly hops: readonly Hop[]
  readonly why: EntryEndReason | undefined
  readonly isMoved: boolean
  /** It is pending, or ended before it began. */
  readonly hasNotBegun: boolean
  /** A pending entry has begun by this move. */
  readonly begins: boolean
}

/** Returns what the row of a moved entry stores. */
export function storedEntry(
  { entry, graph, hops }: Pick<MovedEntry, 'entry' | 'graph' | 'hops'>,
  nowMs: number,
): StoredEntry {
  const { state, dueMs } = entry
  const step = graph.steps.get(entry.step)
  return {
    ...entry,
    inControl: false,
    isLast: state === 'sending' && step !== undefined && nextStep(step).to === undefined,
    dueMs,
    timing: null,
    arrived: trailOf(hops),
    endedMs: state === 'ended' ? nowMs : null,
  }
}

/** Writes the effects of moved entries: queued and cancelled messages, decisions about their ends, and the exits of people. */
export async function writeEffects(tx: Tx, moved: readonly MovedEntry[], services: MoveServices): Promise<void> {
  const { clock, newId } = services
  const nowMs = clock.now()
  const messages = moved.flatMap(({ entry, graph, effects }) =>
    effects.flatMap((effect) => {
      if (effect.kind !== 'message') return []
      const { bucket, workspace_id, entry_id, flow_id, version, variant } = entry
      const { step, visit } = effect
      const owner = { person: entryPerson(entry), message_id: newId(bucket), workspace_id, entry_id }
      const channel = channelAt(graph, step)
      const about = { step, visit, channel, class: channelOf(channel).onlyClass ?? entry.class }
      return [{ ...owner, ...about, flow_id, flow_version: version, variant, dueMs: nowMs }]
    }),
  )
  await insertEntryMessages(tx, messages)
  const cancelled = moved.flatMap(({ entry, effects }) =>
    effects.flatMap((effect) => {
      if (effect.kind !== 'cancel_messages') return []
      return [{ bucket: entry.bucket, entry_id: entry.entry_id, reason: effect.reason }]
    }),
  )
  const stampUs = clock.stamp()
  const ended = await cancelEntryMessages(tx, cancelled, nowMs, stampUs)
  await countSteps(tx, moved, ended, nowMs * 1000)
  await recordDecisions(
    tx,
    moved.flatMap(({ entry, why }) => (why ? [decisionOf(entry, why, stampUs)] : [])),
  )
  const begun = moved.filter(({ begins }) => begins).map(({ entry }) => entry)
  if (begun.length > 0) await recordBegun(tx, begun, nowMs)
  const left = moved.filter(({ entry, hasNotBegun }) => entry.state === 'ended' && !hasNotBegun)
  await recordExited(
    tx,
    left.map(({ entry }) => ({ ...receivedOf(entry), atUs: nowMs * 1000 })),
  )
}

function channelAt({ steps }: Graph, id: string): string {
  const sent = sentBy(steps.get(id))
  if (!sent) throw new Error(`the step ${id} sends no message`)
  return sent.channel
}

/** Counts how entries left their steps, and the messages that ended with them. */
async function countSteps(
  tx: Tx,
  moved: readonly MovedEntry[],
  ended: readonly EndedMessage[],
  endedUs: number,
): Promise<void> {
  const tally = new StepTally()
  for (const { entry, hops } of moved) for (const hop of hops) tally.hop(entry, hop, hop.ms * 1000)
  for (const message of ended) tally.message(message, endedUs)
  await tally.write(tx)
}

/**
 * Records that pending entries have begun, with the time when they were made. The re-entry check reads this time, so that a start an hour
 * earlier or later changes nothing.
 */
async function recordBegun(tx: Tx, begun: readonly Entry[], nowMs: number): Promise<void> {
  await lockReceived(tx, begun.map(receivedOf))
  const entered = begun.map((entry) => {
    return { ...receivedOf(entry), variant: entry.variant, inControl: false, atUs: entry.enteredMs * 1000 }
  })
  await recordEntered(tx, entered)
  await countEntered(tx, entered)
  await updateLastEntry(tx, [...new Set(begun.map(({ flow_id }) => flow_id))], nowMs)
}

/** Counts entries, not those of the control group. */
export async function countEntered(tx: Tx, entered: readonly EnteredFlow[]): Promise<void> {
  const tally = new FlowTally()
  for (const { inControl, atUs, ...flow } of entered) if (!inControl) tally.count(flow, 'entries', atUs)
  await tally.write(tx)
}

function receivedOf(entry: Entry): ReceivedKey {
  return { person: entryPerson(entry), flow_id: entry.flow_id, workspace_id: entry.workspace_id }
}

/** Returns a decision about an entry for the ledger. */
export function decisionOf(
  { bucket, profile_id, workspace_id, entry_id, flow_id, step, visit }: Omit<Entry, 'state' | 'visits' | 'dueMs'>,
  { reason, rule, inputs }: { reason: Reason; rule?: string; inputs?: unknown },
  stampUs: number,
): Decision {
  const why = { reason, ...(rule !== undefined && { rule }), ...(inputs !== undefined && { inputs }) }
  const about = { bucket, profile_id, workspace_id, cause: entry_id, flow_id, channel: entryChannel }
  return { ...about, step, visit, ...why, stampUs }
}
