import assert from 'node:assert/strict'
import test from 'node:test'
import type pg from 'pg'
import { Random } from '../../bench/random.ts'
import { raw } from '../../src/base/db/sql.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { type Exported, event, type Item, many, People, purchase, workspace } from '../support/people.ts'
import { placeFor } from '../support/table-rows.ts'
import { checkInvariants } from './people-invariants.ts'

const clients = 12
const peopleCount = 80
const drainMsMax = 120_000
const amountMax = 5
const exportIdsMax = 50
const fields = ['service_id', 'custom_attributes', 'custom_events', 'purchases']

for (const database of drawDatabases('merges in a crowd')) {
  test(`no data is lost or doubled when clients track and merge the same people (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    await using shared = await placeFor(database)
    const people = new People()
    await people.start({ database, env: shared.env, workspace })
    try {
      for (let round = 0; round < sizes.mergeCrowdRounds; round++) {
        const crowd = new Crowd(people, `r${round}`, new Random(seed + round))
        await crowd.run()
        await drained(people)
        t.diagnostic(await crowd.check())
      }
      const metrics = (await people.service.get('/metrics')).text
      assert.match(metrics, /^easel_work_bisects_total 0$/m)
      assert.match(metrics, /^easel_intake_bisects_total 0$/m)
      assert.doesNotMatch(metrics, /status="5\d\d"/)
    } finally {
      await people.stop()
    }
    const db = await shared.open()
    const query = async (text: string) => ({ rows: await db.query(raw(text)) })
    await checkInvariants({ query } as unknown as pg.Client, new Set()).finally(() => db.close())
  })
}

type Sums = { events: number; bought: number; marks: Map<string, number> }

/** Clients that change the same people and count their accepted changes. */
class Crowd {
  readonly #people: People
  readonly #name: string
  readonly #chance: Random
  readonly #sums: Sums = { events: 0, bought: 0, marks: new Map() }
  #tracks = 0
  #merges = 0

  constructor(people: People, name: string, chance: Random) {
    this.#people = people
    this.#name = name
    this.#chance = chance
  }

  async run(): Promise<void> {
    const endsAt = performance.now() + sizes.mergeCrowdSeconds * 1000
    const client = async () => {
      while (performance.now() < endsAt) await (this.#chance.below(10) < 7 ? this.#track() : this.#merge())
    }
    await Promise.all(many(clients, client))
  }

  /** Checks that all accepted data is at the kept profiles, each item once. */
  async check(): Promise<string> {
    const survivors = await this.#survivors()
    const found: Sums = { events: 0, bought: 0, marks: new Map() }
    for (const { custom_attributes = {}, custom_events = [], purchases = [] } of survivors) {
      for (const { count } of custom_events) found.events += count
      for (const { count } of purchases) found.bought += count
      for (const [mark, amount] of Object.entries(custom_attributes)) {
        assert.ok(!found.marks.has(mark), `${mark} is there twice`)
        found.marks.set(mark, Number(amount))
      }
    }
    assert.deepEqual([found.events, found.bought], [this.#sums.events, this.#sums.bought])
    assert.deepEqual(sorted(found.marks), sorted(this.#sums.marks))
    return `${this.#tracks} requests tracked, ${this.#merges} merged, ${survivors.length} people are left`
  }

  async #track(): Promise<void> {
    const marks = new Map<string, number>()
    const attributes = many(this.#chance.below(3), () => {
      const mark = `${this.#name}-${this.#tracks}-${marks.size}`
      const amount = 1 + this.#chance.below(amountMax)
      marks.set(mark, amount)
      // Half of them also set a field with rules of its own, which is written another way.
      return {
        ...this.#identifierOfAny(),
        ...(this.#chance.below(2) === 0 && { first_name: mark }),
        [mark]: { inc: amount },
      }
    })
    this.#tracks++
    const events = many(this.#chance.below(4), () => event(this.#identifierOfAny()))
    const purchases = many(1 + this.#chance.below(2), () => {
      return purchase(this.#identifierOfAny(), { quantity: 1 + this.#chance.below(amountMax) })
    })
    await this.#people.accept({ attributes, events, purchases })
    this.#sums.events += events.length
    this.#sums.bought += purchases.reduce((sum, { quantity }) => sum + Number(quantity), 0)
    for (const [mark, amount] of marks) this.#sums.marks.set(mark, amount)
  }

  async #merge(): Promise<void> {
    if (this.#chance.below(8) === 0) return this.#identify()
    const merge_updates = many(1 + this.#chance.below(3), () => {
      return { identifier_to_merge: this.#choice(), identifier_to_keep: this.#choice() }
    })
    this.#merges += merge_updates.length
    const { status, text } = await this.#people.send('/users/merge', { merge_updates })
    assert.equal(status, 202, text)
  }

  async #identify(): Promise<void> {
    const { external_id, email } = this.#one()
    const emails_to_identify = [{ external_id, email, prioritization: ['unidentified', 'most_recently_updated'] }]
    const { status, text } = await this.#people.send('/users/identify', { emails_to_identify })
    assert.equal(status, 201, text)
  }

  #one(): { external_id: string; email: string } {
    const external_id = `${this.#name}-p${this.#chance.below(peopleCount)}`
    return { external_id, email: `${external_id}@example.com` }
  }

  /** Returns an identifier of a person, or an e-mail address that may belong to another person later. */
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

  async #survivors(): Promise<Exported[]> {
    const ids = many(peopleCount, (i) => `${this.#name}-p${i}`)
    const found: Exported[] = []
    for (let at = 0; at < ids.length; at += exportIdsMax)
      found.push(...(await this.#people.find({ external_ids: ids.slice(at, at + exportIdsMax) }, fields)))
    for (const id of ids) found.push(...(await this.#people.find({ email_address: `${id}@example.com` }, fields)))
    return [...new Map(found.map((record) => [record.service_id, record])).values()]
  }
}

function sorted(marks: ReadonlyMap<string, number>): [string, number][] {
  return [...marks].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Work that is accepted under load takes a while. */
async function drained(people: People): Promise<void> {
  const givenUpAt = performance.now() + drainMsMax
  for (;;) {
    const { counts } = await people.work('limit=1')
    if (counts.waiting === 0) return people.settled()
    assert.ok(performance.now() < givenUpAt, `${counts.waiting} items wait`)
    await new Promise((resume) => setTimeout(resume, 50))
  }
}
