import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedWorkspace } from '../../workspace/settings/selected.ts'
import { answerWhy, type WhyParts } from './why.ts'
import { WhyQuery, WhyReply } from './why-schema.ts'

export function whyRoutes(parts: WhyParts): Route[] {
  return [
    defineRoute({
      permission: 'admin',
      errors: 'standard',
      method: 'GET',
      path: '/admin/why',
      ability: 'people.read',
      summary: 'Why somebody got a message or did not.',
      query: WhyQuery,
      reply: { 200: WhyReply },
      handle: async (call, request) => answerWhy(call, request.query, await selectedWorkspace(call, request), parts),
    }),
  ]
}
