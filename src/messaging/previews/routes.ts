import type { Config } from '../../base/config.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { openPreviews, previewsMax } from '../../content/rendering/open-previews.ts'
import { isObject } from '../../people/values/values.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { findChannel } from '../channels/channels.ts'
import { webhook } from '../channels/webhook/channel.ts'
import { preview } from './preview-mail.ts'
import {
  PreviewMailBody,
  PreviewMailReply,
  PreviewQuery,
  SendPreviewBody,
  SendPreviewReply,
  testsPerHourMax,
} from './schema.ts'
import { type SendPreviewServices, sendPreview } from './send-preview.ts'

const admin = { permission: 'admin', errors: 'standard', method: 'POST', ability: 'messages.test' } as const
const unknown = 'There is no such person, template or content block, or no such workspace.'
const tooMany = `The workspace has ${previewsMax} previews that are being rendered.`

export type PreviewRouteServices = Omit<SendPreviewServices, 'open' | 'mailFrom' | 'bounceDomain'> & {
  readonly config: Pick<Config, 'mailFrom' | 'bounceDomain'>
}

/** Routes that show mails and content blocks before they are used. */
export function mailPreviewRoutes(services: PreviewRouteServices): Route[] {
  const { mailFrom, bounceDomain } = services.config
  const all = { ...services, open: openPreviews(), mailFrom, ...(bounceDomain !== undefined && { bounceDomain }) }
  return [
    defineRoute({
      ...admin,
      path: '/admin/preview',
      furtherAbilities,
      summary:
        'Show a mail, a content block or a message of another channel as a person would get it, with its mistakes.',
      query: PreviewQuery,
      body: PreviewMailBody,
      reply: { 200: PreviewMailReply },
      refusals: { 404: unknown, 429: tooMany },
      handle: async (call, request) => preview(call, await selectedId(call, request), request.body, all),
    }),
    defineRoute({
      ...admin,
      path: '/admin/preview/send',
      furtherAbilities: (request: Request) => [...furtherAbilities(request), ...callingAbilities(request)],
      summary: 'Send a mail to oneself, or a message of another channel, as a test.',
      query: PreviewQuery,
      body: SendPreviewBody,
      reply: { 201: SendPreviewReply },
      refusals: {
        404: unknown,
        429: `${tooMany} Or the account has sent ${testsPerHourMax} tests in this hour.`,
      },
      handle: async (call, request) => sendPreview(call, await selectedId(call, request), request.body, all),
    }),
  ]
}

/** A test of a webhook calls a server, as sending one does. */
function callingAbilities({ body }: Request) {
  const { channel } = isObject(body) ? body : {}
  return channel === webhook.name ? (['campaigns.launch'] as const) : []
}

/** A preview shows the data of its person, and stored texts. */
function furtherAbilities({ body }: Request) {
  const { person, mail, content_block, channel, to } = isObject(body) ? body : {}
  const recipient = typeof channel === 'string' ? findChannel(channel)?.trial?.recipient.kind : undefined
  const names = (object: unknown, id: string) => isObject(object) && object[id] !== undefined
  return [
    ...(person === undefined && (recipient !== 'person' || to === undefined) ? [] : (['people.read'] as const)),
    ...(names(mail, 'email_template_id') ? (['email_templates.read'] as const) : []),
    ...(names(content_block, 'content_block_id') ? (['content_blocks.read'] as const) : []),
  ]
}
