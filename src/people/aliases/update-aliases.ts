import type { Call } from '../../base/call.ts'
import { aliasIdentifier } from '../identity/identifier.ts'
import { changeIdentifiers } from './change-identifiers.ts'
import { readAliasUpdates } from './read-request.ts'
import type { AliasUpdateReply } from './schema.ts'

/** Changes the names of aliases (contract 10.1), item by item. Nothing happens when the alias is unknown or the new name is taken. */
export async function updateAliases(call: Call, body: unknown): Promise<AliasUpdateReply> {
  const updates = readAliasUpdates(body)
  const pairs = updates.map(({ alias_label, old_alias_name, new_alias_name }) => ({
    to: aliasIdentifier(alias_label, old_alias_name),
    who: aliasIdentifier(alias_label, new_alias_name),
  }))
  await changeIdentifiers(call, { known: pairs.map(({ to }) => to), given: pairs }, (changes) => {
    for (const update of updates) changes.updateAlias(update)
  })
  return { message: 'success' }
}
