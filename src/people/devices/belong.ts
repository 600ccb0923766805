import type { Identifier } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'

/** Somebody as far as it matters whose a device is. */
export type Standing = { readonly person: Person; readonly identified: boolean }

/** Whom a call of an SDK is about, and what that changes. */
export type Belonging = {
  /** Null: somebody new, made by `by`. */
  readonly person: Person | null
  readonly by: Identifier
  /** The person, who was there before, is from now on named by `by`. */
  readonly attached: boolean
  /** Goes up in the person, who gets the device with all the rest. */
  readonly absorbed: Person | null
  /** The device was nobody's, or that of the loser, who stays without it. */
  readonly claims: boolean
  readonly loser: Person | null
}

/**
 * Decides whom a call is about (specification 4.1 rule 8, 4.6). Without an identifier that is the device's person. An identifier
 * that nobody has goes to the device's person as long as that is somebody anonymous; else somebody else used the device. One that
 * somebody has names them: an anonymous person goes up in them, from an identified one they take the device. `labelled`: the owner
 * has an alias of that label already, and another name does not fit beside it.
 */
export function belong(
  device: Identifier,
  owner: Standing | null,
  who: Identifier | null,
  named: Standing | null,
  labelled: boolean,
): Belonging {
  const same = { by: device, attached: false, absorbed: null, claims: false, loser: null }
  if (named) {
    const known = { ...same, person: named.person }
    if (!owner) return { ...known, claims: true }
    if (owner.person.profile_id === named.person.profile_id) return known
    return owner.identified ? { ...known, claims: true, loser: owner.person } : { ...known, absorbed: owner.person }
  }
  // A service id is given by the service: one that names nobody any more says nothing.
  const by = who && who.kind !== 'service_id' ? who : null
  if (owner && !by) return { ...same, person: owner.person }
  if (owner && by && !owner.identified && !labelled) return { ...same, by, person: owner.person, attached: true }
  return { ...same, by: by ?? device, person: null, claims: true, loser: owner?.person ?? null }
}
