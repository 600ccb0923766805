import { setTimeout as pause } from 'node:timers/promises'
import { backendOf } from '../../base/db/backends.ts'
import { Failure } from '../../base/errors.ts'
import { startInterval } from '../../base/interval.ts'
import type { Log } from '../../base/log.ts'
import { noteWork } from '../../base/telemetry.ts'
import { type Loop, openLoop, type Polls } from '../../base/work/loop.ts'
import type { MessageTransport, OpenChannel } from '../channels/channel.ts'
import { channelOf } from '../channels/channels.ts'
import { claimProbe } from '../messages/claim-store.ts'
import type { LeasedMessage } from '../messages/message.ts'
import { endFor, type MessageOutcome, requeue } from '../messages/outcome.ts'
import type { PreparedMessage } from '../messages/prepared-message.ts'
import type { TransportOutcome } from '../messages/transport-outcome.ts'
import { openBreaker } from './breaker.ts'
import { type ClaimServices, openClaims } from './claim.ts'
import type { Deliverer } from './deliverer.ts'
import { type DeliveryItem, messageToPrepare, type ReadyItem, readyItem } from './delivery-item.ts'
import { gather } from './gather.ts'
import { type HandOver, type HandOverServices, handOver } from './hand-over.ts'
import { clearCrashes, recoverExpired, renewItems } from './leases.ts'
import { openTroubleLog, type TroubleWords } from './log-trouble.ts'
import { ExpectedBytes, mailBytesMax, memorySlices } from './memory-allowance.ts'
import { type FreeConnections, Pipeline } from './pipeline.ts'
import { outcomeOfDefect, outcomeOfSend } from './send-outcome.ts'
import type { DeliveryResult } from './write-results.ts'

export type DelivererServices = Omit<ClaimServices & HandOverServices, 'leaseMs' | 'toServer'> & {
  readonly log: Log
  readonly poller?: Polls
  /** The server that gets the messages. Undefined: the inbox keeps them. */
  readonly transport?: (MessageTransport<PreparedMessage> & { readonly words: TroubleWords }) | undefined
  /** What makes the messages, by the names of channels. */
  readonly channels: ReadonlyMap<string, Pick<OpenChannel, 'prepare' | 'bytesMax' | 'sizeOf' | 'keepSent'>>
  /** Length of a lease in milliseconds of machine time. */
  readonly leaseMs?: number
  /** False when another deliverer of this process recovers expired leases. */
  readonly recovers?: boolean
  /** Returns whether another deliverer of this process works on a message. */
  isHeldElsewhere?(message_id: string): boolean
  /** Is called with the outcome of each message that was given to a server. */
  onSent?(kind: TransportOutcome['kind'], channel: string): void
  /** Is called with each result after its transaction. */
  onResult?(concluded: DeliveryResult): void
}

const leaseMsDefault = 10_000
const lookEveryMs = 500
/** The pause between claims while only transactional mail has capacity, or after nothing was found. */
const lookAgainMs = 50
/** Mails that take longer to prepare, because a server that they need is slow, do not delay the next claim. */
const slowMs = 500
/** Mails that one transaction stores in the inbox. */
const inboxBatch = 50
/** Messages of a class that are claimed ahead, for each connection. */
const aheadPerConnection = 8
/** Messages of a class that are claimed ahead, however few connections there are. */
const aheadMin = 40
/** How long a stop waits for mails in flight. */
const stopMsMax = 8_000
/** Tries at a stop to write the outcomes of mails. */
const lastTries = 20
const lastPauseMs = 200

/** Delivers queued messages in two loops: one claims messages and prepares mails ahead, the other hands over and writes outcomes. */
export function openDeliverer(services: DelivererServices): Deliverer {
  return new Delivery(services).loop()
}

type Prepared = Awaited<ReturnType<OpenChannel['prepare']>>

class Delivery {
  readonly #services: DelivererServices & ClaimServices & HandOverServices
  readonly #pipeline: Pipeline
  readonly #expectedBytes
  readonly #breaker
  readonly #claim
  readonly #connections
  readonly #sendAbort = new AbortController()
  readonly #claiming: Loop
  readonly #handing: Loop
  readonly #stopRenewing: () => void
  #recoverAtMs = 0
  #lookAtMs = 0
  #foundNothing = false
  /** Whether the last turn of claiming failed. */
  #failed = false
  #recoversAll: boolean
  #claimed = 0
  #leavePreparing = () => {}

