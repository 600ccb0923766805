import type { Clock } from '../../base/clock.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { postCallback } from '../../base/fetch/post-callback.ts'
import type { Log } from '../../base/log.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { eventsOf, type KnownSend } from './events.ts'
import type { DueSend, SendProgress } from './status-store.ts'

export type PostStatusServices = {
  readonly clock: Clock
  readonly log: Log
  readonly fetcher: Fetcher
  readonly workspaces: Pick<Workspaces, 'get'>
}

/** The pause after the first look at a mail that is open. Each pause is half as long again as the one before. */
const lookMs = 1_000
const growth = 1.5
const lookMsMax = 60_000

/** What is known of the mail of a send: how it ended, undefined while it is open, when it arrived, and when it was returned or refused. */
export type MailFacts = Pick<KnownSend, 'end' | 'delivered_us' | 'bounced_us'>

/** Posts the next event of a send, if there is one. */
export async function postStatus(
  send: DueSend,
  facts: MailFacts,
  { clock, log, workspaces, fetcher }: PostStatusServices,
  stopping: AbortSignal,
): Promise<SendProgress> {
  const endpoint = workspaces.get(send.workspace_id).settings.transactional_status_url
  const events = eventsOf({ ...send, ...facts })
  const { end } = facts
  const { told } = send
  // While a mail is open, its attempts are looks.
  const tries = (end === undefined) === (send.reason === null) ? send.attempts + 1 : 1
  if (endpoint === undefined) return { end, told: events.length, attempts: 0, dueMs: undefined }
  const event = events[told]
  if (!event) {
    const pauseMs = Math.min(lookMs * growth ** (tries - 1), lookMsMax)
    return { end, told, attempts: tries, dueMs: end ? undefined : clock.elapsed() + pauseMs }
  }
  const headers = { 'Idempotency-Key': `${event.dispatch_id}-${event.status}` }
  const callback = { endpoint, attempts: tries, body: event, headers }
  const { failure, againMs } = await postCallback(callback, { fetcher, clock }, stopping)
  const { dispatch_id, status } = event
  if (failure !== null) log.info({ dispatch_id, send_status: status, reason: failure }, 'a status could not be posted')
  if (againMs !== undefined) return { end, told, attempts: tries, dueMs: againMs }
  const isLast = told + 1 === events.length
  return { end, told: told + 1, attempts: 0, dueMs: isLast ? undefined : clock.elapsed() }
}
