import { type Clock, isVirtual } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { nextProfileId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { openLoop } from '../../base/work/loop.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { type EngagementRequest, isMachine } from './machine-engagement.ts'
import { type EngagementRules, type ObservedEngagement, recordEngagements } from './record-engagements.ts'

/** Opens wait so long for others to be written with. A kill loses those of this time. */
const gatherMs = 500
/** A click waits at most so long for being written before its redirect; then it is written when the database can. */
const patienceMs = 1_000
/** Different things seen that wait for the database; the same one again only counts. What is beyond is lost, and counted as that. */
export const waitingMax = 20_000
const batchMax = 1_000
/** Nobody reads a mail and clicks within this time after the mail server took it. */
const promptMs = 1_000

export type EngagementQueueServices = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly tracks?: EngagementRules['tracks']
  /** Something was seen that cannot be kept. */
  readonly onLost?: () => void
}

/** What people do with their mail, gathered in memory and written together; with `workspace_id` only for messages of that workspace. */
export type EngagementQueue = {
  /** Somebody, or a machine, has fetched the picture of a message. Never waits. */
  addOpen(named: TokenTarget, seen: Omit<EngagementRequest, 'kind'>, workspace_id?: number): void
  /** Somebody follows a link. Resolves when that is written, at most `patienceMs` later; never rejects. */
  addClick(
    named: TokenTarget,
    link: number,
    seen: Omit<EngagementRequest, 'kind'>,
    workspace_id?: number,
  ): Promise<void>
  /** Whether the last writing failed, by its name. */
  failing(): string[]
  /** Writes what is left, then ends. */
  close(): Promise<void>
}

export function openEngagementQueue({ db, clock, log, tracks, onLost }: EngagementQueueServices): EngagementQueue {
  const judging: EngagementRules = {
    promptMs: isVirtual(clock) ? 0 : promptMs,
    ...(tracks && { tracks }),
    newId: (bucket) => nextProfileId(bucket, clock.elapsed()),
  }
  const waiting = new Map<string, ObservedEngagement>()
  let gathering: NodeJS.Timeout | undefined
  const loop = openLoop({ name: 'email.engage', turn: write }, log)

  /** Everything that waits by now, so that whoever waits for a turn is written when it ends. */
  async function write(): Promise<boolean> {
    clearTimeout(gathering)
    gathering = undefined
    for (let left = waiting.size; left > 0; left -= batchMax) await writeBatch(Math.min(left, batchMax))
    return waiting.size > 0
  }

  async function writeBatch(size: number): Promise<void> {
    const taken = [...waiting.entries().take(size)]
    for (const [key] of taken) waiting.delete(key)
    const batch = taken.map(([, noted]) => noted)
    const [written] = await Promise.allSettled([recordEngagements(db, batch, judging)])
    if (written.status === 'fulfilled') return
    for (const [key, noted] of taken) add(key, noted)
    throw written.reason
  }

  function note(named: TokenTarget, link: number, seen: EngagementRequest, workspace_id: number | undefined): void {
    const { kind } = seen
    const atMs = clock.now()
    const machine = isMachine(seen)
    const key = `${named.profile_id} ${named.message_id} ${kind} ${link} ${machine} ${workspace_id}`
    add(key, { named, kind, link, isMachine: machine, firstMs: atMs, lastMs: atMs, count: 1, workspace_id })
  }

  function add(key: string, noted: ObservedEngagement): void {
    const before = waiting.get(key)
    if (before || waiting.size < waitingMax) waiting.set(key, before ? sumOf(before, noted) : noted)
    else onLost?.()
  }

  return {
    addOpen(named, seen, workspace_id) {
      note(named, -1, { ...seen, kind: 'opened' }, workspace_id)
      gathering ??= setTimeout(() => loop.wake(), gatherMs).unref()
    },
    async addClick(named, link, seen, workspace_id) {
      note(named, link, { ...seen, kind: 'clicked' }, workspace_id)
      const { promise, resolve } = Promise.withResolvers<void>()
      const patience = setTimeout(resolve, patienceMs)
      await Promise.race([loop.nextTurn(), promise])
      clearTimeout(patience)
    },
    failing: () => (loop.failing() ? [loop.name] : []),
    async close() {
      clearTimeout(gathering)
      await loop.close()
      // What cannot be written while the database is away is lost.
      await Promise.allSettled([write()])
    },
  }
}

function sumOf(one: ObservedEngagement, other: ObservedEngagement): ObservedEngagement {
  const firstMs = Math.min(one.firstMs, other.firstMs)
  return { ...one, firstMs, lastMs: Math.max(one.lastMs, other.lastMs), count: one.count + other.count }
}
