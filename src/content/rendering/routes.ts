import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { PreviewBody, PreviewQuery, PreviewReply, type PreviewServices, previewTexts } from './preview.ts'

export function previewRoutes(services: PreviewServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/admin/render',
      permission: 'admin',
      ability: 'people.read',
      errors: 'standard',
      summary: 'Render texts with Liquid for the person in the request.',
      query: PreviewQuery,
      body: PreviewBody,
      reply: { 200: PreviewReply },
      handle: async (call, request) => previewTexts(call, request.body, await selectedId(call, request), services),
    }),
  ]
}
