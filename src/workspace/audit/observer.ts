import { systemActor } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { isUnavailable } from '../../base/errors.ts'
import type { AnsweredRequest } from '../../base/http/observe.ts'
import type { Log } from '../../base/log.ts'
import { openGatheringLoop } from '../../base/work/gathering-loop.ts'
import { EventWindow, eventWindowMs } from './event-window.ts'
import { eventOfAnswer, type ObservedEvent } from './observed-rules.ts'
import { insertObservedRows, type ObservedRow } from './store.ts'

/** How long events are gathered before they are written together. If the process is killed, gathered events are lost. */
export const gatherMs = 500
/** The most rows that wait for the database. Further ones are counted as left out. */
const waitingRowsMax = 2_000
const batchRowsMax = 500

export type AuditObserver = {
  /** Records an answer if `observed-rules.ts` says so. Never waits, never throws. */
  readonly observe: (answered: AnsweredRequest) => void
  /** Records an event of another kind. Never waits, never throws. */
  note(event: ObservedEvent): void
  /** Returns the name of the loop if its last turn failed. */
  failing(): string[]
  /** Writes what is left, then ends. */
  close(): Promise<void>
}

export type AuditObserverServices = { readonly db: Db; readonly clock: Clock; readonly log: Log }

/** Rows that wait for the database. */
type RowQueue = Pick<AuditObserver, 'failing' | 'close'> & {
  /** Returns false when too many rows wait. */
  add(row: ObservedRow): boolean
}

/** Writes rows in batches. Calls `onRefused` for rows that the database refuses. */
function openRowQueue({ db, log }: AuditObserverServices, onRefused: (row: ObservedRow) => void): RowQueue {
  let waiting: ObservedRow[] = []
  const loop = openGatheringLoop({ name: 'audit.observe', gatherMs, turn: write }, log)

  async function write(): Promise<boolean> {
    while (waiting.length > 0) await writeBatch()
    return false
  }

  async function writeBatch(): Promise<void> {
    const batch = waiting.slice(0, batchRowsMax)
    waiting = waiting.slice(batch.length)
    try {
      await insertObservedRows(db, batch)
    } catch (error) {
      if (isUnavailable(error)) waiting = [...batch, ...waiting].slice(0, waitingRowsMax)
      // Rows that the database refuses must not stop those after them.
      else batch.forEach(onRefused)
      throw error
    }
  }

  return {
    add(row) {
      if (waiting.length >= waitingRowsMax) return false
      waiting.push(row)
      loop.wakeLater()
      return true
    },
    failing: loop.failing,
    close: loop.close,
  }
}

/** Writes observed events to the audit, outside the requests that cause them. */
export function openAuditObserver(services: AuditObserverServices): AuditObserver {
  const { clock } = services
  let window = new EventWindow()
  let windowEndsMs = 0
  let ending: NodeJS.Timeout | undefined
  const queue = openRowQueue(services, ({ action, requests }) => window.omit(action, requests))

  function enqueue(event: ObservedEvent, requests: number): void {
    if (!queue.add(rowOf(event, requests, clock.now()))) window.omit(event.action, requests)
  }

  /** Writes the counts of the window, and begins the next one. */
  function endWindow(): void {
    clearTimeout(ending)
    ending = undefined
    const { repeated, omitted } = window.summary()
    window = new EventWindow()
    for (const { event, requests } of repeated) enqueue(event, requests)
    for (const [action, requests] of omitted) enqueue(omission(action), requests)
  }

  function note(event: ObservedEvent): void {
    const nowMs = clock.elapsed()
    if (ending !== undefined && nowMs >= windowEndsMs) endWindow()
    if (ending === undefined) {
      windowEndsMs = nowMs + eventWindowMs
      ending = setTimeout(endWindow, eventWindowMs).unref()
    }
    if (window.add(event)) enqueue(event, 1)
  }

  return {
    observe(answered) {
      const event = eventOfAnswer(answered)
      if (event) note(event)
    },
    note,
    failing: queue.failing,
    async close() {
      endWindow()
      await queue.close()
    },
  }
}

function omission(action: string): ObservedEvent {
  return {
    kind: 'refusal',
    actor: systemActor,
    action: 'audit.omit',
    target: { kind: 'action', id: action },
    workspace_id: null,
    details: { status: 0 },
  }
}

function rowOf({ kind, actor, action, target, workspace_id, details }: ObservedEvent, requests: number, atMs: number) {
  const { status, ...rest } = details
  return {
    kind,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    ...actor.from,
    action,
    target_kind: target.kind,
    target_id: target.id,
    workspace_id,
    details: { ...(status > 0 && { status }), ...rest, requests },
    requests,
    atMs,
  }
}
