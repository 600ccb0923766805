import type { Call } from '../../base/call.ts'
import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import type { Sending } from '../orders/sending.ts'
import { changeOrder, sendMissed } from './change-order.ts'
import { listOrders, readOrder } from './list-orders.ts'
import { DispatchesQuery, DispatchesReply, DispatchQuery, DispatchReply } from './schema.ts'

export type OrderServices = { readonly wakeups: Wakeups }

const admin = { permission: 'admin', errors: 'standard' } as const
const path = '/admin/dispatches'

/** Routes by which an administrator reads, pauses, resumes and cancels orders. */
export function orderRoutes(services: OrderServices): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'List orders with counts of their messages.',
      ability: 'dispatches.read',
      query: DispatchesQuery,
      reply: { 200: DispatchesReply },
      handle: async (call, request) =>
        listOrders(call, await selectedId(call, request), request.query, showsContent(request)),
    }),
    defineTagged({
      ...admin,
      method: 'GET',
      path: `${path}/{dispatch_id}`,
      // The answer names the recipients.
      ability: 'messages.read',
      summary: 'Read an order with its slots and what it sends.',
      query: DispatchQuery,
      reply: { 200: DispatchReply },
      handle: async (call, request) => readOrder(call, await selectedId(call, request), request.params.dispatch_id!),
    }),
    changeRoute(services, 'pause', 'Pause an order: send nothing until it is resumed.', (...order) =>
      changeOrder(...order, 'paused'),
    ),
    changeRoute(services, 'resume', 'Resume a paused order.', (...order) => changeOrder(...order, 'active')),
    changeRoute(services, 'cancel', 'Cancel an order for good.', (...order) => changeOrder(...order, 'cancelled')),
    changeRoute(services, 'send-missed', 'Send an order to its missed recipients now.', sendMissed),
  ]
}

type Change = (call: Call, workspace_id: number, dispatch_id: string) => Promise<string>

/** Defines a route that changes an order and returns its new state. */
function changeRoute({ wakeups }: OrderServices, verb: string, summary: string, change: Change): Route {
  return defineRoute({
    ...admin,
    method: 'POST',
    path: `${path}/{dispatch_id}/${verb}`,
    ability: 'dispatches.act',
    summary,
    query: DispatchQuery,
    reply: { 200: DispatchReply },
    refusals: { 409: 'The state of the order does not allow it.' },
    handle: async (call, request) => {
      const workspace_id = await selectedId(call, request)
      const dispatch_id = await change(call, workspace_id, request.params.dispatch_id!)
      wakeups.wake('expansion')
      const reply = await readOrder(call, workspace_id, dispatch_id)
      return showsContent(request) ? withoutRecipients(reply) : withoutContent(reply)
    },
  })
}

/** Content can name people, so an account needs the ability that shows messages, and with it `view_pii`. */
function showsContent({ may }: Request): boolean {
  return may?.('messages.read') ?? true
}

function withoutContent({ dispatch }: DispatchReply): object {
  const { segment_id, broadcast, flow, campaign } = dispatch.sending as Partial<Sending>
  const target = flow && { kind: flow.kind, id: flow.id, by: flow.by }
  const sending = { segment_id, broadcast, ...(target && { flow: target }), campaign }
  return { dispatch: { ...dispatch, subject: null, sending } }
}

/** The ability to change orders does not include reading who the recipients are. */
function withoutRecipients({ dispatch }: DispatchReply): object {
  const { recipients: _, ...sending } = dispatch.sending as { readonly recipients?: unknown }
  return { dispatch: { ...dispatch, sending } }
}
