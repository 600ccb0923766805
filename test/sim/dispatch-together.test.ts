import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { parseUuid } from '../../src/base/ids.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { databases, type Service, type Spawned, spawnService, startService } from '../support/harness.ts'
import { assertMessageStates, watchMessageStates } from '../support/message-states.ts'
import { audience, letter, sendingWorkspace } from '../support/messages.ts'
import { type Item, many } from '../support/people.ts'

const peopleCount = 60
const sendsPerRound = 6
const disturbances = 40
const connections = 3
const quickMsMax = 15
const slowMsMax = 300
/** The number of mails of the worker that is killed. */
const killMailsMax = 12
/** It may get fewer mails. */
const dyingMsMax = 2_000
const refusing = 'refusing.example'
const patienceMs = 240_000
const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: processes cannot share a database'

/** One person in six has a special state. */
const kinds = ['unsubscribed', 'refused_by_server', 'no_address', 'sent', 'sent', 'sent'] as const
const ids = many(peopleCount, (i) => `p${i}`)
const kindOf = (id: string) => kinds[Number(id.slice(1)) % kinds.length]!
const isGold = (id: string) => Number(id.slice(1)) % 4 !== 0
const addressOf = (id: string) => `${id}@${kindOf(id) === 'refused_by_server' ? refusing : `d${id.length}.example`}`

/** An order, and the reason with which each recipient must end. An identifier without a person ends with `nobody`. */
type Sent = {
  readonly dispatch_id: string
  readonly subject: string
  readonly isMarketing: boolean
  readonly expected: ReadonlyMap<string, string>
  isCancelled: boolean
}

