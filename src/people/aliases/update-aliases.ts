import type { Call } from '../../base/call.ts'
import { aliasIdentifier } from '../identity/identifier.ts'
import { changeIdentifiers } from './change-identifiers.ts'
import type { AliasUpdate, IdentifierChanges } from './identifier-changes.ts'
import { readAliasUpdates } from './read-request.ts'
import { type RefusedAliases, refusalNotices } from './refusal-notices.ts'
import { type AliasUpdateReply, aliasUpdateRefusals } from './schema.ts'

/**
 * Changes the names of aliases (contract 10.1), item by item. An item does nothing when the alias is unknown or the new name is taken: the
 * answer names it. For a strict caller it refuses the request.
 */
export async function updateAliases(call: Call, body: unknown): Promise<AliasUpdateReply> {
  const updates = readAliasUpdates(body)
  const pairs = updates.map(({ alias_label, old_alias_name, new_alias_name }) => ({
    to: aliasIdentifier(alias_label, old_alias_name),
    who: aliasIdentifier(alias_label, new_alias_name),
  }))
  const notices = await changeIdentifiers(call, { known: pairs.map(({ to }) => to), given: pairs }, (changes) => {
    const read = refusalNotices(call.strict, 'alias_updates', updateAll(updates, changes), aliasUpdateRefusals)
    // A strict caller gets an error, and the transaction writes nothing.
    read.checkAll()
    return read
  })
  return { ...notices.members(), message: 'success' }
}

function updateAll(updates: readonly AliasUpdate[], changes: IdentifierChanges): RefusedAliases {
  return new Map(
    updates.flatMap((update, i) => {
      const refusal = changes.updateAlias(update)
      return refusal === undefined ? [] : [[i, refusal] as const]
    }),
  )
}
