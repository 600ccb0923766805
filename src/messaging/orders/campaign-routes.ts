import { defineIdempotent } from '../../base/http/idempotency.ts'
import type { Route } from '../../base/http/route.ts'
import { createSendId } from './create-send-id.ts'
import { deleteFlowSchedule } from './delete-flow-schedule.ts'
import type { TriggerServices } from './place-flow-order.ts'
import { scheduleFlow } from './schedule-flow.ts'
import { SendIdBody, SendIdReply } from './send-id-schema.ts'
import { triggerFlow } from './trigger-flow.ts'
import { campaignBodies, campaignReplies, DoneReply } from './trigger-schema.ts'
import { updateFlowSchedule } from './update-flow-schedule.ts'

const kind = 'campaign'

/** Lets requests trigger campaigns. */
export function campaignRoutes(services: TriggerServices): Route[] {
  return [
    defineIdempotent({
      method: 'POST',
      path: '/campaigns/trigger/send',
      permission: 'campaigns.trigger.send',
      limit: 'sending',
      errors: 'standard',
      summary: 'Send a campaign to people now.',
      body: campaignBodies.send,
      reply: { 201: campaignReplies.send },
      handle: (call, { body }, commit) => triggerFlow(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/campaigns/trigger/schedule/create',
      permission: 'campaigns.trigger.schedule.create',
      limit: 'sending',
      errors: 'standard',
      summary: 'Send a campaign to people at a later time.',
      body: campaignBodies.create,
      reply: { 201: campaignReplies.create },
      handle: (call, { body }, commit) => scheduleFlow(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/campaigns/trigger/schedule/update',
      permission: 'campaigns.trigger.schedule.update',
      limit: 'sending',
      errors: 'standard',
      summary: 'Change when people get a campaign.',
      body: campaignBodies.update,
      reply: { 201: DoneReply },
      handle: (call, { body }, commit) => updateFlowSchedule(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/campaigns/trigger/schedule/delete',
      permission: 'campaigns.trigger.schedule.delete',
      limit: 'sending',
      errors: 'standard',
      summary: 'Cancel an order of a campaign that waits for its time.',
      body: campaignBodies.remove,
      reply: { 201: DoneReply },
      handle: (call, { body }, commit) => deleteFlowSchedule(call, kind, body, commit),
    }),
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
