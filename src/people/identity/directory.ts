import type { Identifier } from './identifier.ts'
import type { Identities } from './identities.ts'
import { type Buckets, bucketsOf, isPerson, type Person, person } from './person.ts'

/** One profile that has an address. `updatedUs` is its stamp, epoch microseconds. */
export type Candidate = { person: Person; identified: boolean; updatedUs: number }

/** Somebody this flush makes; `bornUs` is the stamp of the accepted item that first asked for the person, epoch microseconds. */
export type NewPerson = {
  person: Person
  workspace_id: number
  random_bucket: number
  createdBy: Identifier
  createdUs?: number
}

/** An identifier that the cache could not answer, and what is known of it. `create`: some item of the flush may make somebody. */
export type Lookup = {
  readonly key: string
  readonly workspace_id: number
  readonly who: Identifier
  readonly buckets: Buckets
  create: boolean
  person?: Person
  newPerson?: NewPerson
  /** For an address: everybody who has it. */
  candidates?: Candidate[]
}

/** Addresses have several owners; tokens move from person to person, and whether one is known is all that an import asks. */
const neverCached: ReadonlySet<string> = new Set(['email', 'phone', 'push_token'])

/**
 * Who is who during one flush: what storage knew when the flush began, and what the flush has done since, in the order in
 * which its items take effect (specification 4.1 rules 2 to 6). No I/O: `resolve.ts` fills it, `assign` answers from it.
 */
export class Directory {
  readonly #identities: Identities
  readonly #newId: (bucket: number) => string
  readonly #stamp: () => number
  readonly #named = new Map<string, Lookup>()
  readonly #known: Person[] = []
  /** People found by something else than an external_id or an address, whose being identified is not known yet. */
  readonly #unsure = new Map<string, Person>()
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

  /** Whether what the cache said in that epoch still holds. */
  isCurrent(epoch: number): boolean {
    return this.#identities.epoch === epoch
  }

  /** An item of the flush names somebody by an external_id that was looked up before. */
  addKnown(knownPeople: Person): Person {
    this.#known.push(knownPeople)
    return knownPeople
  }

  /** An item of the flush names somebody: the person when the cache knows, else an entry that `resolve.ts` fills. `place`: of `who`. */
  lookUp(workspace_id: number, who: Identifier, create: boolean, resolve?: Buckets): Person | Lookup {
    const known = neverCached.has(who.kind) ? undefined : this.#identities.find(workspace_id, who)
    if (known) {
      if (who.kind !== 'external_id') this.#unsure.set(known.profile_id, known)
      return this.addKnown(known)
    }
    const key = identityKey(workspace_id, who)
    const before = this.#named.get(key)
    if (before) {
      before.create ||= create
      return before
    }
    const lookups: Lookup = {
      key,
      workspace_id,
      who,
      buckets: resolve ?? bucketsOf(workspace_id, who.kind, who.value),
      create,
    }
    this.#named.set(key, lookups)
    return lookups
  }

