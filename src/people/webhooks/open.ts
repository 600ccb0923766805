import { newHiddenId } from '../../base/ids.ts'
import { openLoop, type Polls } from '../../base/work/loop.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { type DeliverServices, deliver, leaseMs } from './deliver.ts'
import { claimWebhooks, dueWebhookProbe, type LeasedWebhook } from './delivery-store.ts'

export type WebhookServices = DeliverServices & {
  readonly wakeups: Wakeups
  readonly poller?: Polls
  /** False when another process sends. */
  readonly works: boolean
}

/** The loop that sends events to webhooks. */
export type Webhooks = { failing(): string[]; close(): Promise<void> }

const everyMs = 1_000
/** The most webhooks to which this process sends at the same time. */
export const webhooksInFlightMax = 32

/** Opens the loop that sends the events of feeds to webhooks, each at least once and in order per person. */
export function openWebhooks(services: WebhookServices): Webhooks {
  const { db, clock, log, wakeups, poller, works } = services
  if (!works) return { failing: () => [], close: async () => undefined }
  const stop = new AbortController()
  const sending = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined

  async function send(webhook: LeasedWebhook): Promise<void> {
    try {
      await deliver(webhook, services, stop.signal)
    } catch (error) {
      // The next turn reports it. The lease ends by itself.
      failure = { error }
    }
  }

  async function turn(): Promise<boolean> {
    const failed = failure
    failure = undefined
    if (failed) throw failed.error
    const room = webhooksInFlightMax - sending.size
    if (room <= 0) return false
    const nowMs = clock.elapsed()
    for (const webhook of await claimWebhooks(db, room, newHiddenId(), nowMs, nowMs + leaseMs)) {
      const task = send(webhook).finally(() => {
        sending.delete(task)
        loop.wake()
      })
      sending.add(task)
    }
    return false
  }

  const probe = (aheadMs: number) => dueWebhookProbe(clock.elapsed() + aheadMs)
  const loop = openLoop({ name: 'webhooks.send', everyMs, poller, probe, turn }, log)
  const stopListening = wakeups.on('webhooks', loop.wake)
  return {
    failing: () => (loop.failing() ? [loop.name] : []),
    async close() {
      stopListening()
      stop.abort()
      await loop.close()
      await Promise.all(sending)
    },
  }
}
