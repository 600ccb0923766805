import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { OutcomeReader } from './read-outcomes.ts'
import { type OverviewServices, overviewReader, readHours } from './read-overview.ts'
import { OverviewQuery, OverviewReply } from './schema.ts'

/** The route that says whether all is well in a workspace. */
export function overviewRoutes(services: Omit<OverviewServices, 'outcomes'>): Route[] {
  const read = overviewReader({ ...services, outcomes: new OutcomeReader(services.clock) })
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: '/admin/overview',
      ability: 'usage.read',
      summary: 'Read how a workspace is doing: what needs attention, its requests, messages and due work.',
      query: OverviewQuery,
      reply: { 200: OverviewReply },
      async handle(call, request) {
        const hours = readHours(request.query)
        const overview = await read(call, await selectedId(call, request), hours)
        // A subject can name a person.
        if (request.may?.('messages.read') ?? true) return overview
        return { ...overview, under_way: overview.under_way.map((order) => ({ ...order, subject: null })) }
      },
    }),
  ]
}
