import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { MailServer } from '../servers/smtp.ts'
import { sizes } from '../sizes.ts'
import type { Client } from './client.ts'
import { eventually } from './eventually.ts'
import { HeldTime } from './held-time.ts'
import { letter } from './messages.ts'

/** The time between two track requests, whether or not earlier ones are answered: a pause of the service delays all that fall into it. */
const trackPaceMs = 20
/** When enough are measured and the attack goes on, it is watched at this pace. */
const slowPaceMs = 100
/** More than these would only show again that the service pauses. On a busy machine they would wait for each other. */
const waitingMax = 10
/** The time between a mail that has arrived and the next one. */
const mailPauseMs = 200
const people = 50
const email = 'neighbour@neighbour.example'
/** Makes a body larger than what arrives with its headers. */
const note = 'x'.repeat(2_000)

export type Waits = { readonly track: readonly number[]; readonly mail: readonly number[] }

/** Is repeated until the neighbour has been served often enough. `measured` resolves at that time. */
export type Attack = (measured: Promise<void>) => Promise<unknown>

/** A caller with a key of its own, which sends small track requests and transactional mails. */
export class Neighbour {
  readonly #client: Client
  readonly #key: string
  readonly #agent = new Agent({ keepAlive: true })
  #arrived = 0
  #tracked = 0
  #sent = 0

  private constructor(client: Client, key: string, mailServer: MailServer) {
    this.#client = client
    this.#key = key
    mailServer.at('data', (to) => {
      if (to === email) this.#arrived++
      return undefined
    })
  }

  static async open(client: Client, mailServer: MailServer): Promise<Neighbour> {
    const neighbour = new Neighbour(client, await client.key(['users.track', 'messages.send']), mailServer)
    await neighbour.#post('/users/track', { attributes: [{ external_id: 'neighbour-0', email }] })
    // The first mail waits for the start of a process.
    await neighbour.#mail()
    return neighbour
  }

  /**
   * Returns how long each request waited for its answer and how long each mail was on its way, in ms, while an attack is repeated. Times in
   * which this process was held are not counted.
   */
  async measure(attack: Attack): Promise<Waits> {
    const waits: { readonly [kind in keyof Waits]: number[] } = { track: [], mail: [] }
    const failures: unknown[] = []
    const measured = Promise.withResolvers<void>()
    const isEnough = () =>
      failures.length > 0 ||
      (waits.track.length >= sizes.neighbourRequests && waits.mail.length >= sizes.neighbourMails)
    const fail = (error: unknown) => {
      failures.push(error)
      measured.resolve()
    }
    const held = new HeldTime()
    const nowMs = () => performance.now() - held.ms
    const time = async (kind: keyof Waits, act: () => Promise<void>) => {
      const startMs = nowMs()
      await act().then(() => waits[kind].push(nowMs() - startMs), fail)
      if (isEnough()) measured.resolve()
    }
    let isAttacked = true
    const attacking = repeat(() => attack(measured.promise), isEnough)
      .catch(fail)
      .finally(() => {
        isAttacked = false
      })
    const track = async () => {
      const waiting = new Set<Promise<void>>()
      for (; isAttacked; await pause(isEnough() ? slowPaceMs : trackPaceMs)) {
        if (waiting.size >= waitingMax) continue
        const one = time('track', () => this.#track()).finally(() => waiting.delete(one))
        waiting.add(one)
      }
      await Promise.all(waiting)
    }
    const mail = async () => {
      for (; isAttacked; await pause(mailPauseMs)) await time('mail', () => this.#mail())
    }
    await Promise.all([attacking, track(), mail()])
    held.stop()
    if (failures.length > 0) throw failures[0]
    return waits
  }

  async #track(): Promise<void> {
    const n = this.#tracked++
    await this.#post('/users/track', { attributes: [{ external_id: `neighbour-${n % people}`, n, note }] })
  }

  async #mail(): Promise<void> {
    const before = this.#arrived
    const who = { external_user_ids: ['neighbour-0'], recipient_subscription_state: 'all' }
    await this.#post('/messages/send', letter(who, { subject: `Mail ${++this.#sent} for {{\${user_id}}}` }))
    await eventually('the mail of the neighbour arrives', () => this.#arrived > before, 2)
  }

  async #post(path: string, body: object): Promise<void> {
    const { status, text } = await this.#client.post(path, body, { key: this.#key, agent: this.#agent })
    assert.equal(status, 201, `${path}: ${text}`)
  }
}

async function repeat(act: () => Promise<unknown>, isEnough: () => boolean): Promise<void> {
  do await act()
  while (!isEnough())
}
