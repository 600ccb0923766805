import type { Call } from '../../base/call.ts'
import { findPeople } from '../identity/find-people.ts'
import { aliasIdentifier, type Identifier } from '../identity/identifier.ts'
import type { Identities } from '../identity/identities.ts'
import type { Intake } from '../intake/intake.ts'
import { prepare } from '../intake/prepare-request.ts'
import { blankChange } from '../profile/attributes.ts'
import { changeIdentifiers } from './change-identifiers.ts'
import { type NewAlias, readNewAliases } from './read-request.ts'
import type { AliasNewReply } from './schema.ts'

export type AddAliasServices = { intake: Intake; identities: Identities }

type AliasForPerson = NewAlias & { readonly external_id: string }

/**
 * Gives aliases to people (contract 10.1). An alias without an external_id creates a person, unless the alias is taken. Nothing happens
 * when the external_id is unknown, or when its person already has an alias with this label. All items are counted.
 */
export async function addAliases(call: Call, body: unknown, services: AddAliasServices): Promise<AliasNewReply> {
  const aliases = readNewAliases(body)
  const withoutId = aliases.filter(({ external_id }) => external_id === null)
  const withId = aliases.filter(
    (each, i): each is AliasForPerson => each.external_id !== null && !isClaimedBefore(aliases.slice(0, i), each),
  )
  if (withId.length > 0) await giveAliases(call, withId)
  if (withoutId.length > 0) await createPeople(call, withoutId.map(identifierOf), services)
  return { aliases_processed: aliases.length, message: 'success' }
}

/** Returns whether an earlier item without an external_id has the same alias. That item creates a person with the alias. */
function isClaimedBefore(earlier: readonly NewAlias[], alias: NewAlias): boolean {
  const { value } = identifierOf(alias)
  return earlier.some((each) => each.external_id === null && identifierOf(each).value === value)
}

function identifierOf({ alias_label, alias_name }: NewAlias): Identifier {
  return aliasIdentifier(alias_label, alias_name)
}

async function giveAliases(call: Call, withId: readonly AliasForPerson[]): Promise<void> {
  const externalId = ({ external_id }: AliasForPerson): Identifier => ({ kind: 'external_id', value: external_id })
  const request = {
    known: withId.map(externalId),
    given: withId.map((each) => ({ who: identifierOf(each), to: externalId(each) })),
  }
  await changeIdentifiers(call, request, (changes) => {
    for (const { external_id, alias_label, alias_name } of withId)
      changes.addAlias(external_id, alias_label, alias_name)
  })
}

/** Creates people without attributes, as a track request by alias does. Skips aliases that are taken. */
async function createPeople(
  call: Call,
  aliases: readonly Identifier[],
  { intake, identities }: AddAliasServices,
): Promise<void> {
  const { db, workspace_id } = call
  const found = await findPeople(db, workspace_id, aliases, () => undefined, 1)
  const change = blankChange()
  const attributes = found
    .filter(({ people }) => people.length === 0)
    .map(({ identifier }) => ({ identifier, create: true, change }))
  if (attributes.length > 0) {
    await intake.submit(prepare(db, workspace_id, { attributes, events: [], purchases: [] }, identities))
  }
}
