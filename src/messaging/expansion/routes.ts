import type { Call } from '../../base/call.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { changeOrder, sendMissed } from './change-order.ts'
import { listOrders, readOrder } from './list-orders.ts'
import { DispatchesQuery, DispatchesReply, DispatchQuery, DispatchReply } from './schema.ts'

export type OrderServices = { readonly wakeups: Wakeups }

const admin = { permission: 'admin', errors: 'standard' } as const
const path = '/admin/dispatches'

/** What became of orders to send, and what an administrator can do about them. */
export function orderRoutes(parts: OrderServices): Route[] {
  return [
    defineRoute({
      ...admin,
      method: 'GET',
      path,
      summary: 'What became of orders to send.',
      ability: 'dispatches.read',
      query: DispatchesQuery,
      reply: { 200: DispatchesReply },
      handle: async (call, request) => listOrders(call, await selectedId(call, request), request.query),
    }),
    defineRoute({
      ...admin,
      method: 'GET',
      path: `${path}/{dispatch_id}`,
      // It says to whom.
      ability: 'messages.read',
      summary: 'One of them, with its slots and what it sends.',
      query: DispatchQuery,
      reply: { 200: DispatchReply },
      handle: async (call, request) => readOrder(call, await selectedId(call, request), request.params.dispatch_id!),
    }),
    actRoute(parts, 'pause', 'Stop sending for now.', (...asked) => changeOrder(...asked, 'paused')),
    actRoute(parts, 'resume', 'Go on sending.', (...asked) => changeOrder(...asked, 'active')),
    actRoute(parts, 'cancel', 'Send to nobody else, for good.', (...asked) => changeOrder(...asked, 'cancelled')),
    actRoute(parts, 'send-missed', 'Send to whom it missed, now.', sendMissed),
  ]
}

type Act = (call: Call, workspace_id: number, shown: string) => Promise<string>

/** Does something with a dispatch and shows how it stands then. */
function actRoute({ wakeups }: OrderServices, verb: string, summary: string, act: Act): Route {
  return defineRoute({
    ...admin,
    method: 'POST',
    path: `${path}/{dispatch_id}/${verb}`,
    ability: 'dispatches.act',
    summary,
    query: DispatchQuery,
    reply: { 200: DispatchReply },
    handle: async (call, request) => {
      const workspace_id = await selectedId(call, request)
      const dispatch_id = await act(call, workspace_id, request.params.dispatch_id!)
      wakeups.wake('expansion')
      return withoutPeople(await readOrder(call, workspace_id, dispatch_id))
    },
  })
}

/** Who may act need not be one who may see to whom. */
function withoutPeople({ dispatch }: DispatchReply): object {
  const { recipients: _, ...sending } = dispatch.sending as { readonly recipients?: unknown }
  return { dispatch: { ...dispatch, sending } }
}
