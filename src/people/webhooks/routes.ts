import { defineRoute, type Route } from '../../base/http/route.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { replayEvents, resumeWebhook, rotateSecret } from './change-delivery.ts'
import { readAttempts, readDeliveries } from './list-deliveries.ts'
import {
  AttemptsQuery,
  AttemptsReply,
  DeliveriesReply,
  DeliveryReply,
  ReplayBody,
  RotateBody,
  RotateReply,
  TestReply,
  WebhookQuery,
} from './schema.ts'
import type { SendServices } from './send-event.ts'
import { sendTest } from './send-test.ts'

const admin = { permission: 'admin', errors: 'standard', query: WebhookQuery } as const
const path = '/admin/webhooks/{id}'

/** What is done with webhooks besides writing them, which the routes of config sections do. */
export function webhookDeliveryRoutes(
  services: Pick<SendServices, 'fetcher'> & { readonly wakeups: Wakeups },
): Route[] {
  const waking = async <T>(changing: Promise<T>): Promise<T> => {
    const changed = await changing
    services.wakeups.wake('webhooks')
    return changed
  }
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path: '/admin/webhook_deliveries',
      summary: 'Read how the delivery of events to each webhook is going.',
      ability: 'webhooks.read',
      reply: { 200: DeliveriesReply },
      handle: readDeliveries,
    }),
    defineRoute({
      ...admin,
      query: AttemptsQuery,
      method: 'GET',
      path: `${path}/attempts`,
      summary: 'Read how the delivery to a webhook is going, and its newest attempts.',
      ability: 'webhooks.read',
      reply: { 200: AttemptsReply },
      handle: readAttempts,
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${path}/resume`,
      summary: 'Send again to a webhook that was set aside or waits after a failure.',
      ability: 'webhooks.edit',
      reply: { 200: DeliveryReply },
      handle: (call, request) => waking(resumeWebhook(call, request)),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${path}/replay`,
      summary: 'Send events again, since a time or behind a cursor, and then what came since.',
      ability: 'webhooks.edit',
      body: ReplayBody,
      reply: { 200: DeliveryReply },
      refusals: { 409: 'The feed has no events yet.', 410: 'Events after this cursor are no longer kept.' },
      handle: (call, request) => waking(replayEvents(call, request)),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${path}/rotate`,
      summary: 'Make a new secret. The one before signs as well for a while.',
      ability: 'webhooks.edit',
      body: RotateBody,
      reply: { 200: RotateReply },
      handle: rotateSecret,
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: `${path}/test`,
      summary: 'Send an event of the type `webhook.test` now.',
      ability: 'webhooks.edit',
      reply: { 200: TestReply },
      handle: (call, request) => sendTest(call, request, services),
    }),
  ]
}
