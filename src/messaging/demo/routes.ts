import { conflict } from '../../base/errors.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import type { RefreshAfter } from '../../workspace/settings/config-cache.ts'
import { type DemoServices, loadDemo } from './load-demo.ts'
import { DemoReply, isBeingLoaded } from './schema.ts'

/** The route that makes the workspace of the demo. One call at a time makes it in this process; the database decides between several. */
export function demoRoutes(services: DemoServices & { readonly refreshAfter: RefreshAfter }): Route[] {
  const { refreshAfter, wakeups } = services
  let isLoading = false
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'POST',
      path: '/admin/demo',
      summary: 'Make the workspace demo: a thousand invented people of a shop, and what happened in 90 days.',
      ability: 'workspaces.create',
      reply: { 201: DemoReply },
      refusals: { 409: 'There is a workspace demo already, or it is being made.' },
      async handle(call) {
        if (isLoading) throw conflict(isBeingLoaded)
        isLoading = true
        try {
          const reply = await refreshAfter(loadDemo(call, services))
          for (const name of ['flows', 'expansion', 'journeys', 'delivery', 'signals'] as const) wakeups.wake(name)
          return reply
        } finally {
          isLoading = false
        }
      },
    }),
  ]
}
