import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import type { Identifier } from '../../people/identity/identifier.ts'
import { located } from '../../people/identity/person.ts'
import { prepare } from '../../people/intake/prepare-request.ts'
import type { AttributeItem } from '../../people/intake/split-track.ts'
import type { TrackServices } from '../../people/intake/track.ts'
import { chooseCandidate, searchFor } from '../../people/merge/choose-candidate.ts'
import { findCandidates } from '../../people/merge/people-store.ts'
import { isBlank } from '../../people/profile/attributes.ts'
import { type AttributeWrite, beginRecipient } from './read-trigger-recipients.ts'
import { ofNobody } from './trigger-schema.ts'

export type AttributeServices = Pick<TrackServices, 'intake' | 'identities'> & {
  formatServiceId(profile_id: string): string
}

/**
 * Writes the attributes of recipients through the intake, in sequence with track requests. Returns when they are committed. Throws 400 when
 * a profile would get too large, and for strict callers when an operation has no effect or a recipient does not exist.
 */
export async function writeAttributes(
  call: Call,
  writes: readonly AttributeWrite[],
  services: AttributeServices,
  notices: Notices,
): Promise<void> {
  const items = await choosePeople(call, writes, services)
  const attributes = items.filter((item) => item !== undefined)
  // The attributes of a strict caller are written for all recipients or for none.
  const accepted = { attributes, events: [], purchases: [], allOrNothing: call.strict }
  const isLoss = (i: number) => call.strict || !isBlank(writes[i]!.change)
  if (call.strict) nameLost(writes, (i) => items[i] === undefined, notices)
  const { refused, losses, unmatched } = await services.intake.submit(
    prepare(call.db, call.workspace_id, accepted, services.identities),
  )
  for (const { change, index } of writes) {
    const text = refused.get(change)
    if (text !== undefined) throw invalid(text)
    beginRecipient(notices, index, 'attributes.')
    for (const { key, reason } of losses.get(change) ?? []) notices.add(key, reason)
  }
  nameLost(writes, (i) => isLoss(i) && (items[i] === undefined || unmatched.has(items[i])), notices)
}

/** Names the recipients who do not exist, so that their attributes are not stored. Throws 400 for strict callers. */
function nameLost(writes: readonly AttributeWrite[], isLost: (i: number) => boolean, notices: Notices): void {
  for (const [i, { index }] of writes.entries()) {
    if (!isLost(i)) continue
    beginRecipient(notices, index)
    notices.add('attributes', ofNobody)
  }
  notices.check()
}

/** Replaces an address with priorities by the person that they choose. Where they choose none, nothing is written. */
async function choosePeople(
  { db, workspace_id }: Call,
  writes: readonly AttributeWrite[],
  { formatServiceId }: AttributeServices,
): Promise<(AttributeItem | undefined)[]> {
  const shared = writes.filter(({ prioritization }) => prioritization)
  const addresses = shared.map(({ identifier, prioritization }) => ({
    ...located(workspace_id, identifier),
    ...searchFor(prioritization!),
  }))
  const candidates = await findCandidates(db, addresses)
  return writes.map((write): AttributeItem | undefined => {
    const { identifier, create, change } = write
    const found = candidates[shared.indexOf(write)]
    if (!found || (found.length === 0 && create)) return { identifier, create, change }
    const chosen = chooseCandidate(found, write.prioritization!)
    if (typeof chosen === 'string') return undefined
    const byServiceId: Identifier = { kind: 'service_id', value: formatServiceId(chosen.profile_id) }
    return { identifier: byServiceId, create: false, change }
  })
}
