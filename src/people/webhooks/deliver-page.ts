import { describeEvent } from '../feed/describe-event.ts'
import type { EventRow } from '../feed/read-store.ts'
import type { LeasedWebhook, NewAttempt } from './delivery-store.ts'
import { type SendServices, type Sent, sendEvent } from './send-event.ts'

/** The requests to one receiver at the same time, each about another person. */
export const inFlightMax = 8

export type PageServices = SendServices & {
  formatServiceId(profile_id: string): string
  /** Called before each request. Returns false when the worker must not send any more. */
  mayGoOn(): Promise<boolean>
}

/** What became of the events of a page. `failed` is the first request that failed. */
export type PageResult = {
  readonly attempts: readonly NewAttempt[]
  readonly delivered: ReadonlySet<string>
  readonly failed: Extract<Sent, { outcome: 'gone' | 'failed' }> | undefined
  /** Whether the worker had to stop before the end. */
  readonly stopped: boolean
}

/**
 * Sends the events of a page that were not delivered before. Those of one person are sent one after the other; different people do not
 * wait for each other. After a failure no further request begins.
 */
export async function deliverPage(
  webhook: LeasedWebhook,
  rows: readonly EventRow[],
  services: PageServices,
  stopping: AbortSignal,
): Promise<PageResult> {
  const ahead = new Set(webhook.ahead.map(String))
  const open = rows.filter(({ position }) => !ahead.has(position))
  const lanes = [...Map.groupBy(open, laneOf).values()]
  const attempts: NewAttempt[] = []
  const delivered = new Set<string>()
  let failed: PageResult['failed']
  let stopped = false

  async function sendOne(row: EventRow): Promise<boolean> {
    if (failed || stopped) return false
    if (stopping.aborted || !(await services.mayGoOn())) {
      stopped = true
      return false
    }
    const event = describeEvent(row, services.formatServiceId)
    const sent = await sendEvent(webhook, { ...event, ...placeOf(row) }, services, stopping)
    if (sent.outcome === 'stopped') {
      stopped = true
      return false
    }
    attempts.push(sent.attempt)
    if (sent.outcome === 'delivered') {
      delivered.add(row.position)
      return true
    }
    failed ??= sent
    return false
  }

  async function takeLanes(): Promise<void> {
    for (let lane = lanes.shift(); lane; lane = lanes.shift()) {
      for (const row of lane) if (!(await sendOne(row))) return
    }
  }

  await Promise.all(Array.from({ length: Math.min(inFlightMax, lanes.length) }, takeLanes))
  return { attempts, delivered, failed, stopped }
}

/** Returns the key of events that are sent in order. The deletion of a person belongs to nobody else. */
function laneOf({ bucket, profile_id, subject_id }: EventRow): string {
  return `${bucket} ${profile_id === '0' ? `deleted ${subject_id}` : profile_id}`
}

function placeOf({ position, subject_id }: EventRow): { position: string; subject_id: string } {
  return { position, subject_id }
}

/** The position up to which everything was delivered, and the delivered positions behind it. */
export type Reached = { readonly position: bigint; readonly ahead: readonly bigint[] }

/** Returns how far a webhook has come after a page. `next`: the position up to which the page has all events. Pure. */
export function reachedAfter(
  { position: from, ahead }: Pick<LeasedWebhook, 'position' | 'ahead'>,
  rows: readonly Pick<EventRow, 'position'>[],
  delivered: ReadonlySet<string>,
  next: bigint,
): Reached {
  const known = new Set([...ahead.map(String), ...delivered])
  const firstOpen = rows.find(({ position }) => !known.has(position))
  if (!firstOpen) return { position: next, ahead: [] }
  const before = rows.filter(({ position }) => BigInt(position) < BigInt(firstOpen.position)).at(-1)
  const position = before ? BigInt(before.position) : from
  return { position, ahead: [...known].map(BigInt).filter((each) => each > position) }
}
