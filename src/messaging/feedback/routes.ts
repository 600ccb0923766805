import Type from 'typebox'
import type { Call } from '../../base/call.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import {
  amazonSesReceiver,
  findWebhook,
  mailgunReceiver,
  sendgridReceiver,
  type WebhookProvider,
  type WebhookServices,
} from './receive-webhooks.ts'
import { openSnsClient } from './webhook-sns.ts'

const Params = Type.Object({ workspace: Type.String({ description: 'The id of the workspace.' }) })
const Received = Type.Object({ message: Type.Literal('success') })
const Events = Type.Object(
  {},
  { additionalProperties: true, description: 'The signed body, in the format of the provider.' },
)

const pathOf = { amazon_ses: 'amazon-ses', sendgrid: 'sendgrid', mailgun: 'mailgun' } as const

export type WebhookRouteServices = WebhookServices & { readonly fetcher: Pick<Fetcher, 'fetch'> }

/** Returns the webhooks for events of mail providers. They need no key: each request is signed by the provider. */
export function webhookRoutes(services: WebhookRouteServices): Route[] {
  const route = (
    provider: WebhookProvider,
    summary: string,
    handle: (call: Call, request: Request) => Promise<object>,
  ): Route =>
    defineRoute({
      method: 'POST',
      path: `/webhooks/${pathOf[provider]}/{workspace}`,
      permission: 'public',
      limit: 'webhooks',
      errors: 'standard',
      summary,
      params: Params,
      body: Events,
      takes: 'bytes',
      // Strangers send these bodies.
      admit: (head) => void findWebhook(provider, head, services),
      reply: { 200: Received },
      refusals: {
        403: 'The signature is not valid, or the request was received before.',
        404: 'There is no such workspace, or it has no webhooks of this provider.',
      },
      handle,
    })
  return [
    route(
      'amazon_ses',
      'Receive events about mails from Amazon SES, through SNS.',
      amazonSesReceiver(openSnsClient(services.fetcher), services),
    ),
    route('sendgrid', 'Receive events about mails from SendGrid.', sendgridReceiver(services)),
    route('mailgun', 'Receive events about mails from Mailgun.', mailgunReceiver(services)),
  ]
}
