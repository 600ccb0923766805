import type { Metrics } from '../../base/http/metrics.ts'
import type { Polls } from '../../base/work/loop.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Channel, ChannelServices, OpenChannel } from '../channels/channel.ts'
import { allChannels } from '../channels/channels.ts'
import type { Graphs } from '../flows/graphs.ts'
import { countQueuedMessages } from '../messages/claim-store.ts'
import type { Queue } from '../messages/message.ts'
import { type DelivererServices, openDeliverer } from './deliver.ts'
import { type Deliverer, joinDeliverers } from './deliverer.ts'

export type DeliveryServices = ChannelServices & {
  readonly workspaces: Workspaces
  readonly metrics: Metrics
  newId(bucket: number): string
  readonly graphs: Graphs
  readonly wakeups: Wakeups
  readonly poller?: Polls
}

/** The delivery of all channels. */
export type RunningDelivery = Omit<Deliverer, 'isSparing' | 'trouble'> & {
  /**
   * Returns which server of a channel was not reached by the last message, and why; undefined when it was, and without a server. Where a
   * channel has many, only those count to which messages of the workspace went.
   */
  trouble(channel: string, workspace_id?: number): string | undefined
}

/** The count of queued messages stops here. */
const queuedMax = 100_000

function addCounters(metrics: Metrics) {
  const failures = allChannels().map(({ name, metrics: own }) => {
    return [name, metrics.counter({ ...own.failures, labelNames: ['kind'] })] as const
  })
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
    failures: new Map(failures),
  }
}

/** A channel with what makes and sends its messages. */
type Opened = { readonly channel: Channel; readonly open: OpenChannel }

/**
 * Starts the delivery of queued messages. It runs until it is closed. Each channel with a transport has a deliverer of its own. One more,
 * which knows no server, keeps in the inbox what goes to none.
 */
export function openDelivery(services: DeliveryServices): RunningDelivery {
  const { workspaces } = services
  const opened = allChannels().map((channel): Opened => ({ channel, open: channel.open(services) }))
  const common = delivererServices(services, opened)
  const queuesOf = (goes: 'server' | 'inbox', some: readonly Opened[]) => (): Queue[] =>
    workspaces.all().flatMap(({ workspace_id, settings }) =>
      some.flatMap(({ channel, open }) => {
        const isKept = open.transport === undefined || open.keepsAll(settings)
        return isKept === (goes === 'inbox') ? [{ workspace_id, channel: channel.name }] : []
      }),
    )
  const servers = new Map<string, Deliverer>()
  const others: Deliverer[] = []
  const isHeldElsewhere = (message_id: string) => others.some((each) => each.holds(message_id))
  const inbox = openDeliverer({ ...common, isHeldElsewhere, queues: queuesOf('inbox', opened) })
  for (const one of opened) {
    const { transport } = one.open
    if (!transport) continue
    const { name, words } = one.channel
    const served = { ...transport, words }
    const deliverer = openDeliverer({
      ...common,
      transport: served,
      recovers: false,
      queues: queuesOf('server', [one]),
    })
    servers.set(name, deliverer)
    others.push(deliverer)
  }
  const delivering = joinDeliverers([inbox, ...others])
  addGauges(services, opened, servers)
  return {
    ...delivering,
    trouble(name, workspace_id) {
      const cause = servers.get(name)?.trouble(workspace_id)?.cause
      const transport = opened.find(({ channel }) => channel.name === name)?.open.transport
      return cause && transport && `${transport.server} was not reached: ${cause}`
    },
    async close() {
      await delivering.close()
      for (const { open } of opened) await open.transport?.close()
    },
  }
}

/** Returns what the deliverers of a process have in common. */
function delivererServices(
  services: DeliveryServices,
  opened: readonly Opened[],
): Omit<DelivererServices, 'transport' | 'queues'> {
  const { db, clock, log, workspaces, hashAddress, metrics, graphs, wakeups, poller, newId, judge } = services
  const { ended, again, failures } = addCounters(metrics)
  return {
    db,
    clock,
    log,
    ...(poller && { poller }),
    hashAddress,
    newId,
    judge,
    channels: new Map(opened.map(({ channel, open }) => [channel.name, open])),
    graphs,
    settingsOf: (workspace_id) => workspaces.get(workspace_id).settings,
    onSent: (kind, channel) => kind !== 'accepted' && kind !== 'busy' && failures.get(channel)!.inc({ kind }),
    onResult({ message, outcome }) {
      if (!outcome.ends) return again.inc()
      ended.inc({ reason: outcome.reason })
      if (message.flow_version !== null) wakeups.wake('journeys')
    },
  }
}

function addGauges(
  { db, metrics }: DeliveryServices,
  opened: readonly Opened[],
  servers: ReadonlyMap<string, Deliverer>,
): void {
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
  for (const { channel } of opened) {
    metrics.gauge({
      ...channel.metrics.spared,
      collect() {
        this.set(servers.get(channel.name)?.isSparing() ? 1 : 0)
      },
    })
  }
}
