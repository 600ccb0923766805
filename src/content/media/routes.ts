import { defineRoute, type Route } from '../../base/http/route.ts'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import { createMedia, createMediaForAdmin, type MediaServices } from './create-media.ts'
import { listMedia } from './list-media.ts'
import { MediaBody, MediaListReply, MediaQuery, MediaReply, StoredMediaReply } from './schema.ts'

const admin = { permission: 'admin', errors: 'standard', path: '/admin/media' } as const

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
    defineRoute({
      ...admin,
      method: 'GET',
      ability: 'email_templates.read',
      summary: 'List the files of the media library.',
      query: MediaQuery,
      reply: { 200: MediaListReply },
      handle: async (call, request) => listMedia(call, request.query, await selectedId(call, request), services),
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      ability: 'email_templates.edit',
      summary: 'Store a picture or a PDF in the media library.',
      query: WorkspaceQuery,
      body: MediaBody,
      reply: { 201: StoredMediaReply },
      handle: async (call, request) =>
        createMediaForAdmin(call, await selectedId(call, request), request.body, services),
    }),
  ]
}
