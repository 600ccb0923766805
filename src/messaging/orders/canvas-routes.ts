import { defineIdempotent } from '../../base/http/idempotency.ts'
import type { Route } from '../../base/http/route.ts'
import { deleteFlowSchedule } from './delete-flow-schedule.ts'
import type { TriggerServices } from './place-flow-order.ts'
import { scheduleFlow } from './schedule-flow.ts'
import { triggerFlow } from './trigger-flow.ts'
import { canvasBodies, canvasReplies, DoneReply } from './trigger-schema.ts'
import { updateFlowSchedule } from './update-flow-schedule.ts'

const kind = 'canvas'

/** Lets requests trigger canvases. */
export function canvasRoutes(services: TriggerServices): Route[] {
  return [
    defineIdempotent({
      method: 'POST',
      path: '/canvas/trigger/send',
      permission: 'canvas.trigger.send',
      limit: 'sending',
      errors: 'standard',
      summary: 'Let people enter a canvas now.',
      body: canvasBodies.send,
      reply: { 201: canvasReplies.send },
      handle: (call, { body }, commit) => triggerFlow(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/canvas/trigger/schedule/create',
      permission: 'canvas.trigger.schedule.create',
      limit: 'canvas_schedule',
      errors: 'standard',
      summary: 'Let people enter a canvas at a later time.',
      body: canvasBodies.create,
      reply: { 201: canvasReplies.create },
      handle: (call, { body }, commit) => scheduleFlow(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/canvas/trigger/schedule/update',
      permission: 'canvas.trigger.schedule.update',
      limit: 'sending',
      errors: 'standard',
      summary: 'Change when people enter a canvas.',
      body: canvasBodies.update,
      reply: { 201: DoneReply },
      handle: (call, { body }, commit) => updateFlowSchedule(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/canvas/trigger/schedule/delete',
      permission: 'canvas.trigger.schedule.delete',
      limit: 'sending',
      errors: 'standard',
      summary: 'Cancel an order of a canvas that waits for its time.',
      body: canvasBodies.remove,
      reply: { 201: DoneReply },
      handle: (call, { body }, commit) => deleteFlowSchedule(call, kind, body, commit),
    }),
  ]
}