  /** What the cache could not answer. */
  named(): Lookup[] {
    return [...this.#named.values()]
  }

  /** Storage knows whom an exclusive identifier names. */
  place(named: Lookup, known: Person): void {
    named.person = known
    this.#known.push(known)
    if (named.who.kind === 'external_id') this.#identified.add(known.profile_id)
    else this.#unsure.set(known.profile_id, known)
    this.#keep(named, known)
  }

  /** This flush has reserved an exclusive identifier for somebody new. */
  reserve(named: Lookup, owner: Person, random_bucket: number): void {
    const { workspace_id, who } = named
    named.newPerson = { person: owner, workspace_id, random_bucket, createdBy: who }
    named.person = owner
    this.newPeople.push(named.newPerson)
  }

  /** The people storage knows to have this address; an empty list says that nobody has it. */
  setCandidates(named: Lookup, candidates: Candidate[]): void {
    this.#hasAddresses = true
    named.candidates = candidates
    for (const candidate of candidates) {
      this.#known.push(candidate.person)
      this.#remember(candidate.person, named)
      if (candidate.identified) this.#identified.add(candidate.person.profile_id)
    }
  }

  /** Everybody found so far, each once. */
  known(): Person[] {
    return [...new Map(this.#known.map((known) => [known.profile_id, known])).values()]
  }

  /** Whose external_id matters because addresses are in play: ask storage, then `identify` those who have one. */
  unchecked(): Person[] {
    return this.#hasAddresses ? [...this.#unsure.values()] : []
  }

  markIdentified(profile_id: string): void {
    this.#identified.add(profile_id)
  }

  /** The person an item acts on, made when nobody matches and `create` allows it; undefined when the item has no effect. */
  assign(mentioned: Person | Lookup, create: boolean): Person | undefined {
    if (isPerson(mentioned)) return mentioned
    const { candidates, newPerson, person, who } = mentioned
    if (candidates) return this.#choose(candidates) ?? (create ? this.#arrive(mentioned, candidates) : undefined)
    // An imported token that is known already is ignored (contract 2.2.1).
    if (who.kind === 'push_token' && (!newPerson || newPerson.createdUs !== undefined)) return undefined
    if (newPerson && newPerson.createdUs === undefined) {
      if (!create) return undefined
      newPerson.createdUs = this.#stamp()
    }
    return person
  }

  /** The person's profile is written with this stamp. */
  touch(known: Person, stampUs: number): void {
    if (this.#hasAddresses) this.#touchedUs.set(known.profile_id, stampUs)
  }

  /** The person, whom `who` named, has from now on the address `value` of that kind, or none. */
  changeAddress(
    workspace_id: number,
    who: Identifier,
    known: Person,
    kind: 'email' | 'phone',
    value: string | null,
  ): void {
    if (!this.#hasAddresses) return
    if (who.kind === 'external_id') this.#identified.add(known.profile_id)
    const now = value === null ? undefined : this.#named.get(identityKey(workspace_id, { kind, value }))
    const held = this.#addressesOf.get(known.profile_id)
    for (const named of held ?? []) {
      if (named === now || named.who.kind !== kind) continue
      named.candidates = named.candidates?.filter((candidate) => candidate.person.profile_id !== known.profile_id) ?? []
      held?.delete(named)
    }
    if (!now?.candidates || held?.has(now)) return
    now.candidates.push({ person: known, identified: this.#identified.has(known.profile_id), updatedUs: 0 })
    this.#remember(known, now)
  }

  /** The flush is committed: from now on everybody may know its new people. */
  commit(): void {
    for (const named of this.#named.values()) if (named.newPerson?.createdUs) this.#keep(named, named.newPerson.person)
  }

  #keep({ workspace_id, who }: Lookup, known: Person): void {
    if (!neverCached.has(who.kind)) this.#identities.keep(workspace_id, who, known)
  }

  #arrive(named: Lookup, candidates: Candidate[]): Person {
    const { workspace_id, who, buckets } = named
    const { bucket, random_bucket } = buckets
    const made = person(bucket, this.#newId(bucket))
    const bornUs = this.#stamp()
    this.newPeople.push({ person: made, workspace_id, random_bucket, createdBy: who, createdUs: bornUs })
    candidates.push({ person: made, identified: false, updatedUs: bornUs })
    this.#remember(made, named)
    return made
  }

  /** Profiles with an external_id go before those without, then the latest stamp (specification 4.1 rule 4). */
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

  #remember(known: Person, named: Lookup): void {
    const held = this.#addressesOf.get(known.profile_id)
    if (held) held.add(named)
    else this.#addressesOf.set(known.profile_id, new Set([named]))
  }
}

/** One text per identifier of a workspace. */
export function identityKey(workspace_id: number, who: Pick<Identifier, 'kind' | 'value'>): string {
  return `${workspace_id}\u001f${who.kind}\u001f${who.value}`
}
