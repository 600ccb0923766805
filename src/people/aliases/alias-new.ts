import type { Call } from '../../base/call.ts'
import { findPeople } from '../identity/find-people.ts'
import { aliasIdentifier, type Identifier } from '../identity/identifier.ts'
import type { Identities } from '../identity/identities.ts'
import type { Intake } from '../intake/intake.ts'
import { prepare } from '../intake/prepare.ts'
import { blankChange } from '../profile/attributes.ts'
import { changeNames } from './change-names.ts'
import { type AskedAlias, readNewAliases } from './naming-request.ts'
import type { AliasNewReply } from './naming-schema.ts'

export type AliasParts = { intake: Intake; identities: Identities }

type OwnedAlias = AskedAlias & { readonly external_id: string }

/**
 * Gives aliases to people (contract 10.1). One without an external_id makes an alias-only person when nobody has it; one with an
 * external_id that nobody has, or with a label that its person has already, does nothing. Every item is counted.
 */
export async function addAliases(call: Call, body: unknown, parts: AliasParts): Promise<AliasNewReply> {
  const asked = readNewAliases(body)
  const free = asked.filter(({ external_id }) => external_id === null)
  const owned = asked.filter(
    (each, i): each is OwnedAlias => each.external_id !== null && !isNamed(asked.slice(0, i), each),
  )
  if (owned.length > 0) await give(call, owned)
  if (free.length > 0) await make(call, free.map(identifierOf), parts)
  return { aliases_processed: asked.length, message: 'success' }
}

/** An earlier item makes somebody of the same alias, if nobody has it: it cannot become somebody else's. */
function isNamed(earlier: readonly AskedAlias[], alias: AskedAlias): boolean {
  const { value } = identifierOf(alias)
  return earlier.some((each) => each.external_id === null && identifierOf(each).value === value)
}

function identifierOf({ alias_label, alias_name }: AskedAlias): Identifier {
  return aliasIdentifier(alias_label, alias_name)
}

async function give(call: Call, owned: readonly OwnedAlias[]): Promise<void> {
  const externalId = ({ external_id }: OwnedAlias): Identifier => ({ kind: 'external_id', value: external_id })
  const asked = {
    known: owned.map(externalId),
    given: owned.map((each) => ({ who: identifierOf(each), to: externalId(each) })),
  }
  await changeNames(call, asked, (naming) => {
    for (const { external_id, alias_label, alias_name } of owned) naming.addAlias(external_id, alias_label, alias_name)
  })
}

/** As a track request does it that creates by alias and sets nothing. Who has the alias already is left alone. */
async function make(call: Call, aliases: readonly Identifier[], { intake, identities }: AliasParts): Promise<void> {
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
