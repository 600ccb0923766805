import { type AppUse, mergeApps } from './people-apps.ts'

/** The body of a request, or a part of it, with the names of the interface. */
// biome-ignore lint/suspicious/noExplicitAny: the model reads what the generator has written.
export type Body = Readonly<Record<string, any>>

/** A state and the time at which it was set. The later of two states is in effect. */
type TimedState = { readonly state: string; readonly at: number }

/** Also has whether these states were ever set. */
export type Consent = TimedState & { readonly opted_in?: boolean; readonly unsubscribed?: boolean }

export type Occurrence = { readonly name: string; readonly time: string; readonly count: number }

export type Person = {
  external_id: string | null
  /** External ids before renames. */
  formers: string[]
  email: string | null
  phone: string | null
  aliases: Record<string, string>
  /** Standard fields without rules of their own. */
  plain: Record<string, unknown>
  custom: Record<string, unknown>
  events: Occurrence[]
  purchases: Occurrence[]
  email_subscribe?: Consent
  push_subscribe?: Consent
  groups: Record<string, TimedState>
  tokens: Body[]
  devices: Record<string, Body>
  apps: Record<string, AppUse>
  /** Sessions that count: device, app and beginning. */
  sessions: Set<string>
  cards: Set<string>
  updated: number
  /** Fields of the first export that must never change. */
  lasting?: Body
}

/** The states of an address itself, without those of its people. */
type Address = { groups: Record<string, TimedState>; email_subscribe?: TimedState }

export type Outcome =
  | 'done'
  | 'nobody_matched'
  | 'several_matched'
  | 'same_person'
  | 'already_identified'
  | 'label_taken'

/** The members of an object of the interface that identify a person. */
export type Who = {
  readonly external_id?: string
  readonly user_alias?: { readonly alias_name: string; readonly alias_label: string }
  readonly service_id?: string
  readonly email?: string
  readonly phone?: string
  readonly device_id?: string
  readonly prioritization?: readonly string[]
}

/** A simple model of people in plain lists, with which the service is compared. */
export class Model {
  readonly channels: Readonly<Record<string, 'email' | 'phone'>>
  /** The service ids of all people who were ever exported, also of removed ones. */
  readonly service_ids: string[] = []
  people: Person[] = []
  readonly #addresses = new Map<string, Address>()
  #now = 0

  /** `channels`: the kind of address each group is for, by the group's id. */
  constructor(channels: Readonly<Record<string, 'email' | 'phone'>>) {
    this.channels = channels
  }

  /** Advances the time of the model. */
  tick(): void {
    this.#now++
  }

  touch(person: Person): void {
    person.updated = this.#now
  }

  /** Returns all people with this identifier, the most recently updated first. */
  named(who: Who): Person[] {
    const found = this.people.filter((one) => {
      if (who.external_id) return one.external_id === who.external_id || one.formers.includes(who.external_id)
      if (who.user_alias) return one.aliases[who.user_alias.alias_label] === who.user_alias.alias_name
      if (who.service_id) return one.lasting?.service_id === who.service_id
      if (who.device_id) return who.device_id in one.devices
      return who.email ? one.email === who.email : one.phone === who.phone
    })
    return found.sort((a, b) => b.updated - a.updated)
  }

  /** Returns the person of an object of a track request (specification 4.1). Creates the person when the object may. */
  findOrMake(item: Body): Person | undefined {
    const candidates = this.named(item)
    const found = candidates.find((one) => one.external_id !== null) ?? candidates[0]
    const isAlias = !item.external_id && item.user_alias
    if (found || item.service_id || (item._update_existing_only ?? isAlias)) return found
    return this.make(item)
  }

  /** Returns the person that the prioritization selects (specification 4.6). */
  chosen(who: Who): Person | Outcome {
    const left = (who.prioritization ?? []).reduce((some, word) => {
      if (word === 'identified') return some.filter((one) => one.external_id !== null)
      if (word === 'unidentified') return some.filter((one) => one.external_id === null)
      const wanted = word === 'most_recently_updated' ? some[0] : some.at(-1)
      return some.filter((one) => one.updated === wanted?.updated)
    }, this.named(who))
    return left.length > 1 ? 'several_matched' : (left[0] ?? 'nobody_matched')
  }

