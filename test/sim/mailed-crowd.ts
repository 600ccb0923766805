import assert from 'node:assert/strict'
import type pg from 'pg'
import type { Random } from '../../bench/random.ts'
import { pause } from '../fault/load.ts'
import type { MailServer } from '../servers/smtp.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/harness.ts'
import { mail } from '../support/messages.ts'
import { event, type Item, many } from '../support/people.ts'

type Send = (path: string, body: unknown, options?: { headers: Record<string, string> }) => Promise<Answer | undefined>

const trackedMax = 50
const delayMs = 1_500
const recipientsMax = 6
const betweenMsMax = 250
const pauseMsMax = 60
/** A request that a process has not answered is repeated; the processes that remain answer it soon. */
const attemptsMax = 4_000

/** People enter this canvas once, by an event. */
export const walk: Item = {
  ...{ id: 'walk', name: 'Walk', state: 'active', class: 'transactional', first: 'hello' },
  entry: { by: ['event'], event: { name: 'joined' }, again: 'never' },
  steps: [
    { id: 'hello', type: 'message', message: mail({ subject: 'hello' }), next: 'wait' },
    { id: 'wait', type: 'delay', for: `PT${delayMs / 1_000}S`, next: 'note' },
    { id: 'note', type: 'update_user', attributes: { walked: { inc: 1 } }, next: 'bye' },
    { id: 'bye', type: 'message', message: mail({ subject: 'bye' }) },
  ],
}

/** People who go through a canvas, get marketing mail, and unsubscribe, while processes end. Nobody of them is merged. */
export class MailedCrowd {
  readonly #size: number
  readonly #chance: Random
  readonly #server: MailServer
  readonly #send: Send
  /** How often each person is a recipient of a send. */
  readonly #wanted = new Map<string, number>()
  /** How many mails the server had seen when each unsubscribe was answered. */
  readonly #leftAt = new Map<string, number>()
  #joined = 0
  #sends = 0

  constructor(size: number, chance: Random, server: MailServer, send: Send) {
    this.#size = size
    this.#chance = chance
    this.#server = server
    this.#send = send
  }

