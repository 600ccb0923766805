import assert from 'node:assert/strict'
import type { Random } from '../../bench/random.ts'
import type { Answer } from '../support/harness.ts'
import { type Exported, event, type Item, many, purchase, type TrackBody } from '../support/people.ts'

/** Sends one request. */
export type Send = (path: string, body: unknown) => Promise<Answer>

/** What one request changes of one person, in a form that an export shows. */
type Share = {
  /** The person: an external_id, or the address of a person without other identifiers. */
  readonly person: string
  readonly kind: 'mark' | 'count' | 'event' | 'purchase'
  /** The increase of the counter, the number of events, the quantity of purchases. */
  readonly amount: number
}

export type Order = { readonly id: string; readonly shares: readonly Share[]; readonly body: TrackBody }

/** The answer to the client: applied, not applied, or unknown (no answer, or an answer that says so). */
type Verdict = 'taken' | 'refused' | 'unsaid'

const amountMax = 5
const sharesMax = 4
const peopleCount = 40
const exportIdsMax = 50
/** The message of a request that may or may not have been applied. */
export const outcomeUnknown = 'The outcome of this request is not known'
const fields = ['external_id', 'email', 'custom_attributes', 'custom_events', 'purchases']

/** An array of a profile keeps this many items. A test starts a new ledger before it is full. */
const seenMax = 500

/**
 * Makes track requests with distinct effects, records the answer to each, and compares them with what the service
 * exports: an accepted request is there exactly once, a refused one is not, and each other one is there completely or not at all.
 */
export class Ledger {
  readonly #name: string
  readonly #chance: Random
  readonly #verdicts = new Map<Order, Verdict>()
  readonly #mails = new Set<string>()
  #made = 0

  constructor(name: string, chance: Random) {
    this.#name = name
    this.#chance = chance
  }

  get size(): number {
    return this.#verdicts.size
  }

