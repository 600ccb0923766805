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
import type { AttributeWrite } from './read-trigger-recipients.ts'

export type AttributeServices = Pick<TrackServices, 'intake' | 'identities'> & {
  formatServiceId(profile_id: string): string
}

/**
 * Writes the attributes of recipients through the intake, in sequence with track requests. Returns when they are committed. Throws 400 when
 * a profile would get too large, and for strict callers when an operation has no effect.
 */
export async function writeAttributes(
  call: Call,
  writes: readonly AttributeWrite[],
  services: AttributeServices,
  notices: Notices,
): Promise<void> {
  const attributes = await choosePeople(call, writes, services)
  const accepted = { attributes, events: [], purchases: [] }
  const { refused, losses } = await services.intake.submit(
    prepare(call.db, call.workspace_id, accepted, services.identities),
  )
  for (const { change, index } of writes) {
    const text = refused.get(change)
    if (text !== undefined) throw invalid(text)
    notices.begin('recipients', index, 'attributes.')
    for (const { key, reason } of losses.get(change) ?? []) notices.add(key, reason)
  }
}

/** Replaces an address with priorities by the person that they choose. Where they choose none, nothing is written. */
async function choosePeople(
  { db, workspace_id }: Call,
  writes: readonly AttributeWrite[],
  { formatServiceId }: AttributeServices,
): Promise<AttributeItem[]> {
  const shared = writes.filter(({ prioritization }) => prioritization)
  const addresses = shared.map(({ identifier, prioritization }) => ({
    ...located(workspace_id, identifier),
    ...searchFor(prioritization!),
  }))
  const candidates = await findCandidates(db, addresses)
  return writes.flatMap((write): AttributeItem[] => {
    const { identifier, create, change } = write
    const found = candidates[shared.indexOf(write)]
    if (!found || (found.length === 0 && create)) return [{ identifier, create, change }]
    const chosen = chooseCandidate(found, write.prioritization!)
    if (typeof chosen === 'string') return []
    const byServiceId: Identifier = { kind: 'service_id', value: formatServiceId(chosen.profile_id) }
    return [{ identifier: byServiceId, create: false, change }]
  })
}
