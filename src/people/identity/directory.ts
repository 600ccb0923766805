import type { Identifier } from './identifier.ts'
import type { Identities } from './identities.ts'
import { type Buckets, bucketsOf, isPerson, type Person, person } from './person.ts'

/** A person who has an address. `updatedUs` is the profile's stamp, epoch microseconds. */
export type Candidate = { person: Person; identified: boolean; updatedUs: number }

/** A person that this flush creates. `createdUs` is the stamp (epoch microseconds) of the first item that needs the person. */
export type NewPerson = {
  person: Person
  workspace_id: number
  random_bucket: number
  createdBy: Identifier
  createdUs?: number
}

/** An identifier that is not in the cache, with the result from the database. `create`: some item of the flush may create a person. */
export type Lookup = {
  readonly key: string
  readonly workspace_id: number
  readonly identifier: Identifier
  readonly buckets: Buckets
  create: boolean
  person?: Person
  newPerson?: NewPerson
  /** For an address: the people who have it. */
  candidates?: Candidate[]
}

/** An address may have several owners. The owner of a push token may change, and an import only checks whether the token is known. */
const neverCached: ReadonlySet<string> = new Set(['email', 'phone', 'push_token'])

/**
 * Maps each identifier to a person during one flush. It starts from the stored data and follows the changes of the flush, in the order in
 * which its items take effect (specification 4.1 rules 2 to 6). No I/O: `resolve.ts` fills the directory, and `assign` reads it.
 */
export class Directory {
  readonly #identities: Identities
  readonly #newId: (bucket: number) => string
  readonly #stamp: () => number
  readonly #lookups = new Map<string, Lookup>()
  readonly #found: Person[] = []
  /** People that were found by another identifier than the external_id, so it is unknown whether they have one. */
  readonly #unchecked = new Map<string, Person>()
  readonly #identified = new Set<string>()
  readonly #addressesOf = new Map<string, Set<Lookup>>()
  readonly #touchedUs = new Map<string, number>()
  #hasAddresses = false
  readonly newPeople: NewPerson[] = []

  constructor(identities: Identities, newId: (bucket: number) => string, stamp: () => number) {
    this.#identities = identities
    this.#newId = newId
    this.#stamp = stamp
  }

  /** Returns whether results of the cache from that epoch are still valid. */
  isCurrent(epoch: number): boolean {
    return this.#identities.epoch === epoch
  }

  /** Adds a person that the cache has for an item of the flush. */
  addFound(found: Person): Person {
    this.#found.push(found)
    return found
  }

  /** Looks up the identifier of an item. Returns the person if the cache has it, else an entry that `resolve.ts` fills. */
  lookUp(workspace_id: number, identifier: Identifier, create: boolean, buckets?: Buckets): Person | Lookup {
    const cached = neverCached.has(identifier.kind) ? undefined : this.#identities.find(workspace_id, identifier)
    if (cached) {
      if (identifier.kind !== 'external_id') this.#unchecked.set(cached.profile_id, cached)
      return this.addFound(cached)
    }
    const key = identityKey(workspace_id, identifier)
    const before = this.#lookups.get(key)
    if (before) {
      before.create ||= create
      return before
    }
    const { kind, value } = identifier
    const lookup: Lookup = {
      key,
      workspace_id,
      identifier,
      buckets: buckets ?? bucketsOf(workspace_id, kind, value),
      create,
    }
    this.#lookups.set(key, lookup)
    return lookup
  }

