import { pagePeople } from '../../audience/conditions/select-people.ts'
import { bucketCount } from '../../base/db/buckets.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { person } from '../../people/identity/person.ts'
import { retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import { flowsById } from '../flows/find-flows.ts'
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

/** People of one page, which is one transaction. */
const peopleMax = 1_000
/** How many buckets a page of missed people reads at first, and at most. */
const firstBuckets = 16
const bucketsMax = 512

export type PageServices = MoveServices & {
  db: Db
  /** People of one page, for tests. */
  pageMax?: number
}

/** Opens the pages of a claimed slot. Each page is one transaction with the cursor. */
export async function openPages(claimed: ClaimedSlot, services: PageServices) {
  const { db, clock, pageMax = peopleMax } = services
  const { workspace_id, zone, sending } = claimed
  const { condition, closed } = await loadFlowCondition(db, claimed, services)
  // Missed people met the conditions when they were missed.
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
    // Only named recipients get a reason.
    if (closed) return { people: [], unknown: [], after: undefined, failure: closed, isLast: true }
    const { people, next } = await pagePeople(db, workspace_id, combineTrees(trees), clock.now(), {
      ...(after && { after }),
      limit: pageMax,
    })
    return { people: people.map((one) => ({ person: one })), unknown: [], after: next, isLast: next === undefined }
  }
  return {
    /** Writes the next page. Returns false after the last one, which ends the slot. */
    async next(): Promise<boolean> {
      if (sending.recipients && zone !== missedZone) {
        await retryWhenRemoved(() => db.transaction((tx) => writeNamed(tx, claimed, trees, services)))
        return false
      }
      const found = await find()
      await retryWhenRemoved(() => db.transaction((tx) => writePage(tx, claimed, found, found.isLast, services)))
      after = found.after
      return !found.isLast
    },
  }
}

/** Reads the recipients again: a merge or a deletion since the claim may have changed them. */
async function writeNamed(tx: Tx, claimed: ClaimedSlot, trees: SlotTrees, services: PageServices): Promise<void> {
  const recipients = await lockRecipients(tx, claimed.dispatch_id)
  const found = await findNamedRecipients(tx, claimed.workspace_id, recipients, trees, services.clock.now())
  await writePage(tx, claimed, { ...found, after: undefined, failure: trees.missing }, true, services)
}

/**
 * Ends a slot whose recipients cannot be found. Each named recipient without a message of the order gets a failed one, so that all have a
 * reason; for slots of time zones the last slot does that. Throws `LeaseLost`.
 */
export async function failSlot(claimed: ClaimedSlot, failure: string, services: PageServices): Promise<void> {
  const { db, clock } = services
  const { dispatch_id, workspace_id, zone, sending, attempts } = claimed
  if (!sending.recipients || (zone !== everyoneZone && zone !== leftoverZone)) {
    return void (await endSlot(db, claimed, failure))
  }
  const reason = sending.flow ? 'cancelled' : 'template_error'
  const refused = { reason, rule: failure, inputs: { attempts } } as const
  await db.transaction(async (tx) => {
    // Without the conditions: they are the likely cause of the failure.
    const found = await findNamedRecipients(tx, workspace_id, await lockRecipients(tx, dispatch_id), {}, clock.now())
    const people = found.people.map((each) => ({ ...each, refused }))
    await writePage(tx, claimed, { ...found, people, after: undefined, failure }, true, services)
  })
}

/** Returns the segment of the flow's current version, or why people cannot enter the flow now. */
async function loadFlowCondition(
  tx: Tx,
  { sending }: ClaimedSlot,
  { graphs }: PageServices,
): Promise<{ condition?: Condition | undefined; closed?: string }> {
  if (!sending.flow) return {}
  const flow = (await flowsById(tx, [sending.flow.flow_id])).get(sending.flow.flow_id)
  if (flow?.state !== 'active') return { closed: `The ${sending.flow.kind} is ${flow?.state ?? 'gone'}` }
  return { condition: (await graphs.get(tx, flow.flow_id, flow.version)).segment }
}

/** Finds the missed people of an order, in the next `width` buckets. */
async function findMissed(tx: Tx, { dispatch_id }: ClaimedSlot, afterBucket = -1, width: number) {
  const below = Math.min(bucketCount, afterBucket + 1 + width)
  const buckets = Array.from({ length: below - afterBucket - 1 }, (_, i) => afterBucket + 1 + i)
  const rows = await listMissedMessages(tx, dispatch_id, buckets, resendVisits)
  return {
    people: rows.map(({ bucket, profile_id, step, visit }): FoundRecipient => {
      return { person: person(bucket, profile_id), step, visit: visit + resendVisits }
    }),
    unknown: [],
    after: person(below - 1, lastIdOf(below - 1)),
    isLast: below === bucketCount,
  }
}

/** Returns the greatest profile id of a bucket. */
function lastIdOf(bucket: number): string {
  return ((BigInt(bucket + 1) << 51n) - 1n).toString()
}
