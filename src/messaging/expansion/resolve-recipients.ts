import type { Tx } from '../../base/db/db.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import { aliasIdentifier, type Identifier } from '../../people/identity/identifier.ts'
import { bucketOfId, bucketsOf, located, type Person, person } from '../../people/identity/person.ts'
import { lockKept } from '../../people/profile/kept-people-store.ts'
import type { Properties, Recipient, RecipientName } from '../orders/sending.ts'
import { findAddressOwners } from './resolve-recipients-store.ts'

/** A recipient with an identifier that no person has, as the request named it, and the bucket of the identifier. */
export type UnknownRecipient = { readonly bucket: number; readonly asked: object }

export type ResolvedRecipients = {
  readonly people: Person[]
  readonly unknown: UnknownRecipient[]
  /** By `profile_id`. For a person that is named twice, the last ones. */
  readonly properties: ReadonlyMap<string, Properties>
}

/** Finds the people that recipients name, each once. None of them is merged or deleted before `tx` ends. */
export async function resolveRecipients(
  tx: Tx,
  workspace_id: number,
  recipients: readonly Recipient[],
): Promise<ResolvedRecipients> {
  const found = await findEach(tx, workspace_id, recipients)
  const kept = await lockKept(
    tx,
    workspace_id,
    found.filter((one) => one !== undefined),
  )
  const properties = new Map<string, Properties>()
  const unknown = new Map<string, UnknownRecipient>()
  for (const [i, recipient] of recipients.entries()) {
    const one = found[i] && kept.get(found[i].profile_id)
    if (one && recipient.properties) properties.set(one.profile_id, recipient.properties)
    const asked = one ? undefined : nameOf(recipient)
    if (!asked) continue
    const { kind, value } = identifierOf(asked)
    unknown.set(JSON.stringify(asked), { bucket: bucketsOf(workspace_id, kind, value).bucket, asked })
  }
  const people = new Map([...kept.values()].map((one) => [one.profile_id, one]))
  return { people: [...people.values()], unknown: [...unknown.values()], properties }
}

/** Finds the person of each recipient, without locks. */
async function findEach(
  tx: Tx,
  workspace_id: number,
  recipients: readonly Recipient[],
): Promise<(Person | undefined)[]> {
  const unique = recipients.filter((each) => 'external_user_id' in each || 'user_alias' in each)
  const shared = recipients.filter((each) => 'email' in each)
  const owners = await findPeople(tx, workspace_id, unique.map(identifierOf), () => undefined, 1)
  const addressOwners = await findAddressOwners(
    tx,
    shared.map((each) => {
      return { ...located(workspace_id, identifierOf(each)), prioritization: each.prioritization ?? [] }
    }),
  )
  const found = new Map<Recipient, Person | undefined>([
    ...unique.map((each, i) => [each, owners[i]!.people[0]] as const),
    ...shared.map((each, i) => [each, addressOwners.get(i)] as const),
  ])
  return recipients.map((each) => {
    const id = 'profile_id' in each ? each.profile_id : undefined
    return id === undefined ? found.get(each) : person(bucketOfId(id), id)
  })
}

/** Returns how the request named a recipient. Undefined for one that a merge has changed to a `profile_id`. */
function nameOf(recipient: Recipient): RecipientName | undefined {
  const { properties: _, ...name } = recipient
  if ('service_id' in name) return { service_id: name.service_id }
  return 'profile_id' in name ? undefined : name
}

function identifierOf(name: RecipientName): Identifier {
  if ('external_user_id' in name) return { kind: 'external_id', value: name.external_user_id }
  if ('email' in name) return { kind: 'email', value: name.email }
  if ('service_id' in name) return { kind: 'service_id', value: name.service_id }
  return aliasIdentifier(name.user_alias.alias_label, name.user_alias.alias_name)
}
