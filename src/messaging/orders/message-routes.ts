import Type from 'typebox'
import { defineIdempotent } from '../../base/http/idempotency.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { BroadcastsQuery, BroadcastsReply } from './broadcast-schema.ts'
import { deleteMessageSchedule } from './delete-message-schedule.ts'
import { endTimeOf, listBroadcasts } from './list-broadcasts.ts'
import {
  DeleteBody,
  DeleteReply,
  ScheduleBody,
  ScheduleReply,
  SendBody,
  SendReply,
  UpdateBody,
  UpdateReply,
} from './message-schema.ts'
import type { MessageServices } from './place-message-order.ts'
import { scheduleMessages } from './schedule-message.ts'
import { sendMessages } from './send-message.ts'
import { updateMessageSchedule } from './update-message-schedule.ts'

export function messageRoutes(services: MessageServices): Route[] {
  return [
    defineIdempotent({
      method: 'POST',
      path: '/messages/send',
      permission: 'messages.send',
      limit: 'sending',
      errors: 'standard',
      summary: 'Send messages to people now.',
      body: SendBody,
      reply: { 201: SendReply },
      handle: (call, { body }, commit) => sendMessages(call, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/messages/schedule/create',
      permission: 'messages.schedule.create',
      limit: 'sending',
      errors: 'standard',
      summary: 'Send messages to people at a later time.',
      body: ScheduleBody,
      reply: { 201: ScheduleReply },
      handle: (call, { body }, commit) => scheduleMessages(call, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/messages/schedule/update',
      permission: 'messages.schedule.update',
      limit: 'sending',
      errors: 'standard',
      summary: 'Change messages that wait for their time.',
      body: UpdateBody,
      reply: { 201: UpdateReply },
      handle: (call, { body }, commit) => updateMessageSchedule(call, body, services, commit),
    }),
    defineIdempotent({
      method: 'POST',
      path: '/messages/schedule/delete',
      permission: 'messages.schedule.delete',
      limit: 'sending',
      errors: 'standard',
      summary: 'Cancel messages that wait for their time.',
      body: DeleteBody,
      reply: { 201: DeleteReply },
      handle: (call, { body }, commit) => deleteMessageSchedule(call, body, commit),
    }),
    defineRoute({
      method: 'GET',
      path: '/messages/scheduled_broadcasts',
      permission: 'messages.schedule_broadcasts',
      errors: 'standard',
      summary: 'List what canvases and campaigns send next by their own schedules.',
      query: BroadcastsQuery,
      reply: { 200: BroadcastsReply },
      handle: (call, request) => listBroadcasts(call, endTimeOf(request), services),
    }),
    defineRoute({
      method: 'POST',
      path: '/messages/scheduled_broadcasts',
      permission: 'messages.schedule_broadcasts',
      errors: 'standard',
      summary: 'List the same, with end_time in the body or in the query.',
      query: Type.Partial(BroadcastsQuery),
      body: Type.Partial(BroadcastsQuery),
      reply: { 200: BroadcastsReply },
      handle: (call, request) => listBroadcasts(call, endTimeOf(request), services),
    }),
  ]
}