  count(verdict: Verdict): number {
    return [...this.#verdicts.values()].filter((each) => each === verdict).length
  }

  /** The people that most requests are about; half of them also have an e-mail address, by which some requests name them. */
  async prepare(send: Send): Promise<void> {
    const people = many(peopleCount, (i) => this.#standing(i))
    const attributes = people.map((external_id, i) =>
      i % 2 === 0 ? { external_id } : { external_id, email: mailOf(external_id) },
    )
    const { status, text } = await send('/users/track', { attributes })
    assert.equal(status, 201, text)
  }

  next(): Order {
    const id = `${this.#name}-r${this.#made++}`
    const order = this.#order(id)
    this.#verdicts.set(order, 'unsaid')
    return order
  }

  /** Records an answer. Anything except 201 with everything processed, and 503 with Retry-After, is an error. */
  note(order: Order, { status, headers, text, body }: Answer): void {
    assert.ok(status === 201 || status === 503, `${order.id} was answered ${status}: ${text}`)
    assert.equal(typeof body?.message, 'string', text)
    if (status === 201) {
      assert.equal(body.errors, undefined, text)
      this.#verdicts.set(order, 'taken')
    } else {
      assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
      if (body.message !== outcomeUnknown) this.#verdicts.set(order, 'refused')
    }
  }

  /**
   * Sends requests, several at once, until it is stopped or a request has no answer. Resolves when the last one has ended.
   */
  async load(
    send: (...request: Parameters<Send>) => Promise<Answer | undefined>,
    senders: number,
    signal: AbortSignal,
  ): Promise<void> {
    const sender = async () => {
      while (!signal.aborted) {
        const order = this.next()
        const answer = await send('/users/track', order.body)
        if (answer === undefined) return
        this.note(order, answer)
        if (answer.status === 503) await new Promise((resume) => setTimeout(resume, 20))
      }
    }
    await Promise.all(many(senders, sender))
  }

  /** Compares all recorded requests with an export. Returns how many requests took effect. */
  async check(send: Send): Promise<number> {
    const records = await this.#export(send)
    const present: Order[] = []
    for (const [order, verdict] of this.#verdicts) {
      const traces = order.shares.map((share) => trace(order.id, share, records.get(share.person)))
      const whole = traces.every((there) => there)
      const none = traces.every((there) => !there)
      assert.ok(whole || none, `${order.id} (${verdict}) is half stored: ${JSON.stringify({ ...order, traces })}`)
      if (verdict === 'taken') assert.ok(whole, `${order.id} was acknowledged and is lost`)
      if (verdict === 'refused') assert.ok(none, `${order.id} was refused and is stored`)
      if (whole) present.push(order)
    }
    checkCounters(present, records)
    return present.length
  }

  async #export(send: Send): Promise<Map<string, Exported>> {
    const ids = [...new Set([...this.#verdicts.keys()].flatMap(({ shares }) => shares.map(({ person }) => person)))]
    const records = new Map<string, Exported>()
    const add = async (asked: Item): Promise<void> => {
      const { status, text, body } = await send('/users/export/ids', { ...asked, fields_to_export: fields })
      assert.equal(status, 201, text)
      for (const record of body.users as Exported[]) {
        const person = record.external_id ?? record.email!
        assert.ok(!records.has(person), `${person} is exported twice`)
        records.set(person, record)
      }
    }
    const named = ids.filter((id) => !this.#mails.has(id))
    for (let at = 0; at < named.length; at += exportIdsMax)
      await add({ external_ids: named.slice(at, at + exportIdsMax) })
    for (const email_address of ids.filter((id) => this.#mails.has(id))) await add({ email_address })
    return records
  }

  #standing(i: number): string {
    return `${this.#name}-p${i}`
  }

  #order(id: string): Order {
    const chance = this.#chance
    const shares = new Map<string, Share>()
    const arrays = { attributes: [] as Item[], events: [] as Item[], purchases: [] as Item[] }
    for (let left = 1 + chance.below(sharesMax); left > 0; left--) {
      const { person, who } = this.#randomPerson(id, left)
      const amount = 1 + chance.below(amountMax)
      const kind = chance.pick(['mark', 'count', 'count', 'event', 'purchase'] as const)
      if (shares.has(`${person} ${kind}`)) continue
      shares.set(`${person} ${kind}`, { person, kind, amount })
      if (kind === 'mark') arrays.attributes.push({ ...who, [markOf(id)]: true })
      if (kind === 'event') arrays.events.push(...many(amount, () => event(who, { name: id })))
      if (kind === 'purchase') arrays.purchases.push(purchase(who, { product_id: id, quantity: amount }))
      if (kind === 'count') {
        // Half of them also set a field with its own rules, which is written by another statement.
        const more = chance.below(2) === 0 ? { first_name: id } : {}
        arrays.attributes.push({ ...who, ...more, total: { inc: amount }, seen: { add: [id] } })
      }
    }
    const filled = Object.entries(arrays).filter(([, items]) => items.length > 0)
    return { id, shares: [...shares.values()], body: Object.fromEntries(filled) }
  }

  #randomPerson(id: string, nth: number): { person: string; who: Item } {
    const choice = this.#chance.below(10)
    const person = choice < 2 ? `${id}-new${nth}` : this.#standing(this.#chance.below(peopleCount))
    if (choice === 0) {
      this.#mails.add(mailOf(person))
      return { person: mailOf(person), who: { email: mailOf(person) } }
    }
    const byMail = choice > 1 && this.#chance.below(2) === 0 && Number(person.split('-p')[1]) % 2 === 1
    return { person, who: byMail ? { email: mailOf(person) } : { external_id: person } }
  }
}

function mailOf(person: string): string {
  return `${person}@example.com`
}

function markOf(id: string): string {
  return `has ${id}`
}

/** Returns whether a change took effect. A partial effect is an error. */
function trace(id: string, { kind, amount, person }: Share, record: Exported | undefined): boolean {
  if (!record) return false
  const { custom_attributes = {}, custom_events = [], purchases = [] } = record
  if (kind === 'mark') return custom_attributes[markOf(id)] === true
  if (kind === 'count') return ((custom_attributes.seen ?? []) as string[]).includes(id)
  const count = (kind === 'event' ? custom_events : purchases).find(({ name }) => name === id)?.count ?? 0
  assert.ok(count === 0 || count === amount, `${id}: ${count} of ${amount} (${kind}) are with ${person}`)
  return count > 0
}

/** Checks that each counter is the sum of the requests that took effect. */
function checkCounters(present: readonly Order[], records: ReadonlyMap<string, Exported>): void {
  const sums = new Map<string, { total: number; seen: string[] }>()
  for (const { id, shares } of present) {
    for (const { person, kind, amount } of shares.filter((share) => share.kind === 'count')) {
      const sum = sums.get(person) ?? { total: 0, seen: [] }
      assert.ok(sum.seen.length < seenMax, 'the ledger is full: split this load')
      sums.set(person, { total: sum.total + amount, seen: kind === 'count' ? [...sum.seen, id] : sum.seen })
    }
  }
  for (const [person, { custom_attributes = {} }] of records) {
    const { total, seen } = sums.get(person) ?? { total: undefined, seen: undefined }
    assert.equal(custom_attributes.total, total, `the counter of ${person}`)
    assert.deepEqual(
      (custom_attributes.seen as string[] | undefined)?.toSorted(),
      seen?.toSorted(),
      `the list of ${person}`,
    )
  }
}
