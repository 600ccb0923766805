import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { openLoop } from '../../base/work/loop.ts'
import { type CarryOutServices, carryOut } from './carry-out.ts'
import { finishMovingItems } from './finish-moving.ts'
import type { WorkItem, WorkKind, WorkOutcome } from './work-schema.ts'
import { claimItems, finishItems, isAnyWaiting, isWaiting } from './work-store.ts'

export type WorkerServices = CarryOutServices & {
  log: Log
  /** True where another process does what nobody waits for. */
  onDemandOnly: boolean
  onFinished(kind: WorkKind, outcome: WorkOutcome): void
  /** The database refused a batch: an item of it is our mistake. */
  onBisect(): void
}

export type WorkWorker = {
  /** Something was accepted. */
  wake(): void
  /** Resolves when the request is carried out, whatever became of its items; or after `patienceMs`: it will be. */
  waitUntilDone(request_id: string): Promise<void>
  /** What failed last time, as it is called in the log. */
  failing(): string[]
  /** Lets a batch in progress end, then stops. */
  close(): Promise<void>
}

const batchMax = 50
/** A batch looks at so many times the items that the one before it could do. */
const growth = 4
const everyMs = 500
const patienceMs = 10_000
const pauseMs = 10

/** Carries out what was accepted, in the order of acceptance, and lets history follow. */
export function openWorkWorker(parts: WorkerServices): WorkWorker {
  const { db, clock, log, onDemandOnly } = parts
  const sweeping = openLoop(
    {
      name: 'work.sweep',
      ...(!onDemandOnly && { everyMs }),
      turn: async () => !onDemandOnly && (await finishMovingItems(parts)),
    },
    log,
  )
  const carrying = openLoop(
    { name: 'work.carryOut', ...(!onDemandOnly && { everyMs }), turn: batchTurn(parts, () => sweeping.wake()) },
    log,
  )
  return {
    wake: () => (onDemandOnly ? undefined : carrying.wake()),
    async waitUntilDone(request_id) {
      const untilMs = clock.elapsed() + patienceMs
      for (;;) {
        await Promise.race([carrying.nextTurn(), pause(everyMs, undefined, { ref: false })])
        const [waiting] = await Promise.allSettled([isWaiting(db, request_id)])
        if (waiting.status === 'fulfilled' && !waiting.value) return
        if (clock.elapsed() > untilMs) return
        await pause(pauseMs)
      }
    },
    failing: () => [carrying, sweeping].filter((loop) => loop.failing()).map(({ name }) => name),
    async close() {
      await Promise.all([carrying.close(), sweeping.close()])
    },
  }
}

/**
 * Turns that carry out a batch each. A batch that the database refuses is halved until the culprit stands alone, which is given up.
 */
function batchTurn(parts: WorkerServices, onMoving: () => void): () => Promise<boolean> {
  const { db, log, onFinished, onBisect } = parts
  let size = batchMax
  let more = false
  return async () => {
    if (!more && !(await isAnyWaiting(db))) return false
    let claimed: readonly WorkItem[] = []
    more = false
    try {
      const finished = await carryOut(parts, size, (items) => {
        claimed = items
      })
      for (const { item, outcome } of finished ?? []) onFinished(item.kind, outcome)
      if (finished?.some(({ moving }) => moving)) onMoving()
      more = finished !== undefined && claimed.length > 0
      // Who waits for one another is not looked at all over again each time.
      if (more) size = Math.min(growth * Math.max(finished!.length, 1), batchMax)
      // Somebody else has the people of those who wait: for a moment.
      if (more && finished!.length === 0) await pause(pauseMs)
    } catch (error) {
      // Fewer may get by where a database that is merely busy did not let all of them.
      size = Math.ceil((claimed.length || size) / 2)
      if (error instanceof Failure || claimed.length === 0) throw error
      onBisect()
      log.error(
        { err: error, items: claimed.length },
        'the database refused a batch of work; its items are tried apart',
      )
      if (claimed.length === 1) await giveUp(claimed[0]!, parts)
      more = true
    }
    return more
  }
}

/** Nothing of the item was done, and nothing will be. */
async function giveUp(item: WorkItem, parts: WorkerServices): Promise<void> {
  const { db, clock, log, onFinished } = parts
  const given = await db.transaction(async (tx) => {
    const [oldest] = (await claimItems(tx, 1)) ?? []
    if (oldest?.request_id !== item.request_id || oldest.position !== item.position) return false
    const nobody = { moving: false, from: undefined, into: undefined, absorbed: [], mentions: [] }
    await finishItems(tx, [{ item, outcome: 'failed', ...nobody }], clock.stamp())
    return true
  })
  if (!given) return
  const { request_id, position, kind } = item
  log.error({ request_id, position, kind }, 'an item of work cannot be carried out')
  onFinished(kind, 'failed')
}
