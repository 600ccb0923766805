import { backendOf } from '../../base/db/backends.ts'
import type { Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { isUnavailable } from '../../base/errors.ts'
import { newHiddenId } from '../../base/ids.ts'
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
import { CallMemory } from './prepare-calls.ts'
import { type CallOutcome, callsAtOnce, shareCalls } from './webhook-call.ts'
import { decisionOf } from './write-effects.ts'

/** Longer than a call takes, with rendering and writing. After it another process may call the webhook. */
const leaseMs = 60_000
/** How long a turn waits for a call to complete. Other webhooks may become due meanwhile. */
const waitMs = 100
/** A call whose outcome cannot be written because of a defect is made again after this business time. */
const againMs = 3_600_000

const channel = 'webhook'

/** A call and its outcome. */
type CompletedCall = { readonly call: LeasedCall; readonly outcome: CallOutcome }

/**
 * Calls webhooks outside any transaction, at least once each, with one idempotency key for all calls of a step and visit. The entry
 * continues after any outcome. Each workspace has its share of simultaneous calls, and a slow call delays no other.
 */
export class WebhookCaller {
  readonly #services: CallServices
  readonly #memory = new CallMemory()
  readonly #inFlight = new Map<Promise<void>, LeasedCall>()
  #completed: CompletedCall[] = []
  #isFreed: boolean
  #turns = 0

  constructor(services: CallServices) {
    this.#services = services
    this.#isFreed = backendOf(services.db).isShared
  }

  /** Starts calls as far as capacity allows, waits for one to complete and writes its outcome. Returns whether there may be more. */
  async turn(): Promise<boolean> {
    if (!this.#isFreed) await releaseAllCalls(this.#services.db)
    this.#isFreed = true
    await this.#claim()
    if (this.#inFlight.size > 0 && this.#completed.length === 0)
      await withinMs(waitMs, Promise.race(this.#inFlight.keys()), () => {})
    const hasWritten = await this.#write()
    return hasWritten || this.#inFlight.size > 0
  }

  /** Lets running calls complete. */
  async close(): Promise<void> {
    await Promise.all(this.#inFlight.keys())
    await this.#write()
  }

  async #claim(): Promise<void> {
    const { db, clock } = this.#services
    const calls = [...this.#inFlight.values(), ...this.#completed.map(({ call }) => call)]
    let free = callsAtOnce - calls.length
    if (free === 0) return
    const elapsedMs = clock.elapsed()
    const times = { nowMs: clock.now(), elapsedMs, untilMs: elapsedMs + leaseMs }
    const byWorkspace = Map.groupBy(calls, ({ entry }) => entry.workspace_id)
    const lanes = (await listCallLanes(db, times)).filter((lane) => this.#memory.allowance.has(lane.class))
    for (const own of Map.groupBy(lanes, (lane) => lane.class).values()) {
      const shares = shareCalls(own, (workspace_id) => byWorkspace.get(workspace_id)?.length ?? 0, free, this.#turns++)
      const claimed = shares.length > 0 ? await claimCalls(db, newHiddenId(), shares, times) : []
      free -= claimed.length
      this.#start(claimed)
    }
  }

  #start(calls: readonly LeasedCall[]): void {
    const outcomes = startCalls(calls, this.#services, this.#memory)
    for (const [i, call] of calls.entries()) {
      const running = outcomes[i]!.then((outcome) => {
        this.#inFlight.delete(running)
        this.#completed.push({ call, outcome })
      })
      this.#inFlight.set(running, call)
    }
  }

  async #write(): Promise<boolean> {
    const completed = this.#completed
    if (completed.length === 0) return false
    this.#completed = []
    try {
      await writeOutcomes(completed, this.#services)
    } catch (error) {
      // The next turn writes them again.
      this.#completed.push(...completed)
      throw error
    }
    this.#services.onMoved()
    return true
  }
}

/** Writes all outcomes at once. If that fails because of a defect, writes each alone. */
async function writeOutcomes(completed: readonly CompletedCall[], services: CallServices): Promise<void> {
  const { clock, log } = services
  try {
    await retryWhenRemoved(() => conclude(completed, services))
  } catch (error) {
    // An entry that cannot be moved must not stop the others.
    if (isUnavailable(error)) throw error
    if (completed.length > 1) {
      for (const each of completed) await writeOutcomes([each], services)
      return
    }
    const { call } = completed[0]!
    const { entry_id, flow_id, step } = call.entry
    log.error(
      { err: error, entry_id, flow_id, step },
      'the outcome of a webhook call could not be written; the call is postponed',
    )
    await conclude([{ call, outcome: { againMs: clock.now() + againMs, isUnmade: true } }], services)
  }
}

async function conclude(completed: readonly CompletedCall[], services: CallServices): Promise<void> {
  const { db, clock } = services
  const work = async (tx: Tx) => {
    const locked = await lockLeasedCalls(
      tx,
      completed.map(({ call }) => call),
    )
    const ours = completed.flatMap(({ call, outcome }) => {
      const entry = locked.get(call.entry.entry_id)
      return entry ? [{ entry, outcome }] : []
    })
    await releaseCalls(
      tx,
      ours.flatMap(({ entry, outcome }) => {
        return 'againMs' in outcome ? [{ entry, dueMs: outcome.againMs, isUnmade: 'isUnmade' in outcome }] : []
      }),
    )
    const done = ours.flatMap(({ entry, outcome }) => ('ended' in outcome ? [{ entry, outcome }] : []))
    await moveEntries(
      tx,
      done.map(({ entry }) => ({ entry, happening: { kind: 'call_ended' } })),
      services,
    )
    const stampUs = clock.stamp()
    await recordDecisions(
      tx,
      done.map(({ entry, outcome: { ended: reason, ...why } }) => {
        return { ...decisionOf(entry, { reason, ...why }, stampUs), channel }
      }),
    )
  }
  await db.transaction(work, { settings: shortLockTimeout })
}
