import type { Call } from '../../base/call.ts'
import { aliasIdentifier } from '../identity/identifier.ts'
import { changeNames } from './change-names.ts'
import { readAliasUpdates } from './naming-request.ts'
import type { AliasUpdateReply } from './naming-schema.ts'

/** Gives aliases other names (contract 10.1), item by item. An alias that nobody has and a name that is taken do nothing. */
export async function updateAliases(call: Call, body: unknown): Promise<AliasUpdateReply> {
  const updates = readAliasUpdates(body)
  const pairs = updates.map(({ alias_label, old_alias_name, new_alias_name }) => ({
    to: aliasIdentifier(alias_label, old_alias_name),
    who: aliasIdentifier(alias_label, new_alias_name),
  }))
  await changeNames(call, { known: pairs.map(({ to }) => to), given: pairs }, (naming) => {
    for (const update of updates) naming.updateAlias(update)
  })
  return { message: 'success' }
}
