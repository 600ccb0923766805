import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../bench/random.ts'
import { noRequest } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import { int4Array, int8Array } from '../../src/base/db/arrays.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { newUuid, parseUuid } from '../../src/base/ids.ts'
import { changeOrder } from '../../src/messaging/expansion/change-order.ts'
import { openExpander } from '../../src/messaging/expansion/expand.ts'
import { openPages } from '../../src/messaging/expansion/pages.ts'
import { LeaseLost } from '../../src/messaging/expansion/write-page.ts'
import { recordDecisions } from '../../src/messaging/ledger/record-decisions.ts'
import { acceptOrder } from '../../src/messaging/orders/accept-order.ts'
import type { Sending } from '../../src/messaging/orders/sending.ts'
import { claimSlot } from '../../src/messaging/orders/slot-store.ts'
import { seed, sizes } from '../sizes.ts'
import { blank, insert, personOf, workspace_id } from '../storage/crowd.ts'
import { onBothDatabases, quiet } from '../support/databases.ts'
import { expandServices } from '../support/expansion.ts'
import { many } from '../support/people.ts'

const clock = systemClock()
const peopleCount = 300
/** Small pages, so that many actions happen between them. */
const pageMax = 10
const disturbances = 80
const doneMsMax = 240_000
const shortLeaseMs = 30
const longLeaseMs = 3_600_000
/** The scheduler abandons a slot that fails five times. So only this many schedulers may die with a slot, or return too late. */
const lossesMax = 4

type Row = { cause: string; profile_id: string; state: string; reason: string | null; decisions: number; times: number }

onBothDatabases(
  'each person gets one message of an order, for any sequence of pauses, resumes and cancellations',
  async (open, t) => {
    t.diagnostic(`seed ${seed}`)
    const dbs = await open.processes(2)
    const [db] = dbs as [Db]
    await insert(db, 'workspace', [{ workspace_id, id: 'w', name: 'W', settings: {}, created_at: blank.created_at }])
    const rows = many(peopleCount, (i) => ({
      ...blank,
      bucket: personOf(i).bucket,
      profile_id: personOf(i).profile_id,
    }))
    await insert(db, 'profile', rows)
    for (let round = 0; round < sizes.dispatchRounds; round++) {
      t.diagnostic(await new Round(dbs, new Random(seed + round)).run())
    }
  },
)

class Round {
  readonly #dbs: readonly Db[]
  readonly #chance: Random
  #ids: string[] = []
  #cancelled = new Set<string>()
  #losses = 0
  #stalled = 0
  #changes = 0
  #isOver = false

  constructor(dbs: readonly Db[], chance: Random) {
    this.#dbs = dbs
    this.#chance = chance
  }

  /** Each person is in three orders. The last one is cancelled while it runs. */
  async run(): Promise<string> {
    this.#ids = []
    for (const _ of [1, 2, 3]) this.#ids.push(await this.#accept())
    // An embedded database has one process: the claim of an ended process does not delay the next one.
    if (this.#dbs.length === 1) await this.#claim(longLeaseMs)
    const expanders = this.#dbs.map((db) => openExpander({ ...expandServices(db, clock), pageMax }))
    const senders = this.#dbs.map((db) => this.#send(db))
    for (let i = 0; i < disturbances; i++) await this.#disturb()
    await this.#change(this.#ids[2]!, 'cancelled')
    for (const id of this.#ids.slice(0, 2)) await this.#change(id, 'active')
    await this.#untilCompleted()
    this.#isOver = true
    await Promise.all(senders)
    for (const expander of expanders) await expander.close()
    return this.#check()
  }

  async #accept(): Promise<string> {
    const sending: Sending & { email: object } = {
      broadcast: true,
      recipient_subscription_state: 'all',
      override_frequency_capping: false,
      email: { app_id: 'a', from: 'a@example.com' },
    }
    const db = this.#any()
    const { dispatch_id } = await db.transaction((tx) =>
      acceptOrder(tx, this.#call(db), { sending, class: 'marketing' }),
    )
    return parseUuid(dispatch_id)!
  }

  #any(): Db {
    return this.#chance.pick(this.#dbs)
  }

  #call(db: Db) {
    const actor = { kind: 'admin', id: '', name: '', from: noRequest } as const
    return { db, workspace_id, actor, strict: false, clock, log: quiet, signal: new AbortController().signal }
  }