  constructor(given: DelivererServices) {
    const { db, log, clock, poller, transport } = given
    const leaseMs = given.leaseMs ?? leaseMsDefault
    this.#services = { ...given, leaseMs, toServer: transport !== undefined }
    this.#connections = transport?.connections ?? inboxBatch
    this.#expectedBytes = new ExpectedBytes(Math.max(...[...given.channels.values()].map(({ bytesMax }) => bytesMax)))
    const aheadMax = Math.max(aheadPerConnection * this.#connections, aheadMin)
    this.#pipeline = new Pipeline(aheadMax, transport?.workspaceMax)
    const elapsed = () => clock.elapsed()
    this.#breaker = openBreaker(elapsed, transport && openTroubleLog(log, transport.server, transport.words, elapsed))
    this.#claim = openClaims(this.#services)
    this.#recoversAll = !backendOf(db).isShared
    // The database may have been unavailable for other processes as well. They get time to renew their leases.
    if (!this.#recoversAll) this.#recoverAtMs = clock.elapsed() + leaseMs / 2
    this.#handing = openLoop({ name: 'delivery.handOver', turn: () => this.#handOverSome() }, log)
    const turn = (stopping: AbortSignal) => this.#claimSome(stopping)
    const { queues, recovers = true } = given
    const probe = (ms: number) => claimProbe(queues(), clock.now() + ms, recovers ? clock.elapsed() + ms : undefined)
    this.#claiming = openLoop({ name: 'delivery.claim', everyMs: lookEveryMs, poller, probe, turn }, log)
    this.#stopRenewing = startInterval(() => this.#renew(), leaseMs / 3)
  }

  loop(): Deliverer {
    const trouble = this.#services.transport?.trouble ?? this.#breaker.trouble
    return {
      name: 'delivery.deliver',
      wake: () => this.#wake(),
      nextTurn: () => this.#next(),
      failing: () => this.#claiming.failing() || this.#handing.failing(),
      isSparing: () => trouble()?.isOpen === true,
      trouble,
      inFlight: () => this.#pipeline.inFlight,
      holds: (message_id) => this.#pipeline.has(message_id),
      close: () => this.#close(),
    }
  }

  /** Resolves when everything that was due at the call is delivered, or when delivery is failing or stopped. */
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
    this.#leavePreparing()
    this.#claiming.wake()
  }

  #stopped(): boolean {
    return this.#sendAbort.signal.aborted
  }

  async #claimSome(stopping: AbortSignal): Promise<boolean> {
    const { clock, leaseMs } = this.#services
    // While the database was unavailable, all leases expired. Workers that still run get time to renew theirs.
    if (this.#failed) this.#recoverAtMs = clock.elapsed() + leaseMs
    this.#failed = true
    await this.#recover()
    const more = await this.#claimNext(stopping)
    this.#failed = false
    return more
  }

