import { defineIdempotent } from '../../base/http/idempotency.ts'
import type { Route } from '../../base/http/route.ts'
import { createSendId } from './create-send-id.ts'
import { SendIdBody, SendIdReply } from './send-id-schema.ts'

/** Lets requests create send ids. */
export function sendIdRoutes(): Route[] {
  return [
    defineIdempotent({
      method: 'POST',
      path: '/sends/id/create',
      permission: 'sends.id.create',
      limit: 'sending',
      errors: 'standard',
      summary: 'Create a send id, under which the messages of a campaign are counted.',
      body: SendIdBody,
      reply: { 201: SendIdReply },
      handle: (call, { body }, commit) => createSendId(call, body, commit),
    }),
  ]
}