  async #disturb(): Promise<void> {
    await pause(this.#chance.below(25))
    const what = this.#chance.below(20)
    const id = this.#chance.pick(this.#ids)
    if (what < 7) await this.#change(id, 'paused')
    else if (what < 15) await this.#change(id, 'active')
    else if (what < 19 && this.#losses++ < lossesMax) await (what < 17 ? this.#die() : this.#stall())
    else if (this.#chance.below(8) === 0) await this.#change(this.#ids[2]!, 'cancelled')
  }

  async #change(id: string, state: 'paused' | 'active' | 'cancelled'): Promise<void> {
    if (this.#cancelled.has(id)) return
    if (state === 'cancelled') this.#cancelled.add(id)
    await changeOrder(this.#call(this.#any()), workspace_id, id, state)
    this.#changes++
  }

  /** A worker that claims a slot and never continues. */
  async #die(): Promise<void> {
    await this.#claim()
  }

  /** A worker that returns after its lease: it continues if no other worker has, and writes nothing otherwise. */
  async #stall(): Promise<void> {
    const claimed = await this.#claim()
    if (!claimed) return
    await pause(2 * shortLeaseMs)
    const pages = await openPages(claimed, { ...expandServices(this.#any(), clock), pageMax })
    const [outcome] = await Promise.allSettled([pages.next()])
    if (outcome.status === 'fulfilled') return
    assert.ok(outcome.reason instanceof LeaseLost, String(outcome.reason))
    this.#stalled++
  }

  #claim(leaseMs = shortLeaseMs) {
    const elapsedMs = clock.elapsed()
    const times = { nowMs: clock.now(), elapsedMs, untilMs: elapsedMs + leaseMs }
    return this.#any().transaction((tx) => claimSlot(tx, newUuid(), 'begun', times))
  }

  /** Replaces the delivery: claims queued messages, and completes or releases them. */
  async #send(db: Db): Promise<void> {
    while (!this.#isOver) {
      const taken = await db.query<{ bucket: number; message_id: string; profile_id: string; cause: string }>(sql`
        update message m set state = 'leased' from (
          select m.bucket, m.message_id from message m join dispatch d on d.dispatch_id = m.cause and d.state = 'active'
          where m.state = 'queued' limit 40 for update of m skip locked) o
        where m.bucket = o.bucket and m.message_id = o.message_id
        returning m.bucket, m.message_id, m.profile_id, m.cause`)
      await pause(this.#chance.below(10) + (taken.length === 0 ? 10 : 0))
      const givenBack = this.#chance.below(4) === 0
      await db.transaction(async (tx) => {
        await tx.query(sql`
          update message set state = ${givenBack ? 'queued' : 'accepted'}, reason = ${givenBack ? null : 'sent'}
          where bucket = any(${int4Array(taken.map(({ bucket }) => bucket))}::int4[])
            and message_id = any(${int8Array(taken.map(({ message_id }) => message_id))}::int8[]) and state = 'leased'`)
        const decided = { workspace_id, channel: 'email', reason: 'sent', stampUs: clock.stamp() } as const
        if (!givenBack)
          await recordDecisions(
            tx,
            taken.map((one) => ({ ...one, ...decided })),
          )
      })
    }
  }

  async #untilCompleted(): Promise<void> {
    const endMs = clock.elapsed() + doneMsMax
    for (;;) {
      const left = await this.#dbs[0]!.query(sql`
        select 1 from dispatch_slot where state in ('waiting', 'held', 'running')
        union all select 1 from dispatch where unsettled
        union all select 1 from message where state in ('queued', 'held', 'leased') limit 1`)
      if (left.length === 0) return
      assert.ok(clock.elapsed() < endMs, 'all messages end')
      await pause(20)
    }
  }

  async #check(): Promise<string> {
    const failures = await this.#dbs[0]!.query(sql`select failure from dispatch_slot where failure is not null`)
    assert.deepEqual(failures, [])
    const [first, second, third] = this.#ids as [string, string, string]
    const rows = await this.#dbs[0]!.query<Row>(sql`
      select m.cause, m.profile_id, min(m.state) as state, min(m.reason) as reason, count(distinct m.message_id)::int as times,
        (select count(*)::int from decision d where d.cause = m.cause and d.profile_id = m.profile_id
          and d.reason = min(m.reason)) as decisions
      from message m where m.cause = any(array[${first}, ${second}, ${third}]::uuid[]) group by m.cause, m.profile_id`)
    assert.deepEqual(
      rows.filter(({ times, decisions }) => times !== 1 || decisions !== 1),
      [],
    )
    const of = (id: string) => rows.filter(({ cause }) => cause === id)
    for (const id of [first, second]) {
      assert.equal(of(id).length, peopleCount)
      assert.ok(of(id).every(({ state, reason }) => state === 'accepted' && reason === 'sent'))
    }
    const ended = new Set(of(third).map(({ state, reason }) => `${state} ${reason}`))
    assert.ok(
      [...ended].every((end) => end === 'accepted sent' || end === 'cancelled cancelled'),
      [...ended].join(),
    )
    const [decisions] = await this.#dbs[0]!.query<{ count: number }>(sql`
      select count(*)::int as count from decision d where d.cause = any(array[${first}, ${second}, ${third}]::uuid[])`)
    assert.equal(decisions?.count, rows.length)
    return `${this.#changes} changes, ${this.#stalled} stalled workers, ${of(third).length} found before the end of the third`
  }
}
