import { backendOf } from '../../base/db/backends.ts'
import { isUnavailable } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import {
  claimCalls,
  type LeasedCall,
  listCallLanes,
  lockLeasedCalls,
  releaseAllCalls,
  releaseCalls,
} from '../entries/call-store.ts'
import { recordDecisions } from '../ledger/record-decisions.ts'
import { type CallServices, startCalls, withinMs } from './make-calls.ts'
import { moveEntries } from './move-entries.ts'
import { type CallOutcome, callsAtOnce, shareCalls } from './webhook-call.ts'
import { decisionOf } from './write-effects.ts'

/** Longer than a call may take, what comes before and after it included; then somebody else calls. */
const leaseMs = 60_000
/** While calls are under way somebody else's may fall due. */
const lookMs = 100
/** A call whose end cannot be written because of a mistake of ours is made again so much later, business time. */
const againMs = 3_600_000

const channel = 'webhook'

/** What a call has come to. */
type CompletedCall = { readonly calling: LeasedCall; readonly end: CallOutcome }

/**
 * Calls webhooks: outside any transaction, at least once each, under one key for all calls of a step and visit. Whatever comes of it, the
 * entry goes on. Every workspace has its share of the calls that are made at once, and one that takes long keeps no other waiting.
 */
export class WebhookCaller {
  readonly #parts: CallServices
  readonly #flying = new Map<Promise<void>, LeasedCall>()
  #landed: CompletedCall[] = []
  #isFreed: boolean
  #turns = 0

  constructor(parts: CallServices) {
    this.#parts = parts
    this.#isFreed = backendOf(parts.db).isShared
  }

  /** Makes calls as far as there is room, waits for one that is over and writes what came of it; answers whether there may be more. */
  async turn(): Promise<boolean> {
    if (!this.#isFreed) await releaseAllCalls(this.#parts.db)
    this.#isFreed = true
    await this.#begin()
    if (this.#flying.size > 0 && this.#landed.length === 0)
      await withinMs(lookMs, Promise.race(this.#flying.keys()), () => {})
    const isOver = await this.#write()
    return isOver || this.#flying.size > 0
  }

  /** Lets what is under way end. */
  async close(): Promise<void> {
    await Promise.all(this.#flying.keys())
    await this.#write()
  }

  async #begin(): Promise<void> {
    const { db, clock } = this.#parts
    const callings = [...this.#flying.values(), ...this.#landed.map(({ calling }) => calling)]
    let free = callsAtOnce - callings.length
    if (free === 0) return
    const elapsedMs = clock.elapsed()
    const times = { nowMs: clock.now(), elapsedMs, untilMs: elapsedMs + leaseMs }
    const underway = Map.groupBy(callings, ({ entry }) => entry.workspace_id)
    const lanes = await listCallLanes(db, times)
    for (const own of Map.groupBy(lanes, (lane) => lane.class).values()) {
      const shares = shareCalls(own, (workspace_id) => underway.get(workspace_id)?.length ?? 0, free, this.#turns++)
      const claimed = shares.length > 0 ? await claimCalls(db, newUuid(), shares, times) : []
      free -= claimed.length
      this.#fly(claimed)
    }
  }

  #fly(callings: readonly LeasedCall[]): void {
    const ends = startCalls(callings, this.#parts)
    for (const [i, calling] of callings.entries()) {
      const flight = ends[i]!.then((end) => {
        this.#flying.delete(flight)
        this.#landed.push({ calling, end })
      })
      this.#flying.set(flight, calling)
    }
  }

  async #write(): Promise<boolean> {
    const landed = this.#landed
    if (landed.length === 0) return false
    this.#landed = []
    const [written] = await Promise.allSettled([writeEnds(landed, this.#parts)])
    if (written.status === 'rejected') {
      this.#landed.push(...landed)
      throw written.reason
    }
    this.#parts.onMoved()
    return true
  }
}

/** All at once, or each alone when one of them cannot be: what it would lead to is a mistake of ours. */
async function writeEnds(overs: readonly CompletedCall[], parts: CallServices): Promise<void> {
  const { clock, log } = parts
  const [written] = await Promise.allSettled([retryWhenRemoved(() => conclude(overs, parts))])
  if (written.status === 'fulfilled') return
  if (isUnavailable(written.reason)) throw written.reason
  if (overs.length > 1) {
    for (const over of overs) await writeEnds([over], parts)
    return
  }
  const { calling } = overs[0]!
  const { entry_id, flow_id, step } = calling.entry
  log.error(
    { err: written.reason, entry_id, flow_id, step },
    'what a webhook came to cannot be written, and it is put off',
  )
  await conclude([{ calling, end: { againMs: clock.now() + againMs, isUnmade: true } }], parts)
}

async function conclude(overs: readonly CompletedCall[], parts: CallServices): Promise<void> {
  const { db, clock } = parts
  await db.transaction(async (tx) => {
    const ours = await lockLeasedCalls(
      tx,
      overs.map(({ calling }) => calling),
    )
    const over = overs.flatMap(({ calling, end }) => {
      const entry = ours.get(calling.entry.entry_id)
      return entry ? [{ entry, end }] : []
    })
    await releaseCalls(
      tx,
      over.flatMap(({ entry, end }) => {
        return 'againMs' in end ? [{ entry, dueMs: end.againMs, isUnmade: 'isUnmade' in end }] : []
      }),
    )
    const done = over.flatMap(({ entry, end }) => ('ended' in end ? [{ entry, end }] : []))
    await moveEntries(
      tx,
      done.map(({ entry }) => ({ entry, happening: { kind: 'call_ended' } })),
      parts,
    )
    const stampUs = clock.stamp()
    await recordDecisions(
      tx,
      done.map(({ entry, end: { ended: reason, ...why } }) => {
        return { ...decisionOf(entry, { reason, ...why }, stampUs), channel }
      }),
    )
  })
}
