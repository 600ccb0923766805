import { pagePeople } from '../audience/people.ts'
import type { Clock } from '../base/clock.ts'
import type { Db, Tx } from '../base/db/db.ts'
import { nextProfileId } from '../base/ids.ts'
import { recordDecisions } from '../ledger/record.ts'
import { bucketCount, person } from '../profiles/ref.ts'
import { findNamed, type Meant, type Nobody, type Trees, treesOf, Unexpandable, wholeOf } from './meant.ts'
import { insertMessages, listMissed } from './message-store.ts'
import { lockRecipients } from './named-store.ts'
import { everybody, missedOnes, whoeverIsLeft } from './schedule.ts'
import { emailChannel, resendVisits } from './schema.ts'
import { addFound, advanceSlot, type Claimed, endSlot, type Progress } from './slot-store.ts'
import { endedWith } from './states.ts'

/** People who become messages in one transaction. */
const peopleMax = 1_000
/** Buckets that are looked through for missed people at first, and at most. */
const firstBuckets = 16
const bucketsMax = 512

export type PageParts = { db: Db; clock: Clock /** Fewer people to a page, for tests. */; pageMax?: number }

/** Thrown inside a turn whose slot is somebody else's by now, or was paused or cancelled. */
export class LeaseLost extends Error {}

type Found = {
  readonly people: readonly Meant[]
  readonly nobody: readonly Nobody[]
  readonly after: Progress['after']
  /** What the slot ends with, where something was wrong. */
  readonly failure?: string | undefined
}

/** The people of a claimed slot, page by page; each page is one transaction with the cursor. */
export async function openPages(claimed: Claimed, { db, clock, pageMax = peopleMax }: PageParts) {
  const { workspace_id, zone, sending } = claimed
  // Whom it missed is known.
  const trees: Trees = zone === missedOnes ? {} : await treesOf(db, workspace_id, zone, sending)
  if (trees.missing !== undefined && !sending.recipients) throw new Unexpandable(trees.missing)
  let after = claimed.after
  let width = firstBuckets
  const find = async (): Promise<Found & { isLast: boolean }> => {
    if (zone === missedOnes) {
      const found = await findMissed(db, claimed, after?.bucket, width)
      width = found.people.length < pageMax / 4 ? Math.min(width * 4, bucketsMax) : Math.max(1, width >> 1)
      return found
    }
    const { people, next } = await pagePeople(db, workspace_id, wholeOf(trees), clock.now(), {
      ...(after && { after }),
      limit: pageMax,
    })
    return { people: people.map((one) => ({ person: one })), nobody: [], after: next, isLast: next === undefined }
  }
  return {
    /** Writes the next page; false after the last one, with which the slot has ended. */
    async next(): Promise<boolean> {
      if (sending.recipients && zone !== missedOnes) {
        await db.transaction((tx) => writeNamed(tx, claimed, trees, clock))
        return false
      }
      const found = await find()
      await db.transaction((tx) => writePage(tx, claimed, found, found.isLast, clock))
      after = found.after
      return !found.isLast
    },
  }
}

/** Names are read again: a merge or a deletion since the claim has changed them. */
async function writeNamed(tx: Tx, claimed: Claimed, trees: Trees, clock: Clock): Promise<void> {
  const recipients = await lockRecipients(tx, claimed.dispatch_id)
  const found = await findNamed(tx, claimed.workspace_id, recipients, trees, clock.now())
  await writePage(tx, claimed, { ...found, after: undefined, failure: trees.missing }, true, clock)
}

/**
 * Ends a slot whose people cannot be found. Whoever is named and has no message of the order yet gets one that has failed, so that
 * nobody who was named is left without a reason; whoever lives in a zone is left for the last slot. Throws `LeaseLost`.
 */
export async function endUnfound(claimed: Claimed, failure: string, { db, clock }: PageParts): Promise<void> {
  const { dispatch_id, workspace_id, zone, sending, attempts } = claimed
  if (!sending.recipients || (zone !== everybody && zone !== whoeverIsLeft)) {
    return void (await endSlot(db, claimed, failure))
  }
  const refused = { reason: 'template_error', rule: failure, inputs: { attempts } } as const
  await db.transaction(async (tx) => {
    // By their names alone: whatever it is that fails, it is likely in the trees.
    const found = await findNamed(tx, workspace_id, await lockRecipients(tx, dispatch_id), {}, clock.now())
    const people = found.people.map((each) => ({ ...each, refused }))
    await writePage(tx, claimed, { ...found, people, after: undefined, failure }, true, clock)
  })
}

/** Whom a dispatch has missed, of some more buckets. */
async function findMissed(tx: Tx, { dispatch_id }: Claimed, afterBucket = -1, width: number) {
  const below = Math.min(bucketCount, afterBucket + 1 + width)
  const buckets = Array.from({ length: below - afterBucket - 1 }, (_, i) => afterBucket + 1 + i)
  const rows = await listMissed(tx, dispatch_id, buckets, resendVisits)
  return {
    people: rows.map(({ bucket, profile_id, step, visit }): Meant => {
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

/** What is written of a page: cursor, messages, and the decisions about those to whom nothing is sent. */
async function writePage(tx: Tx, claimed: Claimed, found: Found, isLast: boolean, clock: Clock): Promise<void> {
  const { people, nobody, after, failure = null } = found
  // Whoever is left at the end was found before, for the most part.
  const isSweep = claimed.zone === whoeverIsLeft
  const progress = { after, found: isSweep ? 0 : people.length, unknown: nobody.length }
  // First of all: it holds the slot, so that a pause comes before the whole page or after it.
  const isOurs = isLast ? await endSlot(tx, claimed, failure, progress) : await advanceSlot(tx, claimed, progress)
  if (!isOurs) throw new LeaseLost()
  const nowMs = clock.now()
  const { workspace_id, dispatch_id, dueMs, createdMs, resumedMs = 0 } = claimed
  const plannedMs = Math.max(dueMs, createdMs, resumedMs)
  const written = people.map((meant) => withId(meant, claimed, clock))
  const cause = {
    workspace_id,
    cause: dispatch_id,
    channel: emailChannel,
    class: claimed.class,
    plannedMs,
    dueMs: nowMs,
  }
  const made = await insertMessages(tx, cause, written)
  if (isSweep) await addFound(tx, claimed, made.size)
  const decided = { workspace_id, cause: dispatch_id, channel: emailChannel, stampUs: clock.stamp() }
  await recordDecisions(tx, [
    ...written.flatMap(({ message_id, step, visit, refused }) => {
      const message = made.get(message_id)
      return refused && message ? [{ ...decided, ...message, step, visit, ...refused }] : []
    }),
    ...nobody.map((each) => ({ ...decided, ...each, profile_id: '0', reason: 'no_such_user' as const })),
  ])
}

function withId({ person: who, step = '', visit = 0, refused }: Meant, claimed: Claimed, clock: Clock) {
  const why = refused ?? ofSlot(claimed)
  return {
    person: who,
    step,
    visit,
    refused: why,
    message_id: nextProfileId(who.bucket, clock.elapsed()),
    ended: why && { state: endedWith(why.reason), reason: why.reason },
  }
}

/** Why nothing is sent to anybody of a slot. */
function ofSlot({ reason, zone, dueMs }: Claimed): Meant['refused'] {
  if (reason === null) return undefined
  const inputs = { zone, due_at: new Date(dueMs).toISOString() }
  return { reason, inputs }
}
