import type { Clock } from '../../base/clock.ts'
import type { Page } from '../../base/http/page.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import type { Channel, ChannelPageServices } from '../channels/channel.ts'
import { allChannels } from '../channels/channels.ts'
import { recordArrival } from './record-arrival.ts'
import { recordBounces } from './record-bounces.ts'
import { onceForToken } from './webhook-once.ts'

export type ProviderPageServices = Omit<ChannelPageServices, 'recordBounce' | 'recordDelivered' | 'once'> & {
  readonly clock: Clock
  readonly hashAddress: HashAddress
}

/** Returns the pages that providers of channels call. */
export function channelPages(services: ProviderPageServices): Page[] {
  return allChannels().flatMap((channel) => channel.pages?.(servicesOf(channel, services)) ?? [])
}

function servicesOf(channel: Channel, services: ProviderPageServices): ChannelPageServices {
  const { db, clock } = services
  return {
    ...services,
    recordBounce: (bounce) => db.transaction((tx) => recordBounces(tx, channel, [bounce], services)),
    recordDelivered: (message) => db.transaction((tx) => recordArrival(tx, message, clock)),
    once: (workspace_id, token, work) => onceForToken({ db, clock }, workspace_id, token, work),
  }
}
