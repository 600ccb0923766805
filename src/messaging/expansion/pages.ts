import { pagePeople } from '../../audience/conditions/select-people.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { bucketCount, person } from '../../people/identity/person.ts'
import { retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import { flowsById } from '../flows/find.ts'
import type { Condition } from '../flows/flow.ts'
import type { MoveServices } from '../journeys/services.ts'
import { resendVisits } from '../messages/message.ts'
import { listMissedMessages } from '../messages/message-store.ts'
import { everyoneZone, leftoverZone, missedZone } from '../orders/schedule.ts'
import { type ClaimedSlot, endSlot } from '../orders/slot-store.ts'
import {
  combineTrees,
  type FoundRecipient,
  findNamedRecipients,
  loadSlotTrees,
  RecipientsNotFound,
  type SlotTrees,
} from './find-recipients.ts'
import { lockRecipients } from './resolve-recipients-store.ts'
import { type SlotPage, writePage } from './write-page.ts'

/** People who become messages in one transaction. */
const peopleMax = 1_000
/** Buckets that are looked through for missed people at first, and at most. */
const firstBuckets = 16
const bucketsMax = 512

export type PageServices = MoveServices & {
  db: Db
  /** Fewer people to a page, for tests. */
  pageMax?: number
}

/** The people of a claimed slot, page by page; each page is one transaction with the cursor. */
export async function openPages(claimed: ClaimedSlot, parts: PageServices) {
  const { db, clock, pageMax = peopleMax } = parts
  const { workspace_id, zone, sending } = claimed
  const { condition, closed } = await readFlow(db, claimed, parts)
  // Whom it missed is known.
  const trees: SlotTrees = zone === missedZone ? {} : await loadSlotTrees(db, workspace_id, zone, sending, condition)
  if (trees.missing !== undefined && !sending.recipients) throw new RecipientsNotFound(trees.missing)
  let after = claimed.after
  let width = firstBuckets
  const find = async (): Promise<SlotPage & { isLast: boolean }> => {
    if (zone === missedZone) {
      const found = await findMissed(db, claimed, after?.bucket, width)
      width = found.people.length < pageMax / 4 ? Math.min(width * 4, bucketsMax) : Math.max(1, width >> 1)
      return found
    }
    // Nobody was promised anything.
    if (closed) return { people: [], nobody: [], after: undefined, failure: closed, isLast: true }
    const { people, next } = await pagePeople(db, workspace_id, combineTrees(trees), clock.now(), {
      ...(after && { after }),
      limit: pageMax,
    })
    return { people: people.map((one) => ({ person: one })), nobody: [], after: next, isLast: next === undefined }
  }
  return {
    /** Writes the next page; false after the last one, with which the slot has ended. */
    async next(): Promise<boolean> {
      if (sending.recipients && zone !== missedZone) {
        await retryWhenRemoved(() => db.transaction((tx) => writeNamed(tx, claimed, trees, parts)))
        return false
      }
      const found = await find()
      await retryWhenRemoved(() => db.transaction((tx) => writePage(tx, claimed, found, found.isLast, parts)))
      after = found.after
      return !found.isLast
    },
  }
}

/** Names are read again: a merge or a deletion since the claim has changed them. */
async function writeNamed(tx: Tx, claimed: ClaimedSlot, trees: SlotTrees, parts: PageServices): Promise<void> {
  const recipients = await lockRecipients(tx, claimed.dispatch_id)
  const found = await findNamedRecipients(tx, claimed.workspace_id, recipients, trees, parts.clock.now())
  await writePage(tx, claimed, { ...found, after: undefined, failure: trees.missing }, true, parts)
}

/**
 * Ends a slot whose people cannot be found. Whoever is named and has no message of the order yet gets one that has failed, so that
 * nobody who was named is left without a reason; whoever lives in a zone is left for the last slot. Throws `LeaseLost`.
 */
export async function failSlot(claimed: ClaimedSlot, failure: string, parts: PageServices): Promise<void> {
  const { db, clock } = parts
  const { dispatch_id, workspace_id, zone, sending, attempts } = claimed
  if (!sending.recipients || (zone !== everyoneZone && zone !== leftoverZone)) {
    return void (await endSlot(db, claimed, failure))
  }
  const reason = sending.flow ? 'cancelled' : 'template_error'
  const refused = { reason, rule: failure, inputs: { attempts } } as const
  await db.transaction(async (tx) => {
    // By their names alone: whatever it is that fails, it is likely in the trees.
    const found = await findNamedRecipients(tx, workspace_id, await lockRecipients(tx, dispatch_id), {}, clock.now())
    const people = found.people.map((each) => ({ ...each, refused }))
    await writePage(tx, claimed, { ...found, people, after: undefined, failure }, true, parts)
  })
}

/** Of an order's flow: who is in it, as its current version says, and why nobody enters it now. */
async function readFlow(
  tx: Tx,
  { sending }: ClaimedSlot,
  { graphs }: PageServices,
): Promise<{ condition?: Condition | undefined; closed?: string }> {
  if (!sending.flow) return {}
  const flow = (await flowsById(tx, [sending.flow.flow_id])).get(sending.flow.flow_id)
  if (flow?.state !== 'active') return { closed: `The ${sending.flow.kind} is ${flow?.state ?? 'gone'}` }
  return { condition: (await graphs.graphOf(tx, flow.flow_id, flow.version)).segment }
}

/** Whom a dispatch has missed, of some more buckets. */
async function findMissed(tx: Tx, { dispatch_id }: ClaimedSlot, afterBucket = -1, width: number) {
  const below = Math.min(bucketCount, afterBucket + 1 + width)
  const buckets = Array.from({ length: below - afterBucket - 1 }, (_, i) => afterBucket + 1 + i)
  const rows = await listMissedMessages(tx, dispatch_id, buckets, resendVisits)
  return {
    people: rows.map(({ bucket, profile_id, step, visit }): FoundRecipient => {
      return { person: person(bucket, profile_id), step, visit: visit + resendVisits }
    }),
    nobody: [],
    after: person(below - 1, lastIdOf(below - 1)),
    isLast: below === bucketCount,
  }
}

/** The greatest id that somebody of a bucket can have. */
function lastIdOf(bucket: number): string {
  return ((BigInt(bucket + 1) << 51n) - 1n).toString()
}
