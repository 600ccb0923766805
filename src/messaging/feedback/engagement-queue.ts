import { type Clock, isVirtual } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { nextProfileId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { openGatheringLoop } from '../../base/work/gathering-loop.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { type EngagementRequest, isMachine } from './machine-engagement.ts'
import { type EngagementRules, type ObservedEngagement, recordEngagements } from './record-engagements.ts'

/** How long opens are gathered before they are written together. If the process is killed, gathered opens are lost. */
const gatherMs = 500
/** The longest time that a redirect waits until the click is written. */
const clickWaitMsMax = 1_000
/** The most different engagements that wait for the database. Further ones are lost and counted as lost. */
export const waitingEngagementsMax = 20_000
const batchMax = 1_000
/** Engagements within this time after the mail server accepted the mail are those of machines. */
const promptMs = 1_000

export type EngagementQueueServices = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly tracks?: EngagementRules['tracks']
  /** Called for each engagement that is lost. */
  readonly onLost?: () => void
}

/** Gathers opens and clicks in memory and writes them together. With `workspace_id` only messages of this workspace count. */
export type EngagementQueue = {
  /** Adds an open: a person or a machine has fetched the tracking pixel. Never waits. */
  addOpen(target: TokenTarget, request: Omit<EngagementRequest, 'kind'>, workspace_id?: number): void
  /** Adds a click. Resolves when the click is written, after `clickWaitMsMax` at the latest; never rejects. */
  addClick(
    target: TokenTarget,
    link: number,
    request: Omit<EngagementRequest, 'kind'>,
    workspace_id?: number,
  ): Promise<void>
  /** Returns the name of the loop if its last turn failed. */
  failing(): string[]
  /** Writes what is left, then ends. */
  close(): Promise<void>
}

export function openEngagementQueue({ db, clock, log, tracks, onLost }: EngagementQueueServices): EngagementQueue {
  const rules: EngagementRules = {
    promptMs: isVirtual(clock) ? 0 : promptMs,
    ...(tracks && { tracks }),
    stamp: () => clock.stamp(),
    newId: (bucket) => nextProfileId(bucket, clock.elapsed()),
  }
  const waiting = new Map<string, ObservedEngagement>()
  const loop = openGatheringLoop({ name: 'email.engage', gatherMs, turn: write }, log)

  /** Writes everything that waits at the start of the turn, so that a click which waits for the next turn is written when it ends. */
  async function write(): Promise<boolean> {
    for (let left = waiting.size; left > 0; left -= batchMax) await writeBatch(Math.min(left, batchMax))
    return waiting.size > 0
  }

  async function writeBatch(size: number): Promise<void> {
    const taken = [...waiting.entries().take(size)]
    for (const [key] of taken) waiting.delete(key)
    try {
      const batch = taken.map(([, engagement]) => engagement)
      await recordEngagements(db, batch, rules)
    } catch (error) {
      for (const [key, engagement] of taken) add(key, engagement)
      throw error
    }
  }

  function observe(target: TokenTarget, link: number, request: EngagementRequest, workspace_id?: number): void {
    const { kind } = request
    const atMs = clock.now()
    const machine = isMachine(request)
    const key = `${target.profile_id} ${target.message_id} ${kind} ${link} ${machine} ${workspace_id}`
    add(key, { target, kind, link, isMachine: machine, firstMs: atMs, lastMs: atMs, count: 1, workspace_id })
  }

  function add(key: string, engagement: ObservedEngagement): void {
    const before = waiting.get(key)
    if (before || waiting.size < waitingEngagementsMax)
      waiting.set(key, before ? sumOf(before, engagement) : engagement)
    else onLost?.()
  }

  return {
    addOpen(target, request, workspace_id) {
      observe(target, -1, { ...request, kind: 'opened' }, workspace_id)
      loop.wakeLater()
    },
    async addClick(target, link, request, workspace_id) {
      observe(target, link, { ...request, kind: 'clicked' }, workspace_id)
      const { promise, resolve } = Promise.withResolvers<void>()
      const timeout = setTimeout(resolve, clickWaitMsMax)
      await Promise.race([loop.nextTurn(), promise])
      clearTimeout(timeout)
    },
    failing: loop.failing,
    close: loop.close,
  }
}

function sumOf(one: ObservedEngagement, other: ObservedEngagement): ObservedEngagement {
  const firstMs = Math.min(one.firstMs, other.firstMs)
  return { ...one, firstMs, lastMs: Math.max(one.lastMs, other.lastMs), count: one.count + other.count }
}
