import { defineIdempotent } from '../../base/http/idempotency.ts'
import type { Route } from '../../base/http/route.ts'
import type { FlowKind } from '../flows/flow.ts'
import { deleteFlowSchedule } from './delete-flow-schedule.ts'
import { flowSendRoutes } from './flow-send-routes.ts'
import type { TriggerServices } from './place-flow-order.ts'
import { scheduleFlow } from './schedule-flow.ts'
import { triggerFlow } from './trigger-flow.ts'
import {
  campaignBodies,
  campaignReplies,
  canvasBodies,
  canvasReplies,
  DoneReply,
  UpdateReply,
} from './trigger-schema.ts'
import { updateFlowSchedule } from './update-flow-schedule.ts'

/** What differs between the endpoints of canvases and those of campaigns. */
type TriggerEndpoints = {
  readonly kind: FlowKind
  /** The first segment of the paths, and the first part of the permissions. */
  readonly prefix: 'canvas' | 'campaigns'
  readonly createLimit: 'canvas_schedule' | 'sending'
  readonly bodies: typeof canvasBodies
  readonly replies: typeof canvasReplies
  readonly summaries: { readonly [endpoint in keyof typeof canvasBodies]: string }
}

const canvas: TriggerEndpoints = {
  kind: 'canvas',
  prefix: 'canvas',
  createLimit: 'canvas_schedule',
  bodies: canvasBodies,
  replies: canvasReplies,
  summaries: {
    send: 'Let people enter a canvas now.',
    create: 'Let people enter a canvas at a later time.',
    update: 'Change when people enter a canvas.',
    remove: 'Cancel an order of a canvas that waits for its time.',
  },
}

const campaign: TriggerEndpoints = {
  kind: 'campaign',
  prefix: 'campaigns',
  createLimit: 'sending',
  bodies: campaignBodies,
  replies: campaignReplies,
  summaries: {
    send: 'Send a campaign to people now.',
    create: 'Send a campaign to people at a later time.',
    update: 'Change when people get a campaign.',
    remove: 'Cancel an order of a campaign that waits for its time.',
  },
}

/** Lets requests, and administrators, trigger canvases and campaigns. */
export function triggerRoutes(services: TriggerServices): Route[] {
  return [...endpoints(canvas, services), ...endpoints(campaign, services), ...flowSendRoutes(services)]
}

function endpoints(of: TriggerEndpoints, services: TriggerServices): Route[] {
  const { kind, prefix, createLimit, bodies, replies, summaries } = of
  return [
    defineIdempotent({
      method: 'POST',
      path: `/${prefix}/trigger/send`,
      permission: `${prefix}.trigger.send`,
      limit: 'sending',
      errors: 'standard',
      summary: summaries.send,
      body: bodies.send,
      reply: { 201: replies.send },
      handle: (call, { body }, commit) => triggerFlow(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: `/${prefix}/trigger/schedule/create`,
      permission: `${prefix}.trigger.schedule.create`,
      limit: createLimit,
      errors: 'standard',
      summary: summaries.create,
      body: bodies.create,
      reply: { 201: replies.create },
      handle: (call, { body }, commit) => scheduleFlow(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: `/${prefix}/trigger/schedule/update`,
      permission: `${prefix}.trigger.schedule.update`,
      limit: 'sending',
      errors: 'standard',
      summary: summaries.update,
      body: bodies.update,
      reply: { 201: UpdateReply },
      handle: (call, { body }, commit) => updateFlowSchedule(call, kind, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: `/${prefix}/trigger/schedule/delete`,
      permission: `${prefix}.trigger.schedule.delete`,
      limit: 'sending',
      errors: 'standard',
      summary: summaries.remove,
      body: bodies.remove,
      reply: { 201: DoneReply },
      handle: (call, { body }, commit) => deleteFlowSchedule(call, kind, body, commit),
    }),
  ]
}