  /** Returns the identifiers that are not in the cache. */
  lookups(): Lookup[] {
    return [...this.#lookups.values()]
  }

  /** Records the stored owner of an exclusive identifier. */
  resolve(lookup: Lookup, found: Person): void {
    lookup.person = found
    this.#found.push(found)
    if (lookup.identifier.kind === 'external_id') this.#identified.add(found.profile_id)
    else this.#unchecked.set(found.profile_id, found)
    this.#cache(lookup, found)
  }

  /** Records that the flush reserves an exclusive identifier for a new person. */
  reserve(lookup: Lookup, owner: Person, random_bucket: number): void {
    const { workspace_id, identifier } = lookup
    lookup.newPerson = { person: owner, workspace_id, random_bucket, createdBy: identifier }
    lookup.person = owner
    this.newPeople.push(lookup.newPerson)
  }

  /** Records the stored owners of an address. */
  setCandidates(lookup: Lookup, candidates: Candidate[]): void {
    this.#hasAddresses = true
    lookup.candidates = candidates
    for (const candidate of candidates) {
      this.#found.push(candidate.person)
      this.#addAddress(candidate.person, lookup)
      if (candidate.identified) this.#identified.add(candidate.person.profile_id)
    }
  }

  /** Returns the people found so far, each once. */
  found(): Person[] {
    return [...new Map(this.#found.map((found) => [found.profile_id, found])).values()]
  }

  /**
   * Returns the people that the caller must check: it calls `markIdentified` for each that has an external_id. Only a flush with addresses
   * needs this.
   */
  unchecked(): Person[] {
    return this.#hasAddresses ? [...this.#unchecked.values()] : []
  }

  markIdentified(profile_id: string): void {
    this.#identified.add(profile_id)
  }

  /**
   * Returns the person that an item changes. If no person matches, returns a new one with `create`. Returns undefined if the item has no
   * effect.
   */
  assign(target: Person | Lookup, create: boolean): Person | undefined {
    if (isPerson(target)) return target
    const { candidates, newPerson, person, identifier } = target
    if (candidates) return this.#choose(candidates) ?? (create ? this.#create(target, candidates) : undefined)
    // The import of a known token is ignored (contract 2.2.1).
    if (identifier.kind === 'push_token' && (!newPerson || newPerson.createdUs !== undefined)) return undefined
    if (newPerson && newPerson.createdUs === undefined) {
      if (!create) return undefined
      newPerson.createdUs = this.#stamp()
    }
    return person
  }

  /** Records that the flush writes the person's profile with this stamp. */
  touch(written: Person, stampUs: number): void {
    if (this.#hasAddresses) this.#touchedUs.set(written.profile_id, stampUs)
  }

  /** Records that the flush gives a person another address of this kind; null removes it. `identifier` is the one that names the person. */
  changeAddress(
    workspace_id: number,
    identifier: Identifier,
    owner: Person,
    kind: 'email' | 'phone',
    value: string | null,
  ): void {
    if (!this.#hasAddresses) return
    if (identifier.kind === 'external_id') this.#identified.add(owner.profile_id)
    const now = value === null ? undefined : this.#lookups.get(identityKey(workspace_id, { kind, value }))
    const held = this.#addressesOf.get(owner.profile_id)
    for (const lookup of held ?? []) {
      if (lookup === now || lookup.identifier.kind !== kind) continue
      lookup.candidates = lookup.candidates?.filter((each) => each.person.profile_id !== owner.profile_id) ?? []
      held?.delete(lookup)
    }
    if (!now?.candidates || held?.has(now)) return
    now.candidates.push({ person: owner, identified: this.#identified.has(owner.profile_id), updatedUs: 0 })
    this.#addAddress(owner, now)
  }

  /** Adds the new people to the cache. Call it after the commit of the flush. */
  commit(): void {
    for (const lookup of this.#lookups.values()) {
      if (lookup.newPerson?.createdUs) this.#cache(lookup, lookup.newPerson.person)
    }
  }

  #cache({ workspace_id, identifier }: Lookup, found: Person): void {
    if (!neverCached.has(identifier.kind)) this.#identities.keep(workspace_id, identifier, found)
  }

  #create(lookup: Lookup, candidates: Candidate[]): Person {
    const { workspace_id, identifier, buckets } = lookup
    const { bucket, random_bucket } = buckets
    const created = person(bucket, this.#newId(bucket))
    const createdUs = this.#stamp()
    this.newPeople.push({ person: created, workspace_id, random_bucket, createdBy: identifier, createdUs })
    candidates.push({ person: created, identified: false, updatedUs: createdUs })
    this.#addAddress(created, lookup)
    return created
  }

  /** Profiles with an external_id come before those without; then the latest stamp decides (specification 4.1 rule 4). */
  #choose(candidates: readonly Candidate[]): Person | undefined {
    if (candidates.length === 1) return candidates[0]!.person
    let best: Candidate | undefined
    let bestUs = 0
    for (const candidate of candidates) {
      const updatedUs = Math.max(candidate.updatedUs, this.#touchedUs.get(candidate.person.profile_id) ?? 0)
      if (best && (best.identified !== candidate.identified ? best.identified : bestUs >= updatedUs)) continue
      best = candidate
      bestUs = updatedUs
    }
    return best?.person
  }

  #addAddress(owner: Person, lookup: Lookup): void {
    const held = this.#addressesOf.get(owner.profile_id)
    if (held) held.add(lookup)
    else this.#addressesOf.set(owner.profile_id, new Set([lookup]))
  }
}

/** Returns one text per identifier of a workspace. */
export function identityKey(workspace_id: number, identifier: Pick<Identifier, 'kind' | 'value'>): string {
  return `${workspace_id}\u001f${identifier.kind}\u001f${identifier.value}`
}
