import { defineRoute, type Route } from '../../base/http/route.ts'
import { type AliasParts, addAliases } from './alias-new.ts'
import { updateAliases } from './alias-update.ts'
import {
  AliasNewBody,
  AliasNewReply,
  AliasUpdateBody,
  AliasUpdateReply,
  RemoveBody,
  RemoveReply,
  RenameBody,
  RenameReply,
} from './naming-schema.ts'
import { removeExternalIds } from './remove.ts'
import { type RenameParts, renameExternalIds } from './rename.ts'

/** Routes that change which aliases and external ids name a person. */
export function namingRoutes(parts: AliasParts & RenameParts): Route[] {
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
