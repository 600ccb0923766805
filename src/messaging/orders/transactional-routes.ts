import { defineIdempotent } from '../../base/http/idempotency.ts'
import type { Route } from '../../base/http/route.ts'
import type { TriggerServices } from './place-flow-order.ts'
import { sendTransactional } from './send-transactional.ts'
import { TransactionalBody, TransactionalPath, TransactionalReply } from './transactional-schema.ts'

/** Lets requests send transactional campaigns. */
export function transactionalRoutes(services: TriggerServices): Route[] {
  return [
    defineIdempotent({
      method: 'POST',
      path: '/transactional/v1/campaigns/{campaign_id}/send',
      permission: 'transactional.send',
      limit: 'transactional',
      errors: 'standard',
      summary: 'Send a transactional campaign to one person now.',
      params: TransactionalPath,
      body: TransactionalBody,
      reply: { 201: TransactionalReply },
      handle: (call, { params, body }, commit) => sendTransactional(call, params.campaign_id!, body, services, commit),
    }),
  ]
}
