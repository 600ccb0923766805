import type { Capacity } from '../messages/fair-shares.ts'
import {
  isSameLane,
  type LeasedMessage,
  type MessageClass,
  type MessageLane,
  messageClasses,
} from '../messages/message.ts'
import type { DeliveryItem, ReadyItem } from './delivery-item.ts'
import { MemoryAllowance, mailBytesMax } from './memory-allowance.ts'
import type { DeliveryResult } from './write-results.ts'

/** The work of one transaction: mails to hand over, and results to write. */
export type HandOverBatch = { readonly next: readonly ReadyItem[]; readonly finished: readonly DeliveryResult[] }

/** Free connections: for transactional mail, and how many of these for marketing mail too. */
export type FreeConnections = Readonly<Record<MessageClass, number>>

/** Messages that each lane may have claimed, however many the others have. */
export const laneOwnMessages = 5

/** The most slow mails of one class of one workspace. With more, nothing is claimed for that lane. */
const slowMax = 100

/**
 * All messages that this process has leased, by stage: preparing, slow (preparing for long), ready, in flight (a server may have it) and
 * finished (its result is to be written). Ready mails are handed over in order, transactional mail first.
 */
export class Pipeline {
  readonly #aheadMax: number
  readonly #workspaceMax: number
  readonly #preparing = new Set<DeliveryItem>()
  readonly #slow = new Set<DeliveryItem>()
  readonly #ready = { transactional: [] as ReadyItem[], marketing: [] as ReadyItem[] }
  readonly #inFlight = new Set<ReadyItem>()
  #finished: DeliveryResult[] = []
  /** Batches of transactions that have not ended yet. */
  readonly #batches = new Set<HandOverBatch>()
  readonly #allowance = new MemoryAllowance(mailBytesMax)
  #onEmpty: (() => void)[] = []
  #onCompleted: { readonly inFlightMax: number; readonly resolve: () => void } | undefined

  /**
   * `aheadMax`: the messages of each class that may be claimed ahead of free connections. `workspaceMax`: those of one workspace that may
   * be in flight.
   */
  constructor(aheadMax: number, workspaceMax = Infinity) {
    this.#aheadMax = aheadMax
    this.#workspaceMax = workspaceMax
  }

  /** The number of mails that a server has or is about to get. */
  get inFlight(): number {
    return this.#inFlight.size + this.#handingOver().length
  }

  get ready(): number {
    return this.#ready.transactional.length + this.#ready.marketing.length
  }