  async #claimNext(stopping: AbortSignal): Promise<boolean> {
    const { clock } = this.#services
    const room = this.#pipeline.capacity()
    if ((room.marketing === 0 || this.#foundNothing) && clock.elapsed() < this.#lookAtMs) return false
    if (stopping.aborted || this.#breaker.allowed() === 0) return false
    const { items, concluded } = await this.#claim(room, this.#pipeline)
    this.#report(concluded)
    this.#claimed += items.length + concluded.length
    // Without capacity for marketing mail the claim did not look whether some is due.
    this.#foundNothing = items.length + concluded.length === 0 && room.marketing > 0
    this.#lookAtMs = clock.elapsed() + lookAgainMs
    if (items.length + concluded.length > 0) noteWork({ 'easel.messages': items.length })
    if (items.length > 0) await this.#prepareUntil(stopping, items)
    return !this.#foundNothing
  }

  /**
   * Prepares mails, each order by itself. Waits for them at most `slowMs`, not at a stop, and not when there is new work: mails that wait
   * for a slow server do not delay those of others.
   */
  async #prepareUntil(stopping: AbortSignal, items: readonly DeliveryItem[]): Promise<void> {
    this.#pipeline.addPreparing(items)
    const groups = Map.groupBy(items, ({ contentKey }) => contentKey).values()
    const preparing = Promise.allSettled([...groups].map((group) => this.#prepareOrder(group)))
    const { promise, resolve } = Promise.withResolvers<PromiseSettledResult<void>[]>()
    const leave = () => resolve([])
    const timer = setTimeout(() => {
      this.#pipeline.markSlow(items)
      leave()
    }, slowMs)
    void preparing.then(() => clearTimeout(timer))
    stopping.addEventListener('abort', leave)
    this.#leavePreparing = leave
    if (stopping.aborted) leave()
    const results = await Promise.race([preparing, promise])
    stopping.removeEventListener('abort', leave)
    const failed = results.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
  }

  #channelOf({ message: { channel } }: DeliveryItem) {
    return this.#services.channels.get(channel)!
  }

  /** Prepares mails of one order, as many at a time as memory allows. When they are larger than expected, fewer. */
  async #prepareOrder(items: readonly DeliveryItem[]): Promise<void> {
    const { sending, message, contentKey } = items[0]!
    const workspace = { settings: this.#services.settingsOf(message.workspace_id) }
    const sizes = this.#channelOf(items[0]!).sizeOf(sending.content, workspace)
    for (let left = items; left.length > 0; ) {
      const mailBytes = this.#expectedBytes.of(contentKey, sizes.texts)
      const slice = memorySlices(left, sizes.files + mailBytes, mailBytesMax[message.class])[0]!
      const bytes = (sizes.files + mailBytes) * slice.length
      await this.#pipeline.reserve(bytes, message.class)
      try {
        const wanted = slice.filter((item) => this.#pipeline.isPreparing(item))
        const later = wanted.length === 0 ? [] : await this.#prepare(wanted, mailBytes * slice.length)
        if (later.length > 0) this.#expectedBytes.grow(contentKey, mailBytes)
        left = [...later, ...left.slice(slice.length)]
      } catch (error) {
        this.#dropWith(
          items.filter((item) => this.#pipeline.isPreparing(item)),
          requeue,
        )
        throw error
      } finally {
        this.#pipeline.unreserve(bytes)
      }
    }
  }

  /** Prepares mails, and returns the items for which there is no room. After an unexpected error each mail is tried alone. */
  async #prepare(items: readonly DeliveryItem[], bytesMax: number): Promise<readonly DeliveryItem[]> {
    const { log } = this.#services
    let mails: Prepared
    try {
      mails = await this.#channelOf(items[0]!).prepare(items.map(messageToPrepare), bytesMax)
    } catch (error) {
      const isUnavailable = error instanceof Failure && error.kind === 'unavailable'
      // An unexpected error of one mail must not stop the others of the batch.
      if (items.length > 1 && !isUnavailable) {
        const later: DeliveryItem[] = []
        for (const item of items) later.push(...(await this.#prepare([item], bytesMax / items.length)))
        return later
      }
      const { message_id, channel } = items[0]!.message
      if (!isUnavailable)
        log.error({ err: error, message_id }, `a ${channelOf(channel).words.one} could not be prepared`)
      const nowMs = this.#services.clock.now()
      this.#dropWith(items, isUnavailable ? requeue : (message) => outcomeOfDefect(message, nowMs))
      if (isUnavailable) throw error
      return []
    }
    const prepared = items.filter((_, i) => mails[i] !== undefined)
    await clearCrashes(prepared, this.#services)
    this.#takePrepared(items, mails)
    return items.filter((_, i) => mails[i] === undefined)
  }

  #takePrepared(items: readonly DeliveryItem[], mails: Prepared): void {
    const unprepared: DeliveryResult[] = []
    const dropped: DeliveryItem[] = []
    for (const [i, item] of items.entries()) {
      const mail = mails[i]
      if (!mail) continue
      if (!('reason' in mail)) {
        this.#pipeline.setReady(item, readyItem(item, mail))
        continue
      }
      const { reason, rule, inputs } = mail
      unprepared.push({ message: item.message, outcome: endFor({ reason, rule, inputs }) })
      dropped.push(item)
    }
    this.#drop(unprepared, dropped)
    this.#handing.wake()
  }

  #dropWith(items: readonly DeliveryItem[], outcomeOf: (message: LeasedMessage) => MessageOutcome): void {
    this.#drop(
      items.map(({ message }) => ({ message, outcome: outcomeOf(message) })),
      items,
    )
  }

  /** Removes messages that end or are queued again without a mail. */
  #drop(concluded: readonly DeliveryResult[], items: readonly DeliveryItem[]): void {
    this.#pipeline.finish(concluded)
    this.#pipeline.drop(items)
    this.#handing.wake()
  }

  /** Writes all results and hands over the next mail of every free connection, in one transaction. */
  async #handOverSome(): Promise<boolean> {
    const pipeline = this.#pipeline
    const allowed = this.#breaker.allowed()
    if (allowed === 0) pipeline.finish(this.#takeWaiting())
    if (pipeline.isIdle(this.#free(allowed))) return false
    await gather(pipeline, this.#connections, this.#services.transport?.gatherMs)
    const batch = pipeline.begin(this.#free(allowed))
    let done: HandOver
    try {
      done = await handOver(batch.next, batch.finished, this.#services)
    } catch (error) {
      pipeline.failed(batch)
      throw error
    }
    const { handed, concluded } = done
    noteWork({ 'easel.messages': handed.length, 'easel.outcomes': concluded.length })
    pipeline.done(batch, handed)
    this.#report(concluded)
    for (const item of handed) void this.#send(item)
    this.#claiming.wake()
    return !pipeline.isIdle(this.#free(allowed))
  }

  /** Returns the free connections. One of several is reserved for transactional mail, which must not wait behind slow marketing mail. */
  #free(allowed: number): FreeConnections {
    const free = this.#stopped() ? 0 : Math.max(Math.min(allowed, this.#connections) - this.#pipeline.inFlight, 0)
    const reserved = this.#services.toServer && Math.min(allowed, this.#connections) > 1 ? 1 : 0
    return { transactional: free, marketing: Math.max(free - reserved, 0) }
  }

  async #send(item: ReadyItem): Promise<void> {
    const { transport, clock } = this.#services
    if (!transport) return
    let sent: TransportOutcome
    try {
      sent = await transport.send(item.prepared, this.#sendAbort.signal)
    } catch (error) {
      // The server may have the mail by now.
      sent = { kind: 'uncertain', message: String(error) }
    }
    if (!transport.trouble) this.#breaker.record(sent.kind === 'unreached' ? sent.message : undefined)
    const { message, address, domain } = item
    this.#services.onSent?.(sent.kind, message.channel)
    const outcome = outcomeOfSend(message, sent, domain, clock.now())
    const kept = sent.kind === 'accepted' ? this.#channelOf(item).keepSent?.(item.prepared, sent.response) : undefined
    this.#pipeline.complete(item, { message, outcome, delivery: { sent, address, domain }, ...(kept && { kept }) })
    this.#handing.wake()
  }

  #report(concluded: readonly DeliveryResult[]): void {
    for (const each of concluded) this.#services.onResult?.(each)
  }

  /** Takes the messages that are leased and not handed over, and queues them again. */
  #takeWaiting(): DeliveryResult[] {
    return this.#pipeline.takeWaiting().map(({ message }) => ({ message, outcome: requeue(message) }))
  }

  async #recover(): Promise<void> {
    const { clock, leaseMs, recovers = true, isHeldElsewhere = () => false } = this.#services
    if (!recovers || clock.elapsed() < this.#recoverAtMs) return
    const isOurs = (id: string) => this.#pipeline.has(id) || isHeldElsewhere(id)
    const { concluded, more } = await recoverExpired(this.#services, isOurs, this.#recoversAll)
    this.#report(concluded)
    this.#recoversAll &&= more
    this.#recoverAtMs = more ? 0 : clock.elapsed() + Math.min(leaseMs / 3, 1_000)
  }

  async #renew(): Promise<void> {
    let missing: DeliveryItem[]
    try {
      missing = await renewItems(this.#pipeline.held(), this.#services)
    } catch {
      // The next renewal comes before the leases expire.
      return
    }
    // A message that has ended meanwhile is not lost.
    const held = new Set(this.#pipeline.held())
    const lost = missing.filter((item) => held.has(item))
    if (lost.length === 0) return
    this.#services.log.warn({ messages: lost.length }, 'another worker has taken over messages')
    this.#pipeline.lose(lost)
  }

  /** Waits for the mails in flight, and queues all other messages again. */
  async #close(): Promise<void> {
    const { clock } = this.#services
    await this.#claiming.close()
    const untilMs = clock.elapsed() + stopMsMax
    for (let tries = 0; tries < lastTries; ) {
      this.#pipeline.finish(this.#takeWaiting())
      if (this.#pipeline.size === 0) break
      if (clock.elapsed() >= untilMs) this.#sendAbort.abort()
      if (this.#handing.failing() || this.#stopped()) tries++
      this.#handing.wake()
      await Promise.race([this.#pipeline.empty(), pause(lastPauseMs)])
    }
    this.#sendAbort.abort()
    await this.#handing.close()
    this.#stopRenewing()
  }
}
