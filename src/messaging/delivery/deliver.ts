import { setTimeout as pause } from 'node:timers/promises'
import { backendOf } from '../../base/db/backends.ts'
import { Failure } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop } from '../../base/work/loop.ts'
import { encodedBytesMax } from '../mail/fetch-attachments.ts'
import type { SmtpOutcome, Transport } from '../mail/transport.ts'
import { endFor, postpone, requeue } from '../messages/outcome.ts'
import { openBreaker } from './breaker.ts'
import { type ClaimServices, openClaims } from './claim.ts'
import type { DeliveryItem, PrepareMails, ReadyItem } from './delivery-item.ts'
import { handOver } from './hand-over.ts'
import { recoverExpired, renewItems } from './leases.ts'
import { memorySlices } from './memory-allowance.ts'
import { type FreeConnections, Pipeline } from './pipeline.ts'
import { outcomeOfSend } from './send-outcome.ts'
import type { DeliveryResult } from './write-results.ts'

export type DelivererServices = Omit<ClaimServices, 'isLimited' | 'leaseMs'> & {
  readonly log: Log
  readonly transport: Transport
  readonly prepare: PrepareMails
  /** Milliseconds of machine time after which a worker that is not heard of is taken for dead. */
  readonly leaseMs?: number
  /** What has become of a message. */
  onResult?(concluded: DeliveryResult): void
}

export type Deliverer = Loop & {
  /** Whether the server is spared because it cannot be reached. */
  isSparing(): boolean
}

const leaseMsDefault = 10_000
const lookEveryMs = 500
/** While there is room for transactional mail alone, or nothing was found, it is looked for this often. */
const lookAgainMs = 50
/** Mails that take longer to be made, because somebody's server is slow, do not keep the others waiting. */
const slowMs = 500
/** While most connections are busy a hand-over waits so long for more of them: it costs little more for many mails than for one. */
const gatherMs = 5
/** Mails that the inbox keeps in one transaction. */
const inboxBatch = 50
/** Messages of a class that are claimed ahead, for each connection, and at least. */
const aheadPerConnection = 8
const aheadMin = 40
/** What is on its way to a server when the service stops is waited for so long. */
const stopMsMax = 8_000
/** Tries to write down at a stop what became of mails. */
const lastTries = 20
const lastPauseMs = 200
/** Times that a message whose mail could not be made is tried again before it is given up: our mistake. */
const unmadeMax = 5
const unmadePauseMs = 60_000

/** From a queued message to its end. Two loops: one claims and makes mails ahead, the other hands over and writes down. */
export function openDeliverer(parts: DelivererServices): Deliverer {
  return new Delivery(parts).loop()
}

class Delivery {
  readonly #parts: DelivererServices & ClaimServices
  readonly #pipeline: Pipeline
  readonly #breaker
  readonly #claim
  readonly #connections: number
  readonly #leaving = new AbortController()
  readonly #claiming: Loop
  readonly #handing: Loop
  readonly #renewing: NodeJS.Timeout
  #recoverAtMs = 0
  #lookAtMs = 0
  #foundNothing = false
  /** Whether the last turn of claiming has not come to its end. */
  #failed = false
  #everything: boolean
  #claimed = 0

