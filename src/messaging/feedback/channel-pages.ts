import type { Page } from '../../base/http/page.ts'
import {
  type ConfirmServices,
  confirmByReply,
  listLastReplied,
  listPendingReplies,
  withdrawByReply,
} from '../../people/confirmations/confirm.ts'
import type { Channel, ChannelPageServices } from '../channels/channel.ts'
import { allChannels } from '../channels/channels.ts'
import { recordArrival } from './record-arrival.ts'
import { recordBounces } from './record-bounces.ts'
import { onceForToken } from './webhook-once.ts'

/** What this room does for pages of channels. */
type OwnServices = Pick<
  ChannelPageServices,
  | 'recordBounce'
  | 'recordDelivered'
  | 'confirmByReply'
  | 'listPendingReplies'
  | 'listLastReplied'
  | 'withdrawByReply'
  | 'once'
>

export type ProviderPageServices = Omit<ChannelPageServices, keyof OwnServices> & ConfirmServices

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
    confirmByReply: (number, keyword) => confirmByReply(number, keyword, services),
    listPendingReplies: (number, keyword) => listPendingReplies(number, keyword, services),
    listLastReplied: (number, keyword) => listLastReplied(number, keyword, services),
    withdrawByReply: (number) => withdrawByReply(number, services),
    once: (workspace_id, token, work) => onceForToken({ db, clock }, workspace_id, token, work),
  }
}
