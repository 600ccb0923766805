import { defineIdempotent } from '../../base/http/idempotency.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { describeCanvas } from './flow-details.ts'
import { listCanvases } from './flow-list.ts'
import type { TriggerParts } from './flow-order.ts'
import { createSchedule } from './flow-schedule-create.ts'
import { deleteFlowSchedule } from './flow-schedule-delete.ts'
import { updateFlowSchedule } from './flow-schedule-update.ts'
import {
  CanvasesReply,
  CanvasQuery,
  CanvasReply,
  canvasBodies,
  canvasReplies,
  DoneReply,
  ListQuery,
} from './flow-schema.ts'
import { sendFlow } from './flow-send.ts'
import { canvasWords as words } from './flow-words.ts'

export function canvasRoutes(parts: TriggerParts): Route[] {
  return [
    defineIdempotent({
      method: 'POST',
      path: '/canvas/trigger/send',
      permission: 'canvas.trigger.send',
      limit: 'sending',
      errors: 'standard',
      summary: 'Let people enter a canvas now',
      body: canvasBodies.send,
      reply: { 201: canvasReplies.send },
      handle: (call, { body }, commit) => sendFlow(call, body, { words, parts, commit }),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/canvas/trigger/schedule/create',
      permission: 'canvas.trigger.schedule.create',
      limit: 'canvas_schedule',
      errors: 'standard',
      summary: 'Let people enter a canvas at a later time',
      body: canvasBodies.create,
      reply: { 201: canvasReplies.create },
      handle: (call, { body }, commit) => createSchedule(call, body, { words, parts, commit }),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/canvas/trigger/schedule/update',
      permission: 'canvas.trigger.schedule.update',
      limit: 'sending',
      errors: 'standard',
      summary: 'Change when people enter a canvas',
      body: canvasBodies.update,
      reply: { 201: DoneReply },
      handle: (call, { body }, commit) => updateFlowSchedule(call, body, { words, parts, commit }),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/canvas/trigger/schedule/delete',
      permission: 'canvas.trigger.schedule.delete',
      limit: 'sending',
      errors: 'standard',
      summary: 'Take back an order to a canvas that waits for its time',
      body: canvasBodies.remove,
      reply: { 201: DoneReply },
      handle: (call, { body }, commit) => deleteFlowSchedule(call, body, { words, commit }),
    }),
    defineRoute({
      method: 'GET',
      path: '/canvas/list',
      permission: 'canvas.list',
      errors: 'standard',
      summary: 'Canvases, 100 to a page',
      query: ListQuery,
      reply: { 200: CanvasesReply },
      handle: (call, { query }) => listCanvases(call, query),
    }),
    defineRoute({
      method: 'GET',
      path: '/canvas/details',
      permission: 'canvas.details',
      errors: 'standard',
      summary: 'One canvas, with its variants and steps',
      query: CanvasQuery,
      reply: { 200: CanvasReply },
      handle: (call, { query }) => describeCanvas(call, query, parts.graphs),
    }),
  ]
}
