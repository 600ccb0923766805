import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { noteWork } from '../../base/telemetry.ts'
import { openLoop, type Polls } from '../../base/work/loop.ts'
import { type CarryOutServices, carryOut } from './carry-out.ts'
import { finishMovingItems } from './finish-moving.ts'
import type { WorkItem, WorkKind, WorkOutcome } from './work-schema.ts'
import { claimItems, finishItems, isAnyWaiting, isWaiting, workProbe } from './work-store.ts'

export type WorkerServices = CarryOutServices & {
  log: Log
  poller?: Polls
  /** Whether another process runs the loops. Then this process carries out work only while a request waits for it. */
  onDemandOnly: boolean
  onFinished(kind: WorkKind, outcome: WorkOutcome): void
  /** Called when the database refuses a batch, which is a defect of Easel. */
  onBisect(): void
}

export type WorkWorker = {
  /** Tells the worker that items were accepted. */
  wake(): void
  /** Resolves when no item of the request waits any more, or after `patienceMs`. Items that still wait then are carried out later. */
  waitUntilDone(request_id: string): Promise<void>
  /** The loops whose last turn failed, by their names in the log. */
  failing(): string[]
  /** Stops after the current batch. */
  close(): Promise<void>
}

const batchMax = 50
/** How much larger the next batch may be than the number of items that the last one finished. */
const growth = 4
const everyMs = 500
const patienceMs = 10_000
const pauseMs = 10

/** Opens the worker, which carries out items in the order of acceptance and then moves history. */
export function openWorkWorker(services: WorkerServices): WorkWorker {
  const { db, clock, log, poller, onDemandOnly } = services
  const moving = openLoop(
    {
      name: 'work.sweep',
      ...(!onDemandOnly && { everyMs, poller, probe: () => workProbe('moving') }),
      turn: async () => !onDemandOnly && (await finishMovingItems(services)),
    },
    log,
  )
  const carrying = openLoop(
    {
      name: 'work.carryOut',
      ...(!onDemandOnly && { everyMs, poller, probe: () => workProbe('waiting') }),
      turn: batchTurn(services, () => moving.wake()),
    },
    log,
  )
  return {
    wake: () => (onDemandOnly ? undefined : carrying.wake()),
    async waitUntilDone(request_id) {
      const untilMs = clock.elapsed() + patienceMs
      for (;;) {
        await Promise.race([carrying.nextTurn(), pause(everyMs, undefined, { ref: false })])
        try {
          if (!(await isWaiting(db, request_id))) return
        } catch {
          // The database may be unavailable for a moment: try again until the time is up.
        }
        if (clock.elapsed() > untilMs) return
        await pause(pauseMs)
      }
    },
    failing: () => [carrying, moving].filter((loop) => loop.failing()).map(({ name }) => name),
    async close() {
      await Promise.all([carrying.close(), moving.close()])
    },
  }
}

/** Returns a turn that carries out a batch. A batch that the database refuses is halved until one item remains. That item fails. */
function batchTurn(services: WorkerServices, onMoving: () => void): () => Promise<boolean> {
  const { db, log, onFinished, onBisect } = services
  let size = batchMax
  let more = false
  return async () => {
    if (!more && !(await isAnyWaiting(db))) return false
    let claimed: readonly WorkItem[] = []
    more = false
    try {
      const finished = await carryOut(services, size, (items) => {
        claimed = items
      })
      if (claimed.length > 0) noteWork({ 'easel.items': claimed.length })
      for (const { item, outcome } of finished ?? []) onFinished(item.kind, outcome)
      if (finished?.some(({ moving }) => moving)) onMoving()
      more = finished !== undefined && claimed.length > 0
      // Items that depend on each other would otherwise all be read again in each turn.
      if (more) size = Math.min(growth * Math.max(finished!.length, 1), batchMax)
      // Other transactions have locked the people of all these items.
      if (more && finished!.length === 0) await pause(pauseMs)
    } catch (error) {
      // A smaller batch may succeed when the database is only busy.
      size = Math.ceil((claimed.length || size) / 2)
      if (error instanceof Failure || claimed.length === 0) throw error
      onBisect()
      log.error(
        { err: error, items: claimed.length },
        'the database refused a batch of work items; smaller batches are tried',
      )
      if (claimed.length === 1) await failItem(claimed[0]!, services)
      more = true
    }
    return more
  }
}

/** Finishes the item with the outcome `failed`, without any change. */
async function failItem(item: WorkItem, services: WorkerServices): Promise<void> {
  const { db, clock, log, onFinished } = services
  const isFailed = await db.transaction(async (tx) => {
    const [oldest] = (await claimItems(tx, 1)) ?? []
    if (oldest?.request_id !== item.request_id || oldest.position !== item.position) return false
    const nothing = { moving: false, from: undefined, into: undefined, mergedProfiles: [], person_hashes: [] }
    await finishItems(tx, [{ item, outcome: 'failed', ...nothing }], clock.stamp())
    return true
  })
  if (!isFailed) return
  const { request_id, position, kind } = item
  log.error({ request_id, position, kind }, 'a work item failed')
  onFinished(kind, 'failed')
}
