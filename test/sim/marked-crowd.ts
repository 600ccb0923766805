import assert from 'node:assert/strict'
import type { Random } from '../../bench/random.ts'
import { outcomeUnknown } from '../fault/ledger.ts'
import { pause } from '../fault/load.ts'
import type { Answer } from '../support/harness.ts'
import { type Exported, event, type Item, many, purchase } from '../support/people.ts'

type Send = (path: string, body: unknown) => Promise<Answer | undefined>

const amountMax = 5
const exportIdsMax = 50
const fields = ['service_id', 'custom_attributes', 'custom_events', 'purchases']
/** A part of requests merges people, and a part of these identifies. */
const mergeEvery = 4
const identifyEvery = 6
/** A client that never pauses would make more marks than a person can have. */
const betweenMsMax = 60

/** What one request gives to somebody: a name that nothing else has, and an amount. */
type Mark = { readonly kind: 'attribute' | 'event' | 'purchase'; readonly name: string; readonly amount: number }

type Verdict = 'taken' | 'refused' | 'unsaid'

type Tracked = { readonly marks: readonly Mark[]; readonly verdict: Verdict }

/**
 * People that clients track and merge at the same time. Each request leaves marks that nothing else leaves, so that afterwards it can be
 * seen whether it took effect, and whether once, however often its people were merged.
 */
export class MarkedCrowd {
  readonly #size: number
  readonly #chance: Random
  readonly #tracked: Tracked[] = []
  #made = 0
  #merges = 0

  constructor(size: number, chance: Random) {
    this.#size = size
    this.#chance = chance
  }

  count(verdict: Verdict): number {
    return this.#tracked.filter((each) => each.verdict === verdict).length
  }

  /** Sends requests as one client until it is stopped. */
  async load(send: Send, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await (this.#chance.below(mergeEvery) === 0 ? this.#merge(send) : this.#track(send))
      await pause(this.#chance.below(betweenMsMax))
    }
  }

  /**
   * Compares all requests with what is exported: one that was acknowledged is there once, one that was refused is not there, and another
   * one is there once or not at all.
   */
  async check(send: Send): Promise<string> {
    const found = marksOf(await this.#survivors(send))
    let present = 0
    for (const { marks, verdict } of this.#tracked) {
      const amounts = marks.map(({ kind, name }) => found.get(`${kind} ${name}`) ?? [])
      const isThere = amounts.some((each) => each.length > 0)
      const expected = marks.map(({ amount }) => (isThere || verdict === 'taken' ? [amount] : []))
      assert.deepEqual(amounts, expected, `${verdict}: ${JSON.stringify(marks)}`)
      if (verdict === 'refused') assert.ok(!isThere, `refused: ${JSON.stringify(marks)}`)
      if (isThere) present++
    }
    const verdicts = (['taken', 'refused', 'unsaid'] as const).map((each) => `${this.count(each)} ${each}`).join(', ')
    return `${this.#tracked.length} requests (${verdicts}), ${present} there; ${this.#merges} merges`
  }

  async #track(send: Send): Promise<void> {
    const marks: Mark[] = []
    const mark = (kind: Mark['kind']): Mark => {
      const made: Mark = { kind, name: `m${this.#made++}`, amount: 1 + this.#chance.below(amountMax) }
      marks.push(made)
      return made
    }
    const attributes = many(this.#chance.below(3), () => {
      const { name, amount } = mark('attribute')
      // Half of them also set a field with rules of its own, which is written another way.
      const more = this.#chance.below(2) === 0 ? { first_name: name } : {}
      return { ...this.#identifierOfAny(), ...more, [name]: { inc: amount } }
    })
    // Events of one request are about one person, who is usually known: nothing is locked for them.
    const who = this.#identifierOfAny()
    const { name, amount } = mark('event')
    const events = many(amount, () => event(who, { name }))
    const purchases = many(this.#chance.below(2), () => {
      const { name: product_id, amount: quantity } = mark('purchase')
      return purchase(this.#identifierOfAny(), { product_id, quantity })
    })
    const answer = await send('/users/track', { attributes, events, purchases })
    this.#tracked.push({ marks, verdict: verdictOf(answer) })
  }

  async #merge(send: Send): Promise<void> {
    const { external_id, email } = this.#one()
    const isIdentified = this.#chance.below(identifyEvery) === 0
    const prioritization = ['unidentified', 'most_recently_updated']
    const answer = isIdentified
      ? await send('/users/identify', { emails_to_identify: [{ external_id, email, prioritization }] })
      : await send('/users/merge', {
          merge_updates: many(1 + this.#chance.below(2), () => ({
            identifier_to_merge: this.#choice(),
            identifier_to_keep: this.#choice(),
          })),
        })
    if (!answer) return
    assert.ok([201, 202, 503].includes(answer.status), answer.text)
    if (answer.status !== 503) this.#merges++
  }

  #one(): { external_id: string; email: string } {
    const external_id = `m${this.#chance.below(this.#size)}`
    return { external_id, email: `${external_id}@example.com` }
  }

  #identifierOfAny(): Item {
    const { external_id, email } = this.#one()
    const choice = this.#chance.below(8)
    return choice === 0 ? { email } : choice === 1 ? { external_id, email } : { external_id }
  }

  #choice(): Item {
    const { external_id, email } = this.#one()
    if (this.#chance.below(6) > 0) return { external_id }
    return { email, prioritization: [this.#chance.pick(['most_recently_updated', 'least_recently_updated'])] }
  }

  async #survivors(send: Send): Promise<readonly Exported[]> {
    const ids = many(this.#size, (i) => `m${i}`)
    const pages = many(Math.ceil(ids.length / exportIdsMax), (i) => ({
      external_ids: ids.slice(i * exportIdsMax, (i + 1) * exportIdsMax),
    }))
    const asked = [...pages, ...ids.map((id) => ({ email_address: `${id}@example.com` }))]
    const found = new Map<string, Exported>()
    for (const who of asked) {
      const answer = await send('/users/export/ids', { ...who, fields_to_export: fields })
      assert.ok(answer, 'a process that nobody ends answers')
      assert.equal(answer.status, 201, answer.text)
      for (const one of answer.body.users as Exported[]) found.set(one.service_id!, one)
    }
    return [...found.values()]
  }
}

function verdictOf(answer: Answer | undefined): Verdict {
  if (!answer) return 'unsaid'
  const { status, body, text } = answer
  assert.ok(status === 201 || status === 503, text)
  if (status === 201) {
    assert.equal(body.errors, undefined, text)
    return 'taken'
  }
  return body.message === outcomeUnknown ? 'unsaid' : 'refused'
}

/** Returns the amounts with which each mark is found, one for each person who has it. */
function marksOf(people: readonly Exported[]): ReadonlyMap<string, number[]> {
  const found = new Map<string, number[]>()
  const add = (kind: Mark['kind'], name: string, amount: number) => {
    found.getOrInsertComputed(`${kind} ${name}`, () => []).push(amount)
  }
  for (const { custom_attributes = {}, custom_events = [], purchases = [] } of people) {
    for (const [name, value] of Object.entries(custom_attributes)) add('attribute', name, Number(value))
    for (const { name, count } of custom_events) add('event', name, count)
    for (const { name, count } of purchases) add('purchase', name, count)
  }
  return found
}