  /** Creates a person with one identifier. */
  make(name: Body): Person {
    const made: Person = {
      ...{ external_id: null, formers: [], email: null, phone: null, aliases: {}, plain: {}, custom: {} },
      ...{ events: [], purchases: [], groups: {}, tokens: [], devices: {}, apps: {}, updated: this.#now },
      ...{ sessions: new Set(), cards: new Set() },
    }
    this.people.push(made)
    this.name(made, name)
    return made
  }

  name(person: Person, { external_id, user_alias, email, phone }: Body): void {
    if (external_id) person.external_id = external_id
    else if (user_alias) person.aliases[user_alias.alias_label] = user_alias.alias_name
    else if (email) person.email = email
    else if (phone) person.phone = phone
  }

  address(address: string): Address {
    const known = this.#addresses.get(address) ?? { groups: {} }
    this.#addresses.set(address, known)
    return known
  }

  /** Applies the state of an e-mail address to a person who gets the address. */
  takeAddressState(person: Person): void {
    if (person.email) this.setState(person, 'email_subscribe', this.address(person.email).email_subscribe)
  }

  /** Sets a subscription state unless the person has a later one. */
  setState(person: Person, kind: 'email_subscribe' | 'push_subscribe', change: Consent | undefined): void {
    const before = person[kind]
    if (!change || (before && before.at >= change.at)) return
    const opted_in = change.state === 'opted_in' || change.opted_in || before?.opted_in || false
    const unsubscribed = change.state === 'unsubscribed' || change.unsubscribed || before?.unsubscribed || false
    person[kind] = { state: change.state, at: change.at, opted_in, unsubscribed }
  }

  stateNow(state: string): TimedState {
    return { state, at: this.#now }
  }

  /** Sets the state of an e-mail address itself, for people who get it later. */
  setAddressState(address: string, change: TimedState): void {
    const { state, at } = latest([change, this.address(address).email_subscribe])!
    this.address(address).email_subscribe = { state, at }
  }

  /** Sets the state of a group for a person, and for the address to which the group writes. */
  setGroup(person: Person, group: string, state: string): void {
    person.groups[group] = this.stateNow(state)
    const address = person[this.channels[group]!]
    if (address) this.setGroupOf(address, group, state)
    this.touch(person)
  }

  setGroupOf(address: string, group: string, state: string): void {
    this.address(address).groups[group] = this.stateNow(state)
  }

  /** Returns the state in effect: the later one of the person and of the address. */
  groupState(person: Person, group: string): string | undefined {
    const address = person[this.channels[group]!]
    const both = [person.groups[group], address ? this.address(address).groups[group] : undefined]
    return latest(both)?.state
  }

  /** Returns the latest state of an address and of the people who have it. */
  groupStateOf(address: string, group: string): string | undefined {
    const having = this.people.filter((one) => one[this.channels[group]!] === address)
    return latest([this.address(address).groups[group], ...having.map((one) => one.groups[group])])?.state
  }

  /** A push token belongs to one person. */
  giveToken(person: Person, { app_id, token, device_id }: Body): void {
    for (const one of this.people) one.tokens = one.tokens.filter((its) => its.app_id !== app_id || its.token !== token)
    person.tokens.push({ app_id, token, device_id })
  }

  /** Merges `from` into `into`, which keeps its fields (specification 4.6). `lost`: drops SDK activity of `from` (4.1 rule 8). */
  merge(from: Person, into: Person, behaviour: 'kept' | 'lost' = 'kept'): Outcome {
    if (from === into) return 'same_person'
    this.people = this.people.filter((one) => one !== from)
    const oneAddress = from.email !== null && (into.email ?? from.email) === from.email
    if (oneAddress || !into.email_subscribe) this.setState(into, 'email_subscribe', from.email_subscribe)
    if (!into.push_subscribe) this.setState(into, 'push_subscribe', from.push_subscribe)
    const groups = Object.entries(from.groups).filter(([group]) => this.#addressHasNoState(into, group))
    for (const [group, change] of Object.entries(from.groups)) {
      if (this.groupState(into, group) === undefined) into.groups[group] = change
    }
    into.email ??= from.email
    into.phone ??= from.phone
    if (behaviour === 'kept') {
      mergeApps(from.apps, into.apps)
      into.cards = into.cards.union(from.cards)
    }
    into.plain = { ...withoutAttributionOf(into, from.plain), ...into.plain }
    into.custom = { ...from.custom, ...into.custom }
    into.aliases = { ...from.aliases, ...into.aliases }
    into.groups = { ...Object.fromEntries(groups), ...into.groups }
    into.devices = { ...from.devices, ...into.devices }
    into.sessions = into.sessions.union(from.sessions)
    into.events.push(...from.events)
    into.purchases.push(...from.purchases)
    into.tokens.push(...from.tokens)
    this.touch(into)
    return 'done'
  }

  /** Returns whether the address to which a group writes has no state of its own. */
  #addressHasNoState(person: Person, group: string): boolean {
    const address = person[this.channels[group]!]
    return !address || this.address(address).groups[group] === undefined
  }

  /** Deletes a person. Keeps the states of their addresses, and their own states where no other person has the address. */
  delete(person: Person): void {
    this.people = this.people.filter((one) => one !== person)
    if (person.email && person.email_subscribe) this.setAddressState(person.email, person.email_subscribe)
    for (const [group, change] of Object.entries(person.groups)) {
      const channel = this.channels[group]!
      const address = person[channel]
      if (address === null || this.people.some((one) => one[channel] === address)) continue
      const { groups } = this.address(address)
      groups[group] = latest([change, groups[group]])!
    }
  }
}

function latest(all: readonly (TimedState | undefined)[]): TimedState | undefined {
  return all
    .filter((change) => change !== undefined)
    .reduce((a: TimedState | undefined, b) => (a && a.at > b.at ? a : b), undefined)
}

/** Returns the fields without those of an attribution when the kept person has one, because its parts belong together. */
function withoutAttributionOf(kept: Person, plain: Person['plain']): Person['plain'] {
  const isPart = (field: string) => field.startsWith('attributed_')
  if (!Object.keys(kept.plain).some(isPart)) return plain
  return Object.fromEntries(Object.entries(plain).filter(([field]) => !isPart(field)))
}
