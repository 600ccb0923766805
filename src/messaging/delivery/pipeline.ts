import type { Capacity } from '../messages/fair-shares.ts'
import type { Lane, MessageClass } from '../messages/message.ts'
import type { DeliveryItem, ReadyItem } from './delivery-item.ts'
import { MemoryAllowance } from './memory-allowance.ts'
import type { DeliveryResult } from './write-results.ts'

/** What goes into one transaction: mails to be handed over, and messages to be concluded. */
export type HandOverBatch = { readonly next: readonly ReadyItem[]; readonly finished: readonly DeliveryResult[] }

/** Connections that are free: for transactional mail, and how many of them for marketing mail as well. */
export type FreeConnections = Readonly<Record<MessageClass, number>>

const everybody: FreeConnections = { transactional: Infinity, marketing: Infinity }

/** Mails of one class of one workspace that take long to be made; beyond it no more are claimed for it. */
const slowMax = 100

/**
 * Every message that this process has leased, by how far it has come: being made, slow (being made for long), ready, flying (a server may
 * have it), finished (to be written down). Ready ones leave in their order, transactional ones first.
 */
export class Pipeline {
  readonly #aheadMax: number
  readonly #making = new Set<DeliveryItem>()
  readonly #slow = new Set<DeliveryItem>()
  readonly #ready = { transactional: [] as ReadyItem[], marketing: [] as ReadyItem[] }
  readonly #inFlight = new Set<ReadyItem>()
  #finished: DeliveryResult[] = []
  /** What transactions are writing down. */
  readonly #underway = new Set<HandOverBatch>()
  readonly #allowance = new MemoryAllowance()
  #onEmpty: (() => void)[] = []
  #onCompleted: { readonly inFlightMax: number; readonly resolve: () => void } | undefined

  /** `aheadMax`: of each class, how many are claimed before there is a connection for them. */
  constructor(aheadMax: number) {
    this.#aheadMax = aheadMax
  }

  /** How many mails a server has, or is about to get. */
  get inFlight(): number {
    return this.#inFlight.size + this.#nexts().length
  }

  get ready(): number {
    return this.#ready.transactional.length + this.#ready.marketing.length
  }

