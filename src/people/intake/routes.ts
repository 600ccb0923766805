import { defineRoute, type Route } from '../../base/http/route.ts'
import { type AliasParts, addAliases } from '../aliases/alias-new.ts'
import { updateAliases } from '../aliases/alias-update.ts'
import {
  AliasNewBody,
  AliasNewReply,
  AliasUpdateBody,
  AliasUpdateReply,
  RemoveBody,
  RemoveReply,
  RenameBody,
  RenameReply,
} from '../aliases/naming-schema.ts'
import { removeExternalIds } from '../aliases/remove.ts'
import { type RenameParts, renameExternalIds } from '../aliases/rename.ts'
import { type ExportParts, exportIds } from '../export/export.ts'
import { deletePeople } from '../merge/delete.ts'
import { type IdentifyParts, identify } from '../merge/identify.ts'
import { merge } from '../merge/merge-people.ts'
import { DeleteReply, deleteBody, IdentifyBody, IdentifyReply, MergeBody, MergeReply } from '../merge/request-schema.ts'
import { exportBody, exportReply, TrackReply, trackBody } from './schema.ts'
import { bulkTrack, type TrackParts, track } from './track.ts'

export function userRoutes(parts: TrackParts & ExportParts & IdentifyParts & AliasParts & RenameParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/track',
      permission: 'users.track',
      limit: 'track',
      errors: 'track',
      summary: 'Record events and purchases, update attributes',
      body: trackBody(parts.serviceName),
      reply: { 201: TrackReply },
      handle: (call, request) => track(call, request, parts),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/track/bulk',
      permission: 'users.track',
      limit: 'track',
      errors: 'track',
      summary: 'Record and update up to 1,000 objects at once, 100 per person',
      body: trackBody(parts.serviceName),
      reply: { 201: TrackReply },
      handle: (call, request) => bulkTrack(call, request, parts),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/export/ids',
      permission: 'users.export.ids',
      limit: 'export_ids',
      errors: 'standard',
      summary: 'Export profiles by identifier',
      body: exportBody(parts.serviceName),
      reply: { 201: exportReply(parts.serviceName) },
      handle: (call, { body }) => exportIds(call, body, parts),
    }),
    ...namingRoutes(parts),
    ...workRoutes(parts),
  ]
}

function workRoutes(parts: IdentifyParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/merge',
      permission: 'users.merge',
      errors: 'standard',
      summary: 'Merge profiles into others, soon',
      body: MergeBody,
      reply: { 202: MergeReply },
      handle: (call, request) => merge(call, request, parts),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/delete',
      permission: 'users.delete',
      errors: 'standard',
      summary: 'Delete profiles, soon',
      body: deleteBody(parts.serviceName),
      reply: { 201: DeleteReply },
      handle: (call, request) => deletePeople(call, request, parts),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/identify',
      permission: 'users.identify',
      errors: 'standard',
      summary: 'Give people known by an alias or an address their external_id',
      body: IdentifyBody,
      reply: { 201: IdentifyReply },
      handle: (call, request) => identify(call, request, parts),
    }),
  ]
}

/** What changes whom an alias or an external_id names. */
function namingRoutes(parts: AliasParts & RenameParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/alias/new',
      permission: 'users.alias.new',
      errors: 'standard',
      summary: 'Add aliases to people, or make people who have only an alias',
      body: AliasNewBody,
      reply: { 201: AliasNewReply },
      handle: (call, { body }) => addAliases(call, body, parts),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/alias/update',
      permission: 'users.alias.update',
      errors: 'standard',
      summary: 'Give aliases other names',
      body: AliasUpdateBody,
      reply: { 201: AliasUpdateReply },
      handle: (call, { body }) => updateAliases(call, body),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/external_ids/rename',
      permission: 'users.external_ids.rename',
      errors: 'standard',
      summary: 'Give people another external_id beside the one they have',
      body: RenameBody,
      reply: { 201: RenameReply },
      handle: (call, { body }) => renameExternalIds(call, body, parts),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/external_ids/remove',
      permission: 'users.external_ids.remove',
      errors: 'standard',
      summary: 'Remove external ids that people had before a rename',
      body: RemoveBody,
      reply: { 201: RemoveReply },
      handle: (call, { body }) => removeExternalIds(call, body),
    }),
  ]
}
