import { defineRoute, type Route } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { openPreviews, previewsMax } from './open-previews.ts'
import { PreviewBody, PreviewQuery, PreviewReply, type PreviewServices, previewTexts } from './preview.ts'

export function previewRoutes(services: PreviewServices): Route[] {
  const open = openPreviews()
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
      refusals: { 429: `The workspace has ${previewsMax} previews that are being rendered.` },
      handle: async (call, request) => {
        const workspace_id = await selectedId(call, request)
        return open.run(workspace_id, () => previewTexts(call, request.body, workspace_id, services))
      },
    }),
  ]
}
