import type { Clock } from '../../base/clock.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import type { Metrics } from '../../base/http/metrics.ts'
import type { Log } from '../../base/log.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Graphs } from '../flows/graphs.ts'
import { DecoratedBodies } from '../mail/decorated-bodies.ts'
import { openAttachmentFetcher } from '../mail/fetch-attachments.ts'
import { openInbox } from '../mail/inbox-transport.ts'
import { type PrepareServices, prepareWithin } from '../mail/prepare-emails.ts'
import { findCredential } from '../mail/secret-store.ts'
import { openSmtp } from '../mail/smtp.ts'
import type { JudgeMail } from '../mail/transport.ts'
import { countQueuedMessages } from '../messages/claim-store.ts'
import { type DelivererServices, openDeliverer } from './deliver.ts'
import { type Deliverer, joinDeliverers } from './deliverer.ts'

export type DeliveryServices = Omit<
  PrepareServices,
  'fetchAttachments' | 'decoratedBodies' | 'workspaces' | 'clock'
> & {
  readonly clock: Clock
  readonly log: Log
  readonly workspaces: Workspaces
  readonly fetcher: Fetcher
  readonly hashAddress: HashAddress
  readonly metrics: Metrics
  newId(bucket: number): string
  readonly graphs: Graphs
  readonly wakeups: Wakeups
  /** The mail server; without it mail is kept in the inbox. */
  readonly smtpUrl: string | undefined
  readonly smtpConnections: number
  /** Decides which mails the inbox refuses; absent: none. */
  readonly judgeMail?: JudgeMail | undefined
}

/** The size of all decorated bodies in the cache. */
const decoratedCharactersMax = 8_000_000
/** The count of queued messages stops here. */
const queuedMax = 100_000

function addCounters(metrics: Metrics) {
  return {
    ended: metrics.counter({
      name: 'easel_messages_total',
      help: 'Messages that ended, by the reason in the ledger.',
      labelNames: ['reason'],
    }),
    again: metrics.counter({
      name: 'easel_messages_put_off_total',
      help: 'Times that a message was postponed: deferred, unreachable, or rate limited.',
    }),
    failures: metrics.counter({
      name: 'easel_mail_failures_total',
      help: 'Mails that the mail server did not accept, by kind: unreached, deferred, refused or uncertain.',
      labelNames: ['kind'],
    }),
  }
}

/**
 * Starts the delivery of queued messages. It runs until it is closed. Workspaces whose setting `mail_delivery` is `inbox` have a deliverer
 * of their own, which knows no mail server.
 */
export function openDelivery(services: DeliveryServices): Deliverer {
  const { workspaces, newId, smtpUrl: url, smtpConnections, judgeMail } = services
  const common = delivererServices(services)
  const idsOf = (goes: (delivery: 'server' | 'inbox') => boolean) => () =>
    workspaces.all().flatMap(({ workspace_id, settings }) => (goes(settings.mail_delivery) ? [workspace_id] : []))
  const inbox = openInbox({ newId, judgeMail })
  const smtp = url === undefined ? undefined : openSmtp({ url, connections: smtpConnections })
  const inboxDeliverer = openDeliverer({
    ...common,
    transport: inbox,
    recovers: smtp === undefined,
    workspaceIds: idsOf((delivery) => smtp === undefined || delivery === 'inbox'),
  })
  const serverDeliverer =
    smtp &&
    openDeliverer({
      ...common,
      transport: smtp,
      isHeldElsewhere: inboxDeliverer.holds,
      workspaceIds: idsOf((delivery) => delivery === 'server'),
    })
  const delivering = serverDeliverer ? joinDeliverers(serverDeliverer, inboxDeliverer) : inboxDeliverer
  addGauges(services, delivering)
  return {
    ...delivering,
    async close() {
      await delivering.close()
      await smtp?.close()
      await inbox.close()
    },
  }
}

/** Returns what the deliverers of a process have in common. */
function delivererServices(services: DeliveryServices): Omit<DelivererServices, 'transport' | 'workspaceIds'> {
  const { db, clock, log, workspaces, fetcher, hashAddress, metrics, graphs, wakeups } = services
  const fetchAttachments = openAttachmentFetcher({
    fetcher,
    clock,
    findCredential: (workspace_id, name) => findCredential(db, workspace_id, name),
  })
  const decoratedBodies = new DecoratedBodies(decoratedCharactersMax)
  const prepareServices: PrepareServices = { ...services, fetchAttachments, decoratedBodies }
  const { ended, again, failures } = addCounters(metrics)
  return {
    db,
    clock,
    log,
    hashAddress,
    prepare: (batch, bytesMax) => prepareWithin(prepareServices, batch, bytesMax),
    graphs,
    settingsOf: (workspace_id) => workspaces.get(workspace_id).settings,
    filesBytesMaxOf: (workspace_id) => workspaces.get(workspace_id).settings.attachments_bytes_max,
    ratesOf: (workspace_id) => workspaces.get(workspace_id).settings.email_rates,
    transportOf: (workspace_id) => `smtp/${workspace_id}`,
    onSent: (kind) => kind !== 'accepted' && failures.inc({ kind }),
    onResult({ message, outcome }) {
      if (!outcome.ends) return again.inc()
      ended.inc({ reason: outcome.reason })
      if (message.flow_version !== null) wakeups.wake('journeys')
    },
  }
}

function addGauges({ db, metrics }: DeliveryServices, delivering: Deliverer): void {
  metrics.gauge({
    name: 'easel_messages_queued',
    help: `Messages that wait to be sent, counted up to ${queuedMax}.`,
    async collect() {
      try {
        this.set(await countQueuedMessages(db, queuedMax))
      } catch {
        // While the database is unavailable the gauge keeps its last value.
      }
    },
  })
  metrics.gauge({
    name: 'easel_mail_server_spared',
    help: '1 while mails wait because the mail server cannot be reached, also while a single mail tests it, else 0.',
    collect() {
      this.set(delivering.isSparing() ? 1 : 0)
    },
  })
}
