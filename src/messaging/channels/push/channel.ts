import type { Channel, ChannelWords, ShownMessage } from '../channel.ts'
import { pushConsent, serviceOfAddress } from './consent.ts'
import type { PushConsentRow } from './consent-store.ts'
import { pushContent } from './content.ts'
import { keyPage } from './key-page.ts'
import { webPayloadOf } from './payload.ts'
import { type PreparedPush, preparePushes, pushBytesMax } from './prepare-pushes.ts'
import { type PushMessage, type PushName, pushNames } from './push-message.ts'
import { destinationOf } from './sender.ts'
import { pushTrial } from './trial.ts'

type PushChannel = Channel<PushMessage, PreparedPush, PushConsentRow>

const services = {
  web_push: 'push service of browsers',
  apple_push: 'push service of Apple devices',
  android_push: 'push service of Android devices',
} as const
const kinds = {
  web_push: 'push to browsers',
  apple_push: 'push to Apple devices',
  android_push: 'push to Android devices',
} as const

/** Pushes to browsers, and to Apple and Android devices: a channel for each member of `messages`. */
export const pushes: readonly PushChannel[] = pushNames.map(pushChannel)

function wordsOf(name: PushName): ChannelWords {
  return {
    one: kinds[name],
    many: kinds[name].replace('push', 'pushes'),
    waiting: `${kinds[name].replace('push', 'Pushes')} wait`,
    server: services[name],
    sent: `A ${kinds[name]}`,
    preparing: 'its push, which is being prepared',
    reasons: {
      sent: 'the push service took it',
      template_error: 'the template could not be rendered, or no push could be made for another reason',
      refused_by_server: 'the push service refused it',
      expired: 'the push service deferred it until it was too old',
    },
    refused: {
      hard: 'the push service no longer knows the device, so its push token was removed',
      soft: 'the push service did not reach the device',
      policy: 'the push service refuses the push',
    },
  }
}

function pushChannel(name: PushName): PushChannel {
  const trial = pushTrial(name)
  return {
    name,
    words: wordsOf(name),
    look: 'notification',
    destination: ({ config }) => destinationOf(name, config),
    content: pushContent(name),
    consent: pushConsent(name),
    metrics: {
      failures: {
        name: `easel_${name}_failures_total`,
        help: `Messages that the ${services[name]} did not accept, by kind: unreached, deferred, refused or uncertain.`,
      },
      spared: {
        name: `easel_${name}_service_spared`,
        help: `1 while messages wait because the ${services[name]} cannot be reached, else 0.`,
      },
    },
    counted: {
      counts: [
        { measure: 'bounces', words: 'Refused, or no device was left', of: 'tried' },
        { measure: 'push_tokens_removed', words: 'Push tokens removed: their device is gone' },
      ],
      unknown: 'Opens and clicks of pushes are not known: no push service reports them.',
    },
    rates: { name, of: () => ({}) },
    domainOf: serviceOfAddress,
    // The transport has removed the tokens that are gone, and nothing else is recorded of an address.
    recordRefused: async () => {},
    keep: (prepared, address) => [{ address, subject: prepared.subject, source: sourceOf(prepared, address) }],
    show,
    open(given) {
      return {
        prepare: (batch) => preparePushes(name, given, batch),
        bytesMax: pushBytesMax,
        sizeOf: (content) => ({ texts: Buffer.byteLength(JSON.stringify(content)), files: 0 }),
        transport: trial.openTransport(given),
        keepsAll: trial.keepsAll,
      }
    },
    openPreview: (given) => async (message) => {
      const [made] = await preparePushes(name, { ...given, isPreview: true }, [message])
      if ('reason' in made!) return made
      return { subject: made!.subject, source: sourceOf(made!, message.address) }
    },
    trial,
    ...(name === 'web_push' && { pages: ({ config }) => [keyPage(config.webPushPrivateKey)] }),
  }
}

/** What the inbox keeps: what every device shows, by the names of the payload of browsers. */
function sourceOf({ push, tag }: PreparedPush, to: string): Buffer {
  const { badge, sound } = push
  const shown = {
    ...webPayloadOf(push, tag),
    ...(badge !== undefined && { badge }),
    ...(sound !== undefined && { sound }),
  }
  return Buffer.from(JSON.stringify({ to, ...shown }))
}

async function show(source: Buffer): Promise<ShownMessage> {
  const text = source.toString('utf8')
  const { to: _, title, body, ...details } = JSON.parse(text) as { to: string; title: string; body?: string }
  const parts = { from: null, headers: {}, html: null, attachments: [] }
  return { ...parts, text: body ?? title, details: { ...(body !== undefined && { title }), ...details }, source: text }
}