  get size(): number {
    const concluded = [this.#finished, ...[...this.#underway].map(({ finished }) => finished)]
    return concluded.reduce(
      (sum, { length }) => sum + length,
      this.#making.size + this.#slow.size + this.ready + this.inFlight,
    )
  }

  /** How many of each class should be claimed now: none before half of the room is free. */
  capacity(): Capacity {
    const free = (kind: MessageClass) => {
      const room = this.#aheadMax - this.#making.size - this.#ready[kind].length
      return room * 2 >= this.#aheadMax && this.#allowance.has(kind) ? room : 0
    }
    return { transactional: free('transactional'), marketing: free('marketing') }
  }

  make(items: readonly DeliveryItem[]): void {
    for (const item of items) this.#making.add(item)
  }

  /** What is still being made of these takes no more room from others. */
  markSlow(items: readonly DeliveryItem[]): void {
    for (const item of items) if (this.#making.delete(item)) this.#slow.add(item)
  }

  /** Whether more may be claimed for a workspace: not when it has somebody wait for a server that does not answer. */
  mayClaim({ workspace_id, class: kind }: Lane): boolean {
    const isOfIt = ({ message }: DeliveryItem) => message.workspace_id === workspace_id && message.class === kind
    return [...this.#slow].filter(isOfIt).length < slowMax
  }

  /** No mail was made of it, or none will be. */
  drop(items: readonly DeliveryItem[]): void {
    for (const item of items) this.#forget(item)
    this.#tell()
  }

  setReady(item: DeliveryItem, ready: ReadyItem): void {
    // Its lease may have been lost meanwhile.
    if (!this.#forget(item)) return
    this.#ready[item.message.class].push(ready)
    this.#allowance.add(bytesOf(ready))
  }

  /** Whether a mail of it is still to be made. */
  isMaking(item: DeliveryItem): boolean {
    return this.#making.has(item) || this.#slow.has(item)
  }

  /** Waits for room in memory for mails that will have so many bytes; until `unreserve` the room is theirs, besides that of those made. */
  reserve(bytes: number, kind: MessageClass): Promise<void> {
    return this.#allowance.reserve(bytes, kind)
  }

  unreserve(bytes: number): void {
    this.#allowance.free(bytes)
  }

  /** Whether a transaction would have nothing to do, with so many connections free. */
  isIdle(free: FreeConnections): boolean {
    const { transactional, marketing } = this.#ready
    const mayGo = Math.min(transactional.length, free.transactional) + Math.min(marketing.length, free.marketing)
    return this.#finished.length === 0 && mayGo === 0
  }

  /** Takes what goes into the next transaction: mails as far as connections are free, and everything that is finished. */
  begin(free: FreeConnections): HandOverBatch {
    const underway = { next: this.#take(free), finished: this.#finished }
    this.#finished = []
    this.#underway.add(underway)
    return underway
  }

  /** The transaction has happened, and a server may have these mails from now on. */
  done(underway: HandOverBatch, handed: readonly ReadyItem[]): void {
    this.#underway.delete(underway)
    for (const item of handed) this.#inFlight.add(item)
    this.#leave(underway.next.filter((item) => !this.#inFlight.has(item)))
    this.#tell()
  }

  /** It has not, or nobody knows: the same again. */
  failed(underway: HandOverBatch): void {
    this.#underway.delete(underway)
    this.#putBack(underway.next)
    this.#finished.push(...underway.finished)
  }

  complete(item: ReadyItem, concluded: DeliveryResult): void {
    this.#inFlight.delete(item)
    this.#leave([item])
    this.#finished.push(concluded)
    if (this.#onCompleted && this.#inFlight.size <= this.#onCompleted.inFlightMax) this.#onCompleted.resolve()
  }

  /** Resolves when so many have landed that at most `inFlightMax` are left. Asked by one at a time. */
  untilInFlight(inFlightMax: number): Promise<void> {
    if (this.#inFlight.size <= inFlightMax) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onCompleted = { inFlightMax, resolve }
    })
  }

  finish(concluded: readonly DeliveryResult[]): void {
    this.#finished.push(...concluded)
  }

  /** Everything that is leased and not finished. */
  held(): DeliveryItem[] {
    const { transactional, marketing } = this.#ready
    return [...this.#making, ...this.#slow, ...transactional, ...marketing, ...this.#nexts(), ...this.#inFlight]
  }

  /** What was leased and not handed over. */
  takeWaiting(): DeliveryItem[] {
    const ready = this.#take(everybody)
    const waiting = [...this.#making, ...this.#slow, ...ready]
    this.#making.clear()
    this.#slow.clear()
    this.#leave(ready)
    return waiting
  }

  has(message_id: string): boolean {
    const isIt = ({ message }: { message: { message_id: string } }) => message.message_id === message_id
    return [this.held(), this.#finished, ...[...this.#underway].map(({ finished }) => finished)].some((some) =>
      some.some(isIt),
    )
  }

  /** Forgets messages that somebody else has by now. What is flying is not called back, and will not be written down either. */
  lose(lost: readonly DeliveryItem[]): void {
    for (const item of lost) this.#forget(item)
    const ready = this.#take(everybody)
    this.#putBack(ready.filter((item) => !lost.includes(item)))
    this.#leave(ready.filter((item) => lost.includes(item)))
    this.#tell()
  }

  /** Resolves when nothing is leased. */
  empty(): Promise<void> {
    return this.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onEmpty.push(resolve))
  }

  #forget(item: DeliveryItem): boolean {
    return this.#making.delete(item) || this.#slow.delete(item)
  }

  #nexts(): readonly ReadyItem[] {
    return [...this.#underway].flatMap(({ next }) => next)
  }

  #take(free: FreeConnections): ReadyItem[] {
    const { transactional, marketing } = this.#ready
    const first = transactional.splice(0, free.transactional)
    return [...first, ...marketing.splice(0, Math.min(free.marketing, free.transactional - first.length))]
  }

  #putBack(items: readonly ReadyItem[]): void {
    for (const item of items.toReversed()) this.#ready[item.message.class].unshift(item)
  }

  /** Their mails are not in memory any more. */
  #leave(items: readonly ReadyItem[]): void {
    if (items.length > 0) this.#allowance.free(items.reduce((sum, item) => sum + bytesOf(item), 0))
  }

  #tell(): void {
    if (this.size > 0) return
    for (const resolve of this.#onEmpty.splice(0)) resolve()
  }
}

function bytesOf({ prepared }: ReadyItem): number {
  return prepared.raw.length
}
