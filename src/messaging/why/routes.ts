import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedWorkspace } from '../../workspace/settings/selected.ts'
import { answerWhy, type WhyServices } from './answer-why.ts'
import { WhyQuery, WhyReply } from './why-schema.ts'

/** Returns the route that explains decisions to an administrator. */
export function whyRoutes(services: WhyServices): Route[] {
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: '/admin/why',
      ability: 'people.read',
      summary: 'Explain why a person got a message or did not.',
      query: WhyQuery,
      reply: { 200: WhyReply },
      handle: async (call, request) => answerWhy(call, request.query, await selectedWorkspace(call, request), services),
    }),
  ]
}