  get size(): number {
    const concluded = [this.#finished, ...[...this.#batches].map(({ finished }) => finished)]
    return concluded.reduce(
      (sum, { length }) => sum + length,
      this.#preparing.size + this.#slow.size + this.ready + this.inFlight,
    )
  }

  /** Returns how many messages of each class to claim now: none before half of `aheadMax` is free. */
  capacity(): Capacity {
    const free = (kind: MessageClass) => {
      const count = this.#aheadMax - this.#preparing.size - this.#ready[kind].length
      return count * 2 >= this.#aheadMax && this.#allowance.has(kind) ? count : 0
    }
    return { transactional: free('transactional'), marketing: free('marketing') }
  }

  /** Returns how many messages may be claimed for a lane when others have used the capacity. */
  ownShare(lane: MessageLane): number {
    const kind = lane.class
    if (!this.#allowance.has(kind)) return 0
    const held = [...this.#preparing, ...this.#ready[kind]].filter(({ message }) => isSameLane(message, lane)).length
    return Math.max(laneOwnMessages - held, 0)
  }

  /** Returns the suspects that are being prepared. */
  suspects(): LeasedMessage[] {
    return [...this.#preparing, ...this.#slow].map(({ message }) => message).filter(({ crashes }) => crashes > 0)
  }

  addPreparing(items: readonly DeliveryItem[]): void {
    for (const item of items) this.#preparing.add(item)
  }

  /** Marks the items that are still being prepared as slow. They do not count for the capacity any more. */
  markSlow(items: readonly DeliveryItem[]): void {
    for (const item of items) if (this.#preparing.delete(item)) this.#slow.add(item)
  }

  /** Returns whether more may be claimed for a lane. It may not while many of its mails wait for a slow server. */
  mayClaim(lane: MessageLane): boolean {
    return [...this.#slow].filter(({ message }) => isSameLane(message, lane)).length < slowMax
  }

  /** Removes items for which no mail is prepared. */
  drop(items: readonly DeliveryItem[]): void {
    for (const item of items) this.#deletePreparing(item)
    this.#report()
  }

  setReady(item: DeliveryItem, ready: ReadyItem): void {
    // The lease may have been lost meanwhile.
    if (!this.#deletePreparing(item)) return
    this.#ready[item.message.class].push(ready)
    this.#allowance.add(bytesOf(ready))
  }

  /** Returns whether the mail of an item is still to be prepared. */
  isPreparing(item: DeliveryItem): boolean {
    return this.#preparing.has(item) || this.#slow.has(item)
  }

  /** Waits for memory for mails of `bytes` together and reserves it until `unreserve`. The prepared mails count in addition. */
  reserve(bytes: number, kind: MessageClass): Promise<void> {
    return this.#allowance.reserve(bytes, kind)
  }

  unreserve(bytes: number): void {
    this.#allowance.free(bytes)
  }

  /** Returns whether a transaction would have nothing to do with these free connections. */
  isIdle(free: FreeConnections): boolean {
    if (this.#finished.length > 0) return false
    // One message is enough to know.
    const { transactional, marketing } = free
    return this.#next({ transactional: Math.min(transactional, 1), marketing: Math.min(marketing, 1) }).length === 0
  }

  /** Takes the work of the next transaction: a ready mail for each free connection, and everything that is finished. */
  begin(free: FreeConnections): HandOverBatch {
    const batch = { next: this.#take(this.#next(free)), finished: this.#finished }
    this.#finished = []
    this.#batches.add(batch)
    return batch
  }

  /** Records that the transaction was committed. A server may have the handed mails from now on. */
  done(batch: HandOverBatch, handed: readonly ReadyItem[]): void {
    this.#batches.delete(batch)
    for (const item of handed) this.#inFlight.add(item)
    this.#freeMemory(batch.next.filter((item) => !this.#inFlight.has(item)))
    this.#report()
  }

  /** Puts a batch back when its transaction failed, or when it is not known whether it was committed. */
  failed(batch: HandOverBatch): void {
    this.#batches.delete(batch)
    this.#putBack(batch.next)
    this.#finished.push(...batch.finished)
  }

  complete(item: ReadyItem, concluded: DeliveryResult): void {
    this.#inFlight.delete(item)
    this.#freeMemory([item])
    this.#finished.push(concluded)
    if (this.#onCompleted && this.#inFlight.size <= this.#onCompleted.inFlightMax) this.#onCompleted.resolve()
  }

  /** Waits until at most `inFlightMax` mails are in flight. Only one caller may wait at a time. */
  untilInFlight(inFlightMax: number): Promise<void> {
    if (this.#inFlight.size <= inFlightMax) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onCompleted = { inFlightMax, resolve }
    })
  }

  finish(concluded: readonly DeliveryResult[]): void {
    this.#finished.push(...concluded)
  }

  /** Returns all items that are leased and not finished. */
  held(): DeliveryItem[] {
    const { transactional, marketing } = this.#ready
    return [
      ...this.#preparing,
      ...this.#slow,
      ...transactional,
      ...marketing,
      ...this.#handingOver(),
      ...this.#inFlight,
    ]
  }

  /** Removes and returns the items that are not handed over. */
  takeWaiting(): DeliveryItem[] {
    const ready = this.#takeAll()
    const waiting = [...this.#preparing, ...this.#slow, ...ready]
    this.#preparing.clear()
    this.#slow.clear()
    this.#freeMemory(ready)
    return waiting
  }

  has(message_id: string): boolean {
    const hasId = ({ message }: { message: { message_id: string } }) => message.message_id === message_id
    return [this.held(), this.#finished, ...[...this.#batches].map(({ finished }) => finished)].some((some) =>
      some.some(hasId),
    )
  }

  /** Removes messages that another worker has by now. Those in flight stay, but their results will not be written. */
  lose(lost: readonly DeliveryItem[]): void {
    for (const item of lost) this.#deletePreparing(item)
    const ready = this.#takeAll()
    this.#putBack(ready.filter((item) => !lost.includes(item)))
    this.#freeMemory(ready.filter((item) => lost.includes(item)))
    this.#report()
  }

  /** Waits until nothing is leased. */
  empty(): Promise<void> {
    return this.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty.push(resolve))
  }

  #deletePreparing(item: DeliveryItem): boolean {
    return this.#preparing.delete(item) || this.#slow.delete(item)
  }

  #handingOver(): readonly ReadyItem[] {
    return [...this.#batches].flatMap(({ next }) => next)
  }

  /** Returns the ready items that free connections can take, transactional ones first. */
  #next(free: FreeConnections): ReadyItem[] {
    const { transactional, marketing } = this.#ready
    if (free.transactional === 0) return []
    const mayGo = this.#workspaceRoom()
    const first = firstOf(transactional, free.transactional, mayGo)
    return [...first, ...firstOf(marketing, Math.min(free.marketing, free.transactional - first.length), mayGo)]
  }

  /** Returns a function that says whether one more message of its workspace may be in flight, and counts it. */
  #workspaceRoom(): (item: ReadyItem) => boolean {
    if (this.#workspaceMax === Infinity) return () => true
    const counts = new Map<number, number>()
    const mayGo = ({ message: { workspace_id } }: ReadyItem) => {
      const count = counts.get(workspace_id) ?? 0
      if (count >= this.#workspaceMax) return false
      counts.set(workspace_id, count + 1)
      return true
    }
    for (const item of [...this.#inFlight, ...this.#handingOver()]) mayGo(item)
    return mayGo
  }

  #take(items: readonly ReadyItem[]): readonly ReadyItem[] {
    const taken = new Set(items)
    for (const kind of messageClasses) this.#ready[kind] = this.#ready[kind].filter((item) => !taken.has(item))
    return items
  }

  #takeAll(): ReadyItem[] {
    const { transactional, marketing } = this.#ready
    return [...transactional.splice(0), ...marketing.splice(0)]
  }

  #putBack(items: readonly ReadyItem[]): void {
    for (const item of items.toReversed()) this.#ready[item.message.class].unshift(item)
  }

  /** Frees the memory of mails that are dropped or sent. */
  #freeMemory(items: readonly ReadyItem[]): void {
    if (items.length > 0) this.#allowance.free(items.reduce((sum, item) => sum + bytesOf(item), 0))
  }

  #report(): void {
    if (this.size > 0) return
    for (const resolve of this.#onEmpty.splice(0)) resolve()
  }
}

/** Returns the first items, up to `count`, of which `mayGo` is true. */
function firstOf(items: readonly ReadyItem[], count: number, mayGo: (item: ReadyItem) => boolean): ReadyItem[] {
  const first: ReadyItem[] = []
  for (const item of items) {
    if (first.length >= count) break
    if (mayGo(item)) first.push(item)
  }
  return first
}

function bytesOf({ prepared }: ReadyItem): number {
  return prepared.bytes
}
