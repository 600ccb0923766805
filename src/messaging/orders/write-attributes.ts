import type { Call } from '../../base/call.ts'
import type { Identifier } from '../../people/identity/identifier.ts'
import { located } from '../../people/identity/person.ts'
import { prepare } from '../../people/intake/prepare.ts'
import type { AttributeItem } from '../../people/intake/split-track.ts'
import type { TrackServices } from '../../people/intake/track.ts'
import { chooseCandidate, searchFor } from '../../people/merge/choose-candidate.ts'
import { findCandidates } from '../../people/merge/people-store.ts'
import type { AttributeWrite } from './read-trigger-recipients.ts'

export type AttributeServices = Pick<TrackServices, 'intake' | 'identities'> & {
  formatServiceId(profile_id: string): string
}

/** Writes what an order says of its recipients, in one order with what is tracked: it holds by the time this is over. */
export async function writeAttributes(
  call: Call,
  writings: readonly AttributeWrite[],
  parts: AttributeServices,
): Promise<void> {
  const attributes = await chosenOf(call, writings, parts)
  const identifierOrThrow = { attributes, events: [], purchases: [] }
  await parts.intake.submit(prepare(call.db, call.workspace_id, identifierOrThrow, parts.identities))
}

/** Whoever has an address is chosen as the order says; where it fits nobody who has it, nothing is written. */
async function chosenOf(
  call: Call,
  writings: readonly AttributeWrite[],
  parts: AttributeServices,
): Promise<AttributeItem[]> {
  const asked = writings.filter(({ prioritization }) => prioritization)
  const addresses = asked.map(({ who, prioritization }) => ({
    ...located(call.workspace_id, who),
    ...searchFor(prioritization!),
  }))
  const candidates = await findCandidates(call.db, addresses)
  return writings.flatMap((writing): AttributeItem[] => {
    const { who, create, change } = writing
    const found = candidates[asked.indexOf(writing)]
    if (!found || (found.length === 0 && create)) return [{ who, create, change }]
    const chosen = chooseCandidate(found, writing.prioritization!)
    if (typeof chosen === 'string') return []
    const own: Identifier = { kind: 'service_id', value: parts.formatServiceId(chosen.profile_id) }
    return [{ who: own, create: false, change }]
  })
}
