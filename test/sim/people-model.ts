import { type AppUse, mergeApps } from './people-apps.ts'

/** The body of a request, or a part of it, in the words of the interface. */
// biome-ignore lint/suspicious/noExplicitAny: the model reads what the generator has written.
export type Body = Readonly<Record<string, any>>

/** Something said at a moment; the later of two is in effect. */
type Said = { readonly state: string; readonly at: number }

/** With whether each of these was ever said. */
export type Consent = Said & { readonly opted_in?: boolean; readonly unsubscribed?: boolean }

export type Occurrence = { readonly name: string; readonly time: string; readonly count: number }

export type Person = {
  external_id: string | null
  /** External ids from before a rename. */
  formers: string[]
  email: string | null
  phone: string | null
  aliases: Record<string, string>
  /** Standard fields that are only kept. */
  plain: Record<string, unknown>
  custom: Record<string, unknown>
  events: Occurrence[]
  purchases: Occurrence[]
  email_subscribe?: Consent
  push_subscribe?: Consent
  groups: Record<string, Said>
  tokens: Body[]
  devices: Record<string, Body>
  apps: Record<string, AppUse>
  /** Sessions that count: device, app and beginning. */
  sessions: Set<string>
  cards: Set<string>
  updated: number
  /** What an export told once and must tell for ever. */
  lasting?: Body
}

/** What is remembered of an address, whoever has it. */
type Address = { groups: Record<string, Said>; email_subscribe?: Said }

export type Outcome =
  | 'done'
  | 'nobody_matched'
  | 'several_matched'
  | 'same_person'
  | 'already_identified'
  | 'label_taken'

/** How people are named: the members of an object of the interface that say whom it means. */
export type Who = {
  readonly external_id?: string
  readonly user_alias?: { readonly alias_name: string; readonly alias_label: string }
  readonly service_id?: string
  readonly email?: string
  readonly phone?: string
  readonly device_id?: string
  readonly prioritization?: readonly string[]
}

/** Some people in plain lists, and what becomes of them: what the service is compared with. */
export class Model {
  readonly channels: Readonly<Record<string, 'email' | 'phone'>>
  /** Of everybody who was ever exported, those who are gone included. */
  readonly service_ids: string[] = []
  people: Person[] = []
  readonly #addresses = new Map<string, Address>()
  #now = 0

  /** `channels`: the kind of address each group is for, by the group's id. */
  constructor(channels: Readonly<Record<string, 'email' | 'phone'>>) {
    this.channels = channels
  }

  /** From here on it is later than before. */
  tick(): void {
    this.#now++
  }

  touch(person: Person): void {
    person.updated = this.#now
  }

  /** Everybody named, the most recently updated first. */
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

  /** The one whom an object of a track request means (specification 4.1), made when the object may make somebody. */
  meant(item: Body): Person | undefined {
    const everybody = this.named(item)
    const found = everybody.find((one) => one.external_id !== null) ?? everybody[0]
    const isAlias = !item.external_id && item.user_alias
    if (found || item.service_id || (item._update_existing_only ?? isAlias)) return found
    return this.make(item)
  }

  /** The one who is left when each word of the prioritization has narrowed the choice (specification 4.6). */
  chosen(who: Who): Person | Outcome {
    const left = (who.prioritization ?? []).reduce((some, word) => {
      if (word === 'identified') return some.filter((one) => one.external_id !== null)
      if (word === 'unidentified') return some.filter((one) => one.external_id === null)
      const wanted = word === 'most_recently_updated' ? some[0] : some.at(-1)
      return some.filter((one) => one.updated === wanted?.updated)
    }, this.named(who))
    return left.length > 1 ? 'several_matched' : (left[0] ?? 'nobody_matched')
  }

  /** Somebody new, of whom one name is known. */
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

  /** What was said of an e-mail address holds for who comes to it. */
  arrive(person: Person): void {
    if (person.email) this.hear(person, 'email_subscribe', this.address(person.email).email_subscribe)
  }

