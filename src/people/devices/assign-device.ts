import type { Identifier } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'

/** `identified`: the person has an external_id. */
export type KnownPerson = { readonly person: Person; readonly identified: boolean }

/** The person that a report of an SDK is about, and what the report changes. */
export type DeviceAssignment = {
  /** Null for a new person. */
  readonly person: Person | null
  /** What creates a new person, or is given to a known one. */
  readonly identifier: Identifier
  /** A known person gets `identifier`. */
  readonly givesIdentifier: boolean
  /** Is merged into the person, with the device. */
  readonly merged: Person | null
  /** The person gets the device, which had no owner or `previousOwner`. */
  readonly takesDevice: boolean
  readonly previousOwner: Person | null
}

/**
 * Decides which person a report is about (specification 4.1 rule 8, 4.6). Without an identifier it is the owner of the device. A new
 * identifier is given to the owner if the owner is anonymous; else another person uses the device now, who is created. A known identifier
 * decides: an anonymous owner is merged into its person, an identified owner loses the device. `labelled`: the owner has an alias with this
 * label already, and cannot get another one.
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
  // Only the service makes service ids: one that names nobody is ignored.
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
