import { invalid } from '../../../base/errors.ts'
import type { OtherSections } from '../../../workspace/file/config-section.ts'
import type { Mistake } from '../../../workspace/settings/mistake.ts'
import type { StoredCredential } from '../../mail/secret-schema.ts'
import { findOrigins } from '../../mail/secret-store.ts'
import type { NotPrepared } from '../../messages/prepared-message.ts'
import type { Channel, ChannelConsent, ContentReader, ReadDefinition } from '../channel.ts'
import { openCaller } from './caller.ts'
import { webhookColumns, webhookJoin } from './consent-store.ts'
import {
  checkCredentials,
  readWebhook,
  shownUrl,
  standIn,
  type WebhookContent,
  type WebhookContext,
} from './content.ts'
import { callBytesMax, type PreparedCall, prepareCalls } from './prepare-calls.ts'
import { webhookTexts } from './request.ts'
import { webhookRetry } from './retry.ts'
import { isSecretHeader, sealedMark } from './secret-header.ts'
import { keptCall, shownCall } from './shown-call.ts'

function readDefinition(given: unknown, path: string, context: WebhookContext): ReadDefinition<WebhookContent> {
  const { content, mistake } = readWebhook(given, path, context)
  return mistake ? { mistake } : { content }
}

function originsOf(others: OtherSections): ReadonlyMap<string, readonly string[]> {
  const credentials = others('credentials') as readonly StoredCredential[]
  return new Map(credentials.map(({ name, origins }) => [name, origins]))
}

const webhookContent: ContentReader<WebhookContent> = {
  read(given, path) {
    const { content, mistake } = readWebhook(given, path, { refusesSecrets: true })
    if (mistake) throw invalid(`${mistake.path} ${mistake.message}`)
    return { content, warnings: [], lost: [] }
  },
  check: (tx, workspace_id, content, path) => checkCredentials(tx, workspace_id, content, path, findOrigins),
  forDefinition({ others }) {
    const context = { credentialOrigins: originsOf(others) }
    return {
      read: (given, path) => readDefinition(given, path, context),
      mistakes(given, path) {
        const all: Mistake[] = []
        readWebhook(given, path, context, all)
        return all
      },
    }
  },
  readStored: (given, path) => readDefinition(given, path, { isStored: true }),
  standIn,
  remaining: { kept: ['method', 'message_variation_id'], emptied: ['url'] },
  variationOf: ({ message_variation_id }) => message_variation_id,
  titleOf: ({ method, url }) => `${method} ${shownUrl(url)}`,
  describe: ({ method, url }, cut) => `Calls ${cut(url)} with ${method}.`,
  details: ({ url, method, headers, body }) => ({
    ...{ url, method },
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name, value) ? sealedMark : value]),
    ),
    ...(body !== undefined && { body }),
  }),
}

/** Nobody consents to a webhook: it goes to a server of the workspace, and to no person. So it has no address of the person either. */
const webhookConsent: ChannelConsent<WebhookContent, object> = {
  columns: webhookColumns,
  join: webhookJoin,
  addressOf: () => null,
  trackingOf: () => ({ opens: false, clicks: false }),
  isUnsubscribed: () => false,
  check: () => undefined,
}

/** Webhooks as messages: requests to other servers, rendered for each person. */
export const webhook: Channel<WebhookContent, PreparedCall, object> = {
  name: 'webhook',
  words: {
    one: 'webhook',
    many: 'webhooks',
    waiting: 'Webhooks wait',
    server: 'receiver of webhooks',
    sent: 'A webhook',
    preparing: 'its request, which is being prepared',
    postponed: 'the sending rate, or its turn: a receiver gets few calls at a time, and none while it is in trouble',
    accepted: 'the webhook was called',
    reasons: {
      sent: 'the webhook was called',
      refused_by_server: 'the webhook was refused, or could not be called',
      expired: 'the webhook was called too often without a good answer',
      template_error: 'the webhook could not be rendered',
    },
    refused: {
      hard: 'the receiver refuses the webhook',
      soft: 'the receiver refuses the webhook',
      policy: 'the receiver refuses the webhook, or it may not be called',
    },
  },
  content: webhookContent,
  consent: webhookConsent,
  metrics: {
    failures: {
      name: 'easel_webhook_message_failures_total',
      help: 'Webhooks of canvases, campaigns and orders that were not called well, by kind: unreached, deferred, refused or uncertain.',
    },
    spared: {
      name: 'easel_webhook_receiver_spared',
      help: '1 while webhooks wait because a receiver cannot be reached, else 0.',
    },
  },
  rates: { name: 'webhook', of: () => ({}) },
  domainOf: (address) => URL.parse(address)?.host ?? '',
  // It is no marketing: quiet hours and frequency caps are about people, and an unknown outcome is repeated with the same key.
  onlyClass: 'transactional',
  retry: webhookRetry,
  recordRefused: async () => {},
  keep: ({ request, subject, address = '' }) => [{ address, subject, source: keptCall(request) }],
  show: shownCall,
  open(services) {
    return {
      prepare: (batch, bytesMax) => prepareCalls(services, batch, bytesMax),
      bytesMax: callBytesMax,
      sizeOf: (content) => ({ texts: Buffer.byteLength(Object.values(webhookTexts(content)).join('')), files: 0 }),
      // An emulator, which judges what the inbox takes, calls nobody.
      transport: services.judge ? undefined : openCaller(services),
      keepsAll: ({ mail_delivery }) => mail_delivery === 'inbox',
    }
  },
  openPreview: (services) => async (message) => {
    const [made] = await prepareCalls({ ...services, isPreview: true }, [message], callBytesMax)
    if (made === undefined || 'reason' in made) return made ?? tooLarge
    return { subject: made.subject, source: keptCall(made.request) }
  },
}

const tooLarge: NotPrepared = { reason: 'template_error', rule: 'it is too large', inputs: {} }