  /** Of what somebody said and what is said the later is in effect. */
  hear(person: Person, kind: 'email_subscribe' | 'push_subscribe', said: Consent | undefined): void {
    const before = person[kind]
    if (!said || (before && before.at >= said.at)) return
    const opted_in = said.state === 'opted_in' || said.opted_in || before?.opted_in || false
    const unsubscribed = said.state === 'unsubscribed' || said.unsubscribed || before?.unsubscribed || false
    person[kind] = { state: said.state, at: said.at, opted_in, unsubscribed }
  }

  saying(state: string): Said {
    return { state, at: this.#now }
  }

  /** What is said of an e-mail address itself, for those who will have it. */
  remember(address: string, said: Said): void {
    const { state, at } = latest([said, this.address(address).email_subscribe])!
    this.address(address).email_subscribe = { state, at }
  }

  /** A state of a group for a person, and for the address that the group would write to. */
  setGroup(person: Person, group: string, state: string): void {
    person.groups[group] = this.saying(state)
    const address = person[this.channels[group]!]
    if (address) this.setGroupOf(address, group, state)
    this.touch(person)
  }

  setGroupOf(address: string, group: string, state: string): void {
    this.address(address).groups[group] = this.saying(state)
  }

  /** The state in effect: the later of what was said of the person and of the address. */
  groupState(person: Person, group: string): string | undefined {
    const address = person[this.channels[group]!]
    const both = [person.groups[group], address ? this.address(address).groups[group] : undefined]
    return latest(both)?.state
  }

  /** Of an address it is what was said last of it, or of anybody who has it. */
  groupStateOf(address: string, group: string): string | undefined {
    const having = this.people.filter((one) => one[this.channels[group]!] === address)
    return latest([this.address(address).groups[group], ...having.map((one) => one.groups[group])])?.state
  }

  /** A push token belongs to one person. */
  giveToken(person: Person, { app_id, token, device_id }: Body): void {
    for (const one of this.people) one.tokens = one.tokens.filter((its) => its.app_id !== app_id || its.token !== token)
    person.tokens.push({ app_id, token, device_id })
  }

  /** `from` goes up in `into`, which keeps what it has (specification 4.6). `lost`: without what an SDK recorded (4.1 rule 8). */
  merge(from: Person, into: Person, behaviour: 'kept' | 'lost' = 'kept'): Outcome {
    if (from === into) return 'same_person'
    this.people = this.people.filter((one) => one !== from)
    const oneAddress = from.email !== null && (into.email ?? from.email) === from.email
    if (oneAddress || !into.email_subscribe) this.hear(into, 'email_subscribe', from.email_subscribe)
    if (!into.push_subscribe) this.hear(into, 'push_subscribe', from.push_subscribe)
    const groups = Object.entries(from.groups).filter(([group]) => this.#saysNothing(into, group))
    for (const [group, said] of Object.entries(from.groups)) {
      if (this.groupState(into, group) === undefined) into.groups[group] = said
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

  /** Whether the address that a group would write to has no state of its own. */
  #saysNothing(person: Person, group: string): boolean {
    const address = person[this.channels[group]!]
    return !address || this.address(address).groups[group] === undefined
  }

  /** What was said of an address is remembered; what was said of the person too, when nobody else has the address. */
  delete(person: Person): void {
    this.people = this.people.filter((one) => one !== person)
    if (person.email && person.email_subscribe) this.remember(person.email, person.email_subscribe)
    for (const [group, said] of Object.entries(person.groups)) {
      const channel = this.channels[group]!
      const address = person[channel]
      if (address === null || this.people.some((one) => one[channel] === address)) continue
      const { groups } = this.address(address)
      groups[group] = latest([said, groups[group]])!
    }
  }
}

function latest(all: readonly (Said | undefined)[]): Said | undefined {
  return all
    .filter((said) => said !== undefined)
    .reduce((a: Said | undefined, b) => (a && a.at > b.at ? a : b), undefined)
}

/** The parts of an attribution belong together. */
function withoutAttributionOf(kept: Person, plain: Person['plain']): Person['plain'] {
  const isPart = (field: string) => field.startsWith('attributed_')
  if (!Object.keys(kept.plain).some(isPart)) return plain
  return Object.fromEntries(Object.entries(plain).filter(([field]) => !isPart(field)))
}
