import type { Tx } from '../../base/db/db.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import { aliasIdentifier, type Identifier } from '../../people/identity/identifier.ts'
import { bucketOfId, bucketsOf, located, type Person, person } from '../../people/identity/person.ts'
import { lockKept } from '../../people/profile/kept-people-store.ts'
import type { Properties, Recipient, RecipientName } from '../orders/sending.ts'
import { findAddressOwners } from './resolve-recipients-store.ts'

/** Somebody who was named and whom nobody is, and the bucket of that identifier. */
export type UnknownRecipient = { readonly bucket: number; readonly asked: object }

export type ResolvedRecipients = {
  readonly people: Person[]
  readonly nobody: UnknownRecipient[]
  /** Of whoever is named twice the last ones. */
  readonly properties: ReadonlyMap<string, Properties>
}

/** Who is named, each once, however often. Nobody of them departs before `tx` ends. */
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
  const nobody = new Map<string, UnknownRecipient>()
  for (const [i, recipient] of recipients.entries()) {
    const one = found[i] && kept.get(found[i].profile_id)
    if (one && recipient.properties) properties.set(one.profile_id, recipient.properties)
    const asked = one ? undefined : askedOf(recipient)
    if (!asked) continue
    const { kind, value } = identifierOf(asked)
    nobody.set(JSON.stringify(asked), { bucket: bucketsOf(workspace_id, kind, value).bucket, asked })
  }
  const people = new Map([...kept.values()].map((one) => [one.profile_id, one]))
  return { people: [...people.values()], nobody: [...nobody.values()], properties }
}

/** Whom each of them names before anybody is locked. */
async function findEach(
  tx: Tx,
  workspace_id: number,
  recipients: readonly Recipient[],
): Promise<(Person | undefined)[]> {
  const exclusive = recipients.filter((each) => 'external_user_id' in each || 'user_alias' in each)
  const shared = recipients.filter((each) => 'email' in each)
  const owners = await findPeople(tx, workspace_id, exclusive.map(identifierOf), () => undefined, 1)
  const sharing = await findAddressOwners(
    tx,
    shared.map((each) => {
      return { ...located(workspace_id, identifierOf(each)), prioritization: each.prioritization ?? [] }
    }),
  )
  const found = new Map<Recipient, Person | undefined>([
    ...exclusive.map((each, i) => [each, owners[i]!.people[0]] as const),
    ...shared.map((each, i) => [each, sharing.get(i)] as const),
  ])
  return recipients.map((each) => {
    const id = 'profile_id' in each ? each.profile_id : undefined
    return id === undefined ? found.get(each) : person(bucketOfId(id), id)
  })
}

/** As it was asked for; undefined for somebody who is in the order because of a merge. */
function askedOf(recipient: Recipient): RecipientName | undefined {
  const { properties: _, ...asked } = recipient
  if ('service_id' in asked) return { service_id: asked.service_id }
  return 'profile_id' in asked ? undefined : asked
}

function identifierOf(asked: RecipientName): Identifier {
  if ('external_user_id' in asked) return { kind: 'external_id', value: asked.external_user_id }
  if ('email' in asked) return { kind: 'email', value: asked.email }
  if ('service_id' in asked) return { kind: 'service_id', value: asked.service_id }
  return aliasIdentifier(asked.user_alias.alias_label, asked.user_alias.alias_name)
}
