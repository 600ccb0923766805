import type { Config } from '../../../base/config.ts'
import type { TransportServices } from '../channel.ts'
import { fcmBase, openFcm } from './fcm.ts'
import type { PushName } from './push-message.ts'
import type { PushSender } from './send-pushes.ts'
import { browserServices, openWebPush, publicKeyOf, type VapidDetails } from './web-push.ts'

/** Returns what sends pushes of a channel; undefined when the settings name no service. */
export function senderOf(name: PushName, { config, fetcher, clock }: TransportServices): PushSender | undefined {
  if (name !== 'web_push') {
    return config.fcmServiceAccount && openFcm(name, config.fcmServiceAccount, config.fcmUrl, clock)
  }
  const vapid = vapidOf(config)
  return vapid && openWebPush(vapid, fetcher)
}

/** Returns where pushes of a channel go, for people; undefined when the settings name no service. */
export function destinationOf(name: PushName, config: Config): string | undefined {
  if (name !== 'web_push') return config.fcmServiceAccount && `the push service ${fcmBase(config.fcmUrl)}`
  return vapidOf(config) && browserServices
}

function vapidOf({ webPushContact: subject, webPushPrivateKey: privateKey }: Config): VapidDetails | undefined {
  if (subject === undefined || privateKey === undefined) return undefined
  return { subject, privateKey, publicKey: publicKeyOf(privateKey) }
}
