import type { Tx } from '../../base/db/db.ts'
import { markTexts } from '../../workspace/audit/text-store.ts'
import { findHeld } from '../identity/contact-store.ts'
import { aliasParts, type Identifier } from '../identity/identifier.ts'
import { located } from '../identity/person.ts'
import type { DeletedPerson } from './owned-rule.ts'

/**
 * Marks the identifiers of deleted people in the configuration that the audit has recorded; `finish-moving.ts` replaces them. An address
 * that another person has stays. Call it when the people are deleted.
 */
export async function forgetAudited(tx: Tx, deleted: readonly DeletedPerson[]): Promise<void> {
  const identifiers = deleted.flatMap(({ workspace_id, identifiers }) =>
    identifiers.map((who) => ({ workspace_id, ...who })),
  )
  const addresses = identifiers.filter(isAddress)
  const held = await findHeld(
    tx,
    addresses.map(({ workspace_id, kind, value }) => located(workspace_id, { kind, value })),
  )
  const texts = [...identifiers.filter((who) => !isAddress(who)), ...addresses.filter((_, i) => !held.has(i))]
  if (texts.length === 0) return
  await markTexts(
    tx,
    texts.map((who) => ({ workspace_id: who.workspace_id, text: textOf(who) })),
  )
}

function isAddress({ kind }: Identifier): boolean {
  return kind === 'email' || kind === 'phone'
}

/** Returns the texts by which a deleted person is named anywhere: identifiers, and the ids of Easel. */
export function namesOf(
  { person, mergedProfiles, identifiers }: DeletedPerson,
  formatServiceId: (profile_id: string) => string,
): string[] {
  return [
    ...identifiers.map(textOf),
    ...[person, ...mergedProfiles].map(({ profile_id }) => formatServiceId(profile_id)),
  ]
}

/** Returns the text by which configuration names a person. */
function textOf({ kind, value }: Identifier): string {
  return kind === 'alias' ? aliasParts(value).alias_name : value
}
