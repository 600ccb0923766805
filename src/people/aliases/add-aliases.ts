import type { Call } from '../../base/call.ts'
import type { Notices } from '../../base/http/notices.ts'
import { findPeople } from '../identity/find-people.ts'
import { aliasIdentifier, type Identifier } from '../identity/identifier.ts'
import type { Identities } from '../identity/identities.ts'
import type { Intake } from '../intake/intake.ts'
import { prepare } from '../intake/prepare-request.ts'
import { blankChange } from '../profile/attributes.ts'
import { changeIdentifiers } from './change-identifiers.ts'
import type { AliasRefusal } from './identifier-changes.ts'
import { type NewAlias, readNewAliases } from './read-request.ts'
import { refusalNotices } from './refusal-notices.ts'
import { type AliasNewReply, newAliasRefusals } from './schema.ts'

export type AddAliasServices = { intake: Intake; identities: Identities }

type PlacedAlias = NewAlias & { readonly index: number }
type AliasForPerson = PlacedAlias & { readonly external_id: string }

/**
 * Gives aliases to people (contract 10.1). An alias without an external_id creates a person, unless the alias is taken. Nothing happens
 * when the external_id is unknown, or when its person already has another alias with this label: the answer names such items. All items are
 * counted. For a strict caller items without effect refuse the request.
 */
export async function addAliases(call: Call, body: unknown, services: AddAliasServices): Promise<AliasNewReply> {
  const aliases = readNewAliases(body).map((alias, index): PlacedAlias => ({ ...alias, index }))
  const withoutId = aliases.filter(({ external_id }) => external_id === null)
  const withId = aliases.filter((each): each is AliasForPerson => each.external_id !== null)
  const claimed = withId.filter((each) => isClaimedBefore(aliases.slice(0, each.index), each))
  const { free, taken } = await findFree(call, withoutId)
  const refused = await giveAliases(
    call,
    withId.filter((each) => !claimed.includes(each)),
    [...claimed, ...taken].map(takenOf),
  )
  // Some of them may have been given to people just now.
  const left = withId.length > 0 ? await findFree(call, free) : { free, taken: [] }
  if (left.free.length > 0) await createPeople(call, left.free, services)
  const notices = noticesOf(call, [...refused, ...left.taken.map(takenOf)])
  return { aliases_processed: aliases.length, ...notices.members(), message: 'success' }
}

type Refused = readonly (readonly [index: number, AliasRefusal])[]

function takenOf({ index }: PlacedAlias): Refused[number] {
  return [index, 'taken']
}

function noticesOf({ strict }: Call, refused: Refused): Notices {
  return refusalNotices(strict, 'user_aliases', new Map(refused), newAliasRefusals)
}

/** Returns whether an earlier item without an external_id has the same alias. That item creates a person with the alias. */
function isClaimedBefore(earlier: readonly NewAlias[], alias: NewAlias): boolean {
  const { value } = identifierOf(alias)
  return earlier.some((each) => each.external_id === null && identifierOf(each).value === value)
}

function identifierOf({ alias_label, alias_name }: NewAlias): Identifier {
  return aliasIdentifier(alias_label, alias_name)
}

type FoundAliases = { free: readonly PlacedAlias[]; taken: readonly PlacedAlias[] }

async function findFree({ db, workspace_id }: Call, aliases: readonly PlacedAlias[]): Promise<FoundAliases> {
  if (aliases.length === 0) return { free: [], taken: [] }
  const found = await findPeople(db, workspace_id, aliases.map(identifierOf), () => undefined, 1)
  const { true: taken = [], false: free = [] } = Object.groupBy(aliases, (_, i) => `${found[i]!.people.length > 0}`)
  return { free, taken }
}

/** Gives aliases to the people with these external ids. Returns all items without effect. `refused` are those that are known before. */
async function giveAliases(call: Call, withId: readonly AliasForPerson[], refused: Refused): Promise<Refused> {
  if (withId.length === 0) {
    noticesOf(call, refused).checkAll()
    return refused
  }
  const externalId = ({ external_id }: AliasForPerson): Identifier => ({ kind: 'external_id', value: external_id })
  const request = {
    known: withId.map(externalId),
    given: withId.map((each) => ({ who: identifierOf(each), to: externalId(each) })),
  }
  return changeIdentifiers(call, request, (changes) => {
    const more = withId.flatMap(({ index, external_id, alias_label, alias_name }): Refused => {
      const refusal = changes.addAlias(external_id, alias_label, alias_name)
      return refusal === undefined ? [] : [[index, refusal]]
    })
    // A strict caller gets an error, and the transaction writes nothing.
    noticesOf(call, [...refused, ...more]).checkAll()
    return [...refused, ...more]
  })
}

/** Creates people without attributes, as a track request by alias does. */
async function createPeople(
  { db, workspace_id }: Call,
  aliases: readonly NewAlias[],
  { intake, identities }: AddAliasServices,
): Promise<void> {
  const change = blankChange()
  const attributes = aliases.map((alias) => ({ identifier: identifierOf(alias), create: true, change }))
  await intake.submit(prepare(db, workspace_id, { attributes, events: [], purchases: [] }, identities))
}