test('two schedulers and three workers send each mail once when flows are paused, orders cancelled and a worker is killed', {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${seed}`)
  await using stack = new AsyncDisposableStack()
  const server = await startMailServer()
  stack.defer(() => server.close())
  // The worker that is killed has its own mail server: it is killed while that server has a mail of it.
  const last = await startMailServer()
  stack.defer(() => last.close())
  const env = { DATABASE_URL: await newDatabase('together'), SMTP_URL: server.url, SMTP_CONNECTIONS: `${connections}` }
  let db: Db | undefined
  const opened = (own: Db) => {
    db ??= own
  }
  const first = stack.use(await startService({ env, workspace: sendingWorkspace, opened }))
  await watchMessageStates(db!)
  const second = stack.use(await startService({ env: { ...env, EASEL_ROLE: 'http' } }))
  const worker = { ...env, EASEL_ROLE: 'worker' }
  stack.use(await startService({ env: worker }))
  await prepare(first)
  for (let round = 0; round < sizes.dispatchTogetherRounds; round++) {
    const leaving = await startService({ env: worker })
    await using killed = await spawnService({ env: { ...worker, SMTP_URL: last.url } })
    const together = new Together(db!, [first, second], [server, last], new Random(seed + round))
    t.diagnostic(await together.run(killed, leaving))
  }
  t.diagnostic(`${await assertMessageStates(db!)} kinds of changes of messages`)
})

async function prepare(service: Service): Promise<void> {
  for (let from = 0; from < peopleCount; from += 50) {
    const attributes = ids.slice(from, from + 50).map((external_id) => ({
      external_id,
      plan: isGold(external_id) ? 'gold' : 'silver',
      ...(kindOf(external_id) !== 'no_address' && { email: addressOf(external_id) }),
      ...(kindOf(external_id) === 'unsubscribed' && { email_subscribe: 'unsubscribed' }),
    }))
    const { status, text } = await service.post('/users/track', { attributes })
    assert.equal(status, 201, text)
  }
}

let made = 0

/** A few orders, processed by all schedulers and workers at once. */
class Together {
  readonly #db: Db
  readonly #services: readonly Service[]
  readonly #servers: readonly [MailServer, MailServer]
  readonly #chance: Random
  readonly #sends: Sent[] = []

  constructor(db: Db, services: readonly Service[], servers: readonly [MailServer, MailServer], chance: Random) {
    this.#db = db
    this.#services = services
    this.#servers = servers
    this.#chance = chance
  }

  /** One worker is killed meanwhile, another one stops in order. */
  async run(killed: Spawned, leaving: Service): Promise<string> {
    const chance = this.#chance
    const dying = this.#serve(killed, 1 + chance.below(killMailsMax))
    const leaveAt = chance.below(disturbances)
    let left: PromiseLike<void> | undefined
    for (let i = 0; i < disturbances; i++) {
      if (i % Math.ceil(disturbances / sendsPerRound) === 0) await this.#send()
      if (i === leaveAt) left = leaving[Symbol.asyncDispose]()
      await pause(chance.below(30))
      await this.#disturb()
    }
    await left
    await Promise.race([dying, pause(dyingMsMax)])
    await killed.kill('SIGKILL')
    for (const sent of this.#sends) if (!sent.isCancelled) await this.#act(sent, 'resume')
    await this.#untilCompleted()
    return this.#check()
  }

  /** Resolves when the worker was killed, at this many mails before their hand-over. */
  #serve(killed: Spawned, mails: number): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const [server, last] = this.#servers
    let handed = 0
    for (const each of this.#servers) {
      each.forget()
      each.at('rcpt', (to) => (to.endsWith(refusing) ? { code: 554, text: '5.7.1 not you' } : undefined))
    }
    // While it runs the others have a slower server, so that it gets its share.
    server.at('data', () => pause(this.#chance.below(handed < mails ? slowMsMax : quickMsMax), undefined))
    last.at('data', () => {
      if (++handed === mails) resolve(killed.kill('SIGKILL'))
      return pause(this.#chance.below(quickMsMax), undefined)
    })
    return promise
  }

  #any(): Service {
    return this.#chance.pick(this.#services)
  }

  /** Sends an order, due at once or a little later. */
  async #send(): Promise<void> {
    const subject = `Send ${made++}`
    const isMarketing = this.#chance.below(3) > 0
    const { who, expected } = this.#recipients()
    const later = this.#chance.below(3) === 0
    const body = {
      ...letter(who, { subject }),
      ...(!isMarketing && { recipient_subscription_state: 'all' }),
      ...(later && { schedule: { time: new Date(Date.now() + 1_000 + this.#chance.below(1_500)).toISOString() } }),
    }
    const path = later ? '/messages/schedule/create' : '/messages/send'
    const answer = await this.#any().post(path, body)
    assert.equal(answer.status, 201, answer.text)
    const reasons = new Map(
      [...expected].map(([id, kind]) => [id, kind === 'unsubscribed' && !isMarketing ? 'sent' : kind]),
    )
    this.#sends.push({
      dispatch_id: answer.body.dispatch_id,
      subject,
      isMarketing,
      expected: reasons,
      isCancelled: false,
    })
  }

  /** Listed people, a segment, an audience, or the listed people who are in a segment. */
  #recipients(): { who: Item; expected: ReadonlyMap<string, string> } {
    const way = this.#chance.below(4)
    const gold = new Map(ids.filter(isGold).map((id) => [id, kindOf(id)]))
    if (way === 0) return { who: { segment_id: 'gold', broadcast: true }, expected: gold }
    if (way === 1) return { who: { audience, broadcast: true }, expected: gold }
    const chosen = this.#chance.chosen(peopleCount, 45)
    const listed = ids.filter((_, i) => chosen[i])
    const who = { external_user_ids: [...listed, 'nobody'], ...(way === 2 && { segment_id: 'gold' }) }
    const evaluated = listed.map((id) => [id, way === 2 && !isGold(id) ? 'not_in_segment' : kindOf(id)] as const)
    return { who, expected: new Map<string, string>([...evaluated, ['nobody', 'no_such_user']]) }
  }

  async #disturb(): Promise<void> {
    const sent = this.#chance.pick(this.#sends)
    const what = this.#chance.below(12)
    if (sent.isCancelled) return
    if (what < 4) await this.#act(sent, 'pause')
    else if (what < 8) await this.#act(sent, 'resume')
    else if (what === 8 && this.#chance.below(2) === 0) {
      sent.isCancelled = true
      await this.#act(sent, 'cancel')
    }
  }

  async #act({ dispatch_id }: Sent, verb: 'pause' | 'resume' | 'cancel'): Promise<void> {
    await this.#any().admin('POST', `/admin/dispatches/${dispatch_id}/${verb}`)
  }

  async #untilCompleted(): Promise<void> {
    for (const untilMs = performance.now() + patienceMs; ; await pause(100)) {
      const left = await this.#db.query(sql`
        select 'slot' as what, state from dispatch_slot where state in ('waiting', 'held', 'running')
        union all select 'message', state from message where state in ('queued', 'held', 'leased', 'handed_over')
        union all select 'dispatch', state from dispatch where unsettled limit 10`)
      if (left.length === 0) return
      assert.ok(performance.now() < untilMs, `everything ends: ${JSON.stringify(left)}`)
    }
  }

  async #check(): Promise<string> {
    let uncertain = 0
    let found = 0
    for (const sent of this.#sends) {
      const ends = await this.#endsOf(sent)
      found += ends.size
      uncertain += [...ends.values()].filter((reason) => reason === 'uncertain').length
      this.#checkEnds(sent, ends)
      this.#checkMails(sent, ends)
      await this.#checkCounts(sent, ends)
    }
    assert.ok(uncertain <= connections, `${uncertain} are uncertain after one kill`)
    const cancelled = this.#sends.filter(({ isCancelled }) => isCancelled).length
    const [, killed] = this.#servers
    const orders = `${found} ends of ${this.#sends.length} sends, ${cancelled} of them cancelled`
    return `${orders}; ${uncertain} uncertain, ${killed.seen.length} mails by the one that was killed`
  }

  /** Returns the one reason with which each person ended. The ledger and the message must agree. */
  async #endsOf({ dispatch_id, subject }: Sent): Promise<ReadonlyMap<string, string>> {
    const cause = parseUuid(dispatch_id)!
    const rows = await this.#db.query<{ id: string; reasons: string[]; message: string | null; count: number }>(sql`
      select coalesce(p.external_id, d.asked->>'external_user_id') as id, array_agg(d.reason) as reasons,
        min(m.reason) as message, count(m)::int as count
      from decision d
      left join profile p on p.bucket = d.bucket and p.profile_id = d.profile_id
      left join message m on m.bucket = d.bucket and m.message_id = d.message_id
      where d.cause = ${cause}::uuid group by 1`)
    const messages = await this.#db.query(sql`select 1 from message where cause = ${cause}::uuid`)
    assert.equal(
      rows.filter(({ id }) => id !== 'nobody').length,
      messages.length,
      `${subject}: each message has an end`,
    )
    for (const { id, reasons, message, count } of rows) {
      const one = id === 'nobody' ? [['no_such_user'], null, 0] : [[message], message, 1]
      assert.deepEqual([reasons, message, count], one, `${subject}: ${id} has one end`)
    }
    return new Map(rows.map(({ id, reasons }) => [id, reasons[0]!]))
  }

  #checkEnds({ expected, subject, isCancelled }: Sent, ends: ReadonlyMap<string, string>): void {
    const unexpected = [...ends.keys()].filter((id) => !expected.has(id))
    assert.deepEqual(unexpected, [], `${subject} has an unexpected recipient`)
    for (const [id, wanted] of expected) {
      const reason = ends.get(id)
      const wasTried = wanted === 'sent' || wanted === 'refused_by_server'
      if (reason === wanted || (wasTried && reason === 'uncertain')) continue
      const mayBe = isCancelled && (reason === undefined || reason === 'cancelled')
      assert.ok(mayBe, `${subject}: ${id} ended as ${reason} instead of ${wanted}`)
    }
  }

  /** Checks that exactly the people with the reason `sent` have a mail. Only transactional mail may arrive twice, after the kill. */
  #checkMails({ subject, isMarketing }: Sent, ends: ReadonlyMap<string, string>): void {
    const seen = this.#servers.flatMap((server) => server.seen)
    const mails = seen.filter(({ content }) => content.includes(`\r\nSubject: ${subject}\r\n`))
    const copies = Map.groupBy(mails, ({ to }) => to[0]!)
    for (const [id, reason] of ends) {
      const count = copies.get(addressOf(id))?.length ?? 0
      copies.delete(addressOf(id))
      const most = mostOf(reason, isMarketing)
      const least = reason === 'sent' ? 1 : 0
      assert.ok(
        count >= least && count <= most,
        `${subject} (${isMarketing ? 'marketing' : 'transactional'}): ${id} got ${count} mails and ended as ${reason}`,
      )
    }
    assert.deepEqual([...copies.keys()], [], `${subject} has a mail without a message`)
    const ids = new Set(mails.map(({ content }) => /^Message-ID:\s*(<[^>]+>)/im.exec(content)![1]))
    assert.ok(mails.length - ids.size <= connections)
  }

  async #checkCounts({ dispatch_id, subject }: Sent, ends: ReadonlyMap<string, string>): Promise<void> {
    const { body } = await this.#any().admin('GET', `/admin/dispatches/${dispatch_id}`)
    const counts = Map.groupBy(ends.values(), (reason) => reason)
    const expected = Object.fromEntries([...counts].map(([reason, all]) => [reason, all.length]))
    assert.deepEqual(body.dispatch.reasons, expected, subject)
    assert.equal(body.dispatch.found, ends.size - (ends.has('nobody') ? 1 : 0), subject)
  }
}

/** Returns how many copies are allowed. Transactional mail that the killed worker had handed over is sent again. */
function mostOf(reason: string, isMarketing: boolean): number {
  if (reason === 'sent') return isMarketing ? 1 : 2
  return reason === 'uncertain' ? 1 : 0
}
