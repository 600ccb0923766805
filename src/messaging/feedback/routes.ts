import Type from 'typebox'
import type { Call } from '../../base/call.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { amazonSesReceiver, mailgunReceiver, sendgridReceiver, type WebhookServices } from './receive-webhooks.ts'
import { openSnsClient } from './webhook-sns.ts'

const Params = Type.Object({ workspace: Type.String({ description: 'The id of the workspace.' }) })
const Taken = Type.Object({ message: Type.Literal('success') })
const Events = Type.Object({}, { additionalProperties: true, description: 'As the provider sends it, signed.' })

export type WebhookRouteServices = WebhookServices & { readonly fetcher: Pick<Fetcher, 'fetch'> }

/** Where mail providers tell what became of mails: open to everybody, each request signed by the provider. */
export function webhookRoutes(parts: WebhookRouteServices): Route[] {
  const route = (provider: string, summary: string, handle: (call: Call, request: Request) => Promise<object>): Route =>
    defineRoute({
      method: 'POST',
      path: `/webhooks/${provider}/{workspace}`,
      permission: 'public',
      limit: 'webhooks',
      errors: 'standard',
      summary,
      params: Params,
      body: Events,
      takes: 'bytes',
      reply: { 200: Taken },
      handle,
    })
  return [
    route(
      'amazon-ses',
      'What Amazon SES tells of mails, through SNS',
      amazonSesReceiver(openSnsClient(parts.fetcher), parts),
    ),
    route('sendgrid', 'What SendGrid tells of mails', sendgridReceiver(parts)),
    route('mailgun', 'What Mailgun tells of mails', mailgunReceiver(parts)),
  ]
}
