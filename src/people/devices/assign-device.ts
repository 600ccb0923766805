import type { Identifier } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'

/** `identified`: the person has an external_id. */
export type KnownPerson = { readonly person: Person; readonly identified: boolean }

/** The person that a report of an SDK is about, and what the report changes. */
export type DeviceAssignment = {
  /** Null for a new person. */
  readonly person: Person | null
  /** The identifier that creates a new person, or that a known person gets. */
  readonly identifier: Identifier
  /** Whether a known person gets `identifier`. */
  readonly givesIdentifier: boolean
  /** The anonymous owner of the device, who is merged into the person. */
  readonly merged: Person | null
  /** Whether the person gets the device, which had no owner or `previousOwner`. */
  readonly takesDevice: boolean
  readonly previousOwner: Person | null
}

/**
 * Decides which person a report is about (specification 4.1 rule 8, 4.6). Without an identifier, it is the owner of the device. A new
 * identifier is given to an anonymous owner. If the owner is identified, the identifier creates another person, who gets the device. With a
 * known identifier, it is the person with that identifier: an anonymous owner is merged into this person, an identified owner loses the
 * device. `labelled`: the owner already has an alias with this label, and cannot get another one.
 */
export function assignDevice(
  device: Identifier,
  owner: KnownPerson | null,
  who: Identifier | null,
  named: KnownPerson | null,
  labelled: boolean,
): DeviceAssignment {
  const unchanged = {
    identifier: device,
    givesIdentifier: false,
    merged: null,
    takesDevice: false,
    previousOwner: null,
  }
  if (named) {
    const known = { ...unchanged, person: named.person }
    if (!owner) return { ...known, takesDevice: true }
    if (owner.person.profile_id === named.person.profile_id) return known
    return owner.identified
      ? { ...known, takesDevice: true, previousOwner: owner.person }
      : { ...known, merged: owner.person }
  }
  // Only Easel makes service ids, so an unknown one is ignored.
  const given = who && who.kind !== 'service_id' ? who : null
  if (owner && !given) return { ...unchanged, person: owner.person }
  if (owner && given && !owner.identified && !labelled)
    return { ...unchanged, identifier: given, person: owner.person, givesIdentifier: true }
  return {
    ...unchanged,
    identifier: given ?? device,
    person: null,
    takesDevice: true,
    previousOwner: owner?.person ?? null,
  }
}
