import { defineRoute, type Route } from '../../base/http/route.ts'
import { type AddAliasServices, addAliases } from './add-aliases.ts'
import { removeExternalIds } from './remove-external-ids.ts'
import { type RenameServices, renameExternalIds } from './rename-external-ids.ts'
import {
  AliasNewBody,
  AliasNewReply,
  AliasUpdateBody,
  AliasUpdateReply,
  RemoveBody,
  RemoveReply,
  RenameBody,
  RenameReply,
} from './schema.ts'
import { updateAliases } from './update-aliases.ts'

/** Routes that change which aliases and external ids name a person. */
export function namingRoutes(services: AddAliasServices & RenameServices): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/users/alias/new',
      permission: 'users.alias.new',
      errors: 'standard',
      summary: 'Add aliases to people, or create people who have only an alias',
      body: AliasNewBody,
      reply: { 201: AliasNewReply },
      handle: (call, { body }) => addAliases(call, body, services),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/alias/update',
      permission: 'users.alias.update',
      errors: 'standard',
      summary: 'Change the names of aliases',
      body: AliasUpdateBody,
      reply: { 201: AliasUpdateReply },
      handle: (call, { body }) => updateAliases(call, body),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/external_ids/rename',
      permission: 'users.external_ids.rename',
      errors: 'standard',
      summary: 'Give people a new external_id and keep the former one',
      body: RenameBody,
      reply: { 201: RenameReply },
      handle: (call, { body }) => renameExternalIds(call, body, services),
    }),
    defineRoute({
      method: 'POST',
      path: '/users/external_ids/remove',
      permission: 'users.external_ids.remove',
      errors: 'standard',
      summary: 'Remove former external ids of people',
      body: RemoveBody,
      reply: { 201: RemoveReply },
      handle: (call, { body }) => removeExternalIds(call, body),
    }),
  ]
}
