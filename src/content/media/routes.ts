import { defineRoute, type Route } from '../../base/http/route.ts'
import { createMedia, type MediaServices } from './create-media.ts'
import { MediaBody, MediaReply } from './schema.ts'

export function mediaRoutes(services: MediaServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/media_library/create',
      permission: 'media_library.create',
      errors: 'standard',
      summary: 'Store a picture or a PDF, and get an address for it that messages can use',
      body: MediaBody,
      reply: { 200: MediaReply },
      handle: (call, { body }) => createMedia(call, body, services),
    }),
  ]
}