  constructor(given: DelivererServices) {
    const { db, log, clock, transport } = given
    const leaseMs = given.leaseMs ?? leaseMsDefault
    this.#parts = { ...given, leaseMs, isLimited: transport.kind === 'smtp' }
    this.#connections = transport.kind === 'smtp' ? transport.connections : inboxBatch
    this.#pipeline = new Pipeline(Math.max(aheadPerConnection * this.#connections, aheadMin))
    this.#breaker = openBreaker(() => clock.elapsed())
    this.#claim = openClaims(this.#parts)
    this.#everything = !backendOf(db).isShared
    // Others may have been without the database as well, and renew theirs first.
    if (!this.#everything) this.#recoverAtMs = clock.elapsed() + leaseMs / 2
    this.#handing = openLoop({ name: 'delivery.handOver', turn: () => this.#handOverSome() }, log)
    this.#claiming = openLoop(
      { name: 'delivery.claim', everyMs: lookEveryMs, turn: (stopping) => this.#claimSome(stopping) },
      log,
    )
    this.#renewing = setInterval(() => void this.#renew(), leaseMs / 3).unref()
  }

  loop(): Deliverer {
    return {
      name: 'delivery.deliver',
      wake: () => this.#wake(),
      nextTurn: () => this.#next(),
      failing: () => this.#claiming.failing() || this.#handing.failing(),
      isSparing: () => this.#breaker.allowed() === 0,
      close: () => this.#close(),
    }
  }

  /** Resolves when nothing that was due at the call is left, or nothing can be done about it now. */
  async #next(): Promise<void> {
    for (;;) {
      const before = this.#claimed
      this.#lookAtMs = 0
      await this.#claiming.nextTurn()
      while (this.#pipeline.size > 0 && !this.#stopped()) {
        await Promise.race([this.#pipeline.empty(), pause(lookEveryMs, undefined, { ref: false })])
        if (this.#handing.failing()) return
      }
      if (this.#claimed === before || this.#stopped()) return
    }
  }

  #wake(): void {
    this.#lookAtMs = 0
    this.#claiming.wake()
  }

  #stopped(): boolean {
    return this.#leaving.signal.aborted
  }

  async #claimSome(stopping: AbortSignal): Promise<boolean> {
    const { clock, leaseMs } = this.#parts
    // When the database was away everybody's leases are over: those who live get the time to renew them.
    if (this.#failed) this.#recoverAtMs = clock.elapsed() + leaseMs
    this.#failed = true
    await this.#recover()
    const more = await this.#claimNext(stopping)
    this.#failed = false
    return more
  }

  async #claimNext(stopping: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts
    const room = this.#pipeline.capacity()
    if ((room.marketing === 0 || this.#foundNothing) && clock.elapsed() < this.#lookAtMs) return false
    if (stopping.aborted || this.#breaker.allowed() === 0) return false
    const { items, concluded } = await this.#claim(room, (lane) => this.#pipeline.mayClaim(lane))
    this.#tell(concluded)
    this.#claimed += items.length + concluded.length
    // Where there was no room for marketing mail nobody knows whether some is due.
    this.#foundNothing = items.length + concluded.length === 0 && room.marketing > 0
    this.#lookAtMs = clock.elapsed() + lookAgainMs
    if (items.length > 0) await this.#makeUntil(stopping, items)
    return !this.#foundNothing
  }

  /** Makes mails, of each dispatch by itself. Those that take long are left behind; at a stop nobody waits at all. */
  async #makeUntil(stopping: AbortSignal, items: readonly DeliveryItem[]): Promise<void> {
    this.#pipeline.make(items)
    const groups = Map.groupBy(items, ({ contentKey }) => contentKey).values()
    const making = Promise.allSettled([...groups].map((group) => this.#makeOrder(group)))
    const { promise, resolve } = Promise.withResolvers<PromiseSettledResult<void>[]>()
    const leave = () => resolve([])
    const timer = setTimeout(leave, slowMs)
    stopping.addEventListener('abort', leave)
    if (stopping.aborted) leave()
    const made = await Promise.race([making, promise])
    clearTimeout(timer)
    stopping.removeEventListener('abort', leave)
    this.#pipeline.markSlow(items)
    const failed = made.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
  }

  /** Makes mails of one order: with files a few at a time, as soon as there is room for them in memory. */
  async #makeOrder(items: readonly DeliveryItem[]): Promise<void> {
    const { sending, message } = items[0]!
    const bytes = encodedBytesMax(sending.email)
    if (bytes === 0) return this.#make(items)
    const pipeline = this.#pipeline
    for (const slice of memorySlices(items, bytes, message.class)) {
      await pipeline.reserve(bytes * slice.length, message.class)
      const wanted = slice.filter((item) => pipeline.isMaking(item))
      const [made] = await Promise.allSettled([wanted.length > 0 && this.#make(wanted)])
      pipeline.unreserve(bytes * slice.length)
      if (made.status === 'fulfilled') continue
      const left = items.filter((item) => pipeline.isMaking(item))
      this.#drop(
        left.map(({ message: each }) => ({ message: each, outcome: requeue(each) })),
        left,
      )
      throw made.reason
    }
  }

  /** Makes mails; of those that cannot be made for a reason that nobody foresaw each is tried alone. */
  async #make(items: readonly DeliveryItem[]): Promise<void> {
    const { log, clock } = this.#parts
    const batch = items.map(({ message, address, tracking, sending, contentKey: order, about }) => {
      const { message_id, profile_id, bucket, workspace_id, cause, class: kind } = message
      const who = { message_id, profile_id, bucket, workspace_id, address }
      return { ...who, tracking, class: kind, dispatch_id: cause, sending, order, ...(about && { about }) }
    })
    const [made] = await Promise.allSettled([this.#parts.prepare(batch)])
    if (made.status === 'fulfilled') return this.#made(items, made.value)
    const isAway = made.reason instanceof Failure && made.reason.kind === 'unavailable'
    if (items.length > 1 && !isAway) {
      for (const item of items) await this.#make([item])
      return
    }
    if (!isAway) log.error({ err: made.reason, message: items[0]?.message.message_id }, 'a mail could not be made')
    const againMs = clock.now() + unmadePauseMs
    this.#drop(
      items.map(({ message }) => {
        if (isAway) return { message, outcome: requeue(message) }
        if (message.attempts < unmadeMax) {
          return { message, outcome: { ...postpone(message, againMs, 0), attempts: message.attempts } }
        }
        return { message, outcome: endFor({ reason: 'template_error', rule: 'the mail could not be made' }) }
      }),
      items,
    )
    if (isAway) throw made.reason
  }

  #made(items: readonly DeliveryItem[], mails: Awaited<ReturnType<PrepareMails>>): void {
    const unmade: DeliveryResult[] = []
    const dropped: DeliveryItem[] = []
    for (const [i, item] of items.entries()) {
      const mail = mails[i]!
      if (!('reason' in mail)) {
        this.#pipeline.setReady(item, Object.assign(item, { prepared: mail }))
        continue
      }
      const { reason, rule, inputs } = mail
      unmade.push({ message: item.message, outcome: endFor({ reason, rule, inputs }) })
      dropped.push(item)
    }
    this.#drop(unmade, dropped)
    this.#handing.wake()
  }

  /** Messages end, or go back, without a mail. */
  #drop(concluded: readonly DeliveryResult[], items: readonly DeliveryItem[]): void {
    this.#pipeline.finish(concluded)
    this.#pipeline.drop(items)
    this.#handing.wake()
  }

  /** One transaction for everything that is finished and for the next mail of every free connection. */
  async #handOverSome(): Promise<boolean> {
    const pipeline = this.#pipeline
    const allowed = this.#breaker.allowed()
    if (allowed === 0) pipeline.finish(this.#takeWaiting())
    if (pipeline.isIdle(this.#free(allowed))) return false
    await this.#gather()
    const underway = pipeline.begin(this.#free(allowed))
    const [done] = await Promise.allSettled([handOver(underway.next, underway.finished, this.#parts)])
    if (done.status === 'rejected') {
      pipeline.failed(underway)
      throw done.reason
    }
    const { handed, concluded } = done.value
    pipeline.done(underway, handed)
    this.#tell(concluded)
    for (const item of handed) void this.#send(item)
    this.#claiming.wake()
    return !pipeline.isIdle(this.#free(allowed))
  }

  /** Waits a moment for mails to land. Where most connections are free there is nothing to wait for. */
  async #gather(): Promise<void> {
    const landing = this.#pipeline.untilInFlight(Math.floor(this.#connections / 2))
    await Promise.race([landing, pause(gatherMs)])
  }

  /** Of several connections one is kept for transactional mail: it must not wait for a server that is slow to take other mail. */
  #free(allowed: number): FreeConnections {
    const free = this.#stopped() ? 0 : Math.max(Math.min(allowed, this.#connections) - this.#pipeline.inFlight, 0)
    const kept = this.#parts.isLimited && Math.min(allowed, this.#connections) > 1 ? 1 : 0
    return { transactional: free, marketing: Math.max(free - kept, 0) }
  }

  async #send(item: ReadyItem): Promise<void> {
    const { transport, clock } = this.#parts
    if (transport.kind !== 'smtp') return
    const [sent] = await Promise.allSettled([transport.send(item.prepared, this.#leaving.signal)])
    const smtpOutcome: SmtpOutcome =
      sent.status === 'fulfilled' ? sent.value : { kind: 'uncertain', message: String(sent.reason) }
    this.#breaker.record(smtpOutcome.kind !== 'unreached')
    const { message, address, domain } = item
    const outcome = outcomeOfSend(message, smtpOutcome, domain, clock.now())
    this.#pipeline.complete(item, { message, outcome, delivery: { smtpOutcome, address, domain } })
    this.#handing.wake()
  }

  #tell(concluded: readonly DeliveryResult[]): void {
    for (const each of concluded) this.#parts.onResult?.(each)
  }

  /** Gives back what is leased and not handed over. */
  #takeWaiting(): DeliveryResult[] {
    return this.#pipeline.takeWaiting().map(({ message }) => ({ message, outcome: requeue(message) }))
  }

  async #recover(): Promise<void> {
    const { clock, leaseMs } = this.#parts
    if (clock.elapsed() < this.#recoverAtMs) return
    const { concluded, more } = await recoverExpired(this.#parts, (id) => this.#pipeline.has(id), this.#everything)
    this.#tell(concluded)
    this.#everything &&= more
    this.#recoverAtMs = more ? 0 : clock.elapsed() + Math.min(leaseMs / 3, 1_000)
  }

  async #renew(): Promise<void> {
    const [renewed] = await Promise.allSettled([renewItems(this.#pipeline.held(), this.#parts)])
    if (renewed.status === 'rejected') return
    // What has ended meanwhile is not lost.
    const held = new Set(this.#pipeline.held())
    const lost = renewed.value.filter((item) => held.has(item))
    if (lost.length === 0) return
    this.#parts.log.warn({ messages: lost.length }, 'another worker has taken over messages')
    this.#pipeline.lose(lost)
  }

  /** Finishes what servers may have, gives back the rest. */
  async #close(): Promise<void> {
    const { clock } = this.#parts
    await this.#claiming.close()
    const untilMs = clock.elapsed() + stopMsMax
    for (let tries = 0; tries < lastTries; ) {
      this.#pipeline.finish(this.#takeWaiting())
      if (this.#pipeline.size === 0) break
      if (clock.elapsed() >= untilMs) this.#leaving.abort()
      if (this.#handing.failing() || this.#stopped()) tries++
      this.#handing.wake()
      await Promise.race([this.#pipeline.empty(), pause(lastPauseMs)])
    }
    this.#leaving.abort()
    await this.#handing.close()
    clearInterval(this.#renewing)
  }
}