  async prepare(): Promise<void> {
    const attributes = many(this.#size, (i) => ({ external_id: `c${i}`, email: emailOf(i) }))
    for (let at = 0; at < attributes.length; at += trackedMax)
      await this.#untilAccepted('/users/track', { attributes: attributes.slice(at, at + trackedMax) })
  }

  /** Lets people enter, sends to them and unsubscribes them until it is stopped. Everybody has entered then. */
  async load(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      if (this.#joined < this.#size) await this.#join()
      const what = this.#chance.below(4)
      if (what < 2) await this.#sendToSome()
      else if (what === 2) await this.#unsubscribe()
      await pause(this.#chance.below(betweenMsMax))
    }
    while (this.#joined < this.#size) await this.#join()
  }

  /** Waits until nothing is left to do for anybody. */
  async over(client: pg.Client): Promise<void> {
    const left = async () => {
      const { rows } = await client.query(`
        select 1 from dispatch_slot where state in ('waiting', 'held', 'running')
        union all select 1 from signal union all select 1 from entry where state <> 'ended'
        union all select 1 from message where state in ('queued', 'held', 'leased', 'handed_over') limit 1`)
      return rows.length
    }
    await eventually('everything ends', async () => (await left()) === 0, 200)
  }

  /** Checks entries, messages and mails. `doubts`: how many mails may be uncertain, or may have arrived twice. */
  async check(client: pg.Client, doubts: number): Promise<string> {
    const { rows } = await client.query<Row>(`
      select p.external_id as id, p.email, (p.custom ->> 'walked')::int4 as walked,
        (select coalesce(array_agg(e.ended), '{}') from entry e where e.bucket = p.bucket and e.profile_id = p.profile_id) as entries,
        (select coalesce(json_agg(json_build_object('id', m.message_id::text, 'class', m.class, 'state', m.state,
            'reason', m.reason, 'decided', (select array_agg(d.reason) from decision d
              where d.bucket = m.bucket and d.profile_id = m.profile_id and d.message_id = m.message_id))), '[]')
          from message m where m.bucket = p.bucket and m.profile_id = p.profile_id) as messages
      from profile p where p.external_id like 'c%'`)
    assert.equal(rows.length, this.#size)
    const all = rows.flatMap(({ id, email, walked, entries, messages }) => {
      assert.deepEqual([walked, entries], [1, ['completed']], id)
      const [steps, sends] = ['transactional', 'marketing'].map((kind) =>
        messages.filter((each) => each.class === kind),
      )
      assert.deepEqual(
        steps!.map(({ state }) => state),
        ['accepted', 'accepted'],
        id,
      )
      assert.equal(sends!.length, this.#wanted.get(id) ?? 0, `${id} has a message of each send`)
      for (const { id: message_id, reason, decided } of messages)
        assert.deepEqual(decided, [reason], `message ${message_id} has one outcome`)
      return messages.map((each) => ({ ...each, email }))
    })
    const more = this.#checkMails(all)
    const uncertain = all.filter(({ state }) => state === 'uncertain').length
    assert.ok(uncertain + more <= doubts, `${uncertain} mails are uncertain and ${more} came again`)
    const left = all.filter(({ reason }) => reason === 'unsubscribed').length
    return `${this.#size} walked, ${this.#sends} sends, ${all.length} messages: ${uncertain} uncertain, ${left} unsubscribed, ${more} again`
  }

  /** Checks what arrived: all accepted mails, marketing mail once, and none after an unsubscribe was answered. Returns the copies. */
  #checkMails(all: readonly (Message & { email: string })[]): number {
    const { seen } = this.#server
    const isMarketing = (content: string) => /^List-Unsubscribe:/im.test(content)
    const byId = Map.groupBy(seen, ({ content }) => /^Message-ID:\s*(<[^>]+>)/im.exec(content)![1]!)
    for (const [id, same] of byId)
      assert.ok(same.length === 1 || !isMarketing(same[0]!.content), `marketing mail ${id} came ${same.length} times`)
    for (const [at, { to, content }] of seen.entries()) {
      const leftAt = this.#leftAt.get(to[0]!) ?? Number.POSITIVE_INFINITY
      assert.ok(at < leftAt || !isMarketing(content), `${to[0]} had unsubscribed before mail ${at} came`)
    }
    const accepted = all.filter(({ state }) => state === 'accepted').length
    const possible = all.filter(({ state }) => state === 'accepted' || state === 'uncertain').length
    assert.ok(
      byId.size >= accepted && byId.size <= possible,
      `${byId.size} arrived, ${accepted} to ${possible} were sent`,
    )
    return seen.length - byId.size
  }

  async #join(): Promise<void> {
    const external_id = `c${this.#joined++}`
    await this.#untilAccepted('/users/track', { events: [event({ external_id }, { name: 'joined' })] })
  }

  async #sendToSome(): Promise<void> {
    const ids = new Set(many(1 + this.#chance.below(recipientsMax), () => `c${this.#chance.below(this.#size)}`))
    const body = { external_user_ids: [...ids], messages: { email: mail({ subject: 'news' }) } }
    const headers = { 'idempotency-key': `send-${this.#sends++}` }
    await this.#untilAccepted('/messages/send', body, { headers })
    for (const id of ids) this.#wanted.set(id, (this.#wanted.get(id) ?? 0) + 1)
  }

  async #unsubscribe(): Promise<void> {
    const email = emailOf(this.#chance.below(this.#size))
    if (this.#leftAt.has(email)) return
    await this.#untilAccepted('/email/status', { email, subscription_state: 'unsubscribed' })
    this.#leftAt.set(email, this.#server.seen.length)
  }

  /** Repeats a request until it is accepted: while a process ends it has no answer, or one that asks to come again. */
  async #untilAccepted(path: string, body: Item, options?: { headers: Record<string, string> }): Promise<void> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const answer = await this.#send(path, body, options)
      if (answer?.status === 201) return
      assert.ok(!answer || answer.status === 503 || answer.status === 409, `${path}: ${answer?.status} ${answer?.text}`)
      await pause(1 + this.#chance.below(pauseMsMax))
    }
    assert.fail(`${path} is not accepted`)
  }
}

type Message = {
  readonly id: string
  readonly class: string
  readonly state: string
  readonly reason: string
  readonly decided: readonly string[]
}

type Row = {
  readonly id: string
  readonly email: string
  readonly walked: number | null
  readonly entries: readonly string[]
  readonly messages: readonly Message[]
}

function emailOf(i: number): string {
  return `c${i}@example.com`
}
