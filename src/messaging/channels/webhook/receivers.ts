import type { TransportTrouble } from '../../messages/transport-outcome.ts'

/** Requests that are open at the same time for one workspace, so that its slow receivers do not delay those of others. */
export const callsOfWorkspaceMax = 16
/** A call that takes longer than this lets the next one to its receiver begin: one person's call must not delay those of all others. */
export const slowCallMs = 1_000
/** Calls to one receiver that are open at the same time, all but one of them slow. */
export const callsOfReceiverMax = 4
/** How long a call waits for its turn. Then, or when its turn would come later, it makes room for calls to other receivers. */
const turnMsMax = 5_000
/** After so many failed calls in a row a receiver is in trouble: it gets one call as a test, after a pause, and no other. */
export const failuresMax = 3
/** The first pause of a receiver in trouble; each is twice as long as the one before. By business time, as all below. */
const pauseMsMin = 1_000
const pauseMsMax = 60_000
/** Calls that were put back come again one after the other, at this pace, or at that of the receiver when it is slower. */
const paceMs = 50
/** A call that was put back comes again after this time at the latest, unless the receiver asked for a longer pause. */
const againMsMax = 30 * 60_000
/** A receiver that was not reached, and is not called for this time, is forgotten. */
const troubleMsMax = 2 * 3_600_000
/** Receivers without open calls that are remembered. */
const rememberedMax = 10_000
/** The part of the last call in the usual duration of a call. */
const lastCallWeight = 1 / 8

/** How a call ended, as far as it says something about its receiver. */
export type CallEnd = {
  readonly isFailure: boolean
  /** Why it was not reached. */
  readonly unreached?: string
  /** The pause that the receiver asked for. */
  readonly askedMs?: number
}

/** The call is to come again, in milliseconds. `busyMs`: for how long the receiver has taken none; 0 when the call waits for others. */
export type PutBack = { readonly againMs: number; readonly busyMs: number }

/** A turn of a call. `end` returns for how long the receiver has taken no call. */
export type Turn = { end(how: CallEnd): number } | PutBack

type Waiting = { readonly give: (turn: Turn) => void }

type Receiver = {
  readonly workspace_id: number
  open: number
  /** Calls that have not been open for long. */
  quick: number
  /** Failed calls since the last good one, when the first and when the last of them failed. */
  failures: number
  failingSinceMs: number
  failedMs: number
  /** Until then it gets no call. */
  quietUntilMs: number
  /** When the next call that is put back comes again. */
  nextBackMs: number
  unreached: string | undefined
  /** How long a call keeps the next one from its turn, usually. */
  usualMs: number
  readonly waiting: Set<Waiting>
}

/**
 * Gives calls their turns: one call at a time for each receiver, which is the scheme, host and port of a URL that a workspace calls. Calls
 * to a receiver in trouble, or to one that asked for a pause, are put back. Many workspaces may call one host, and bad calls of one must
 * not hold up others. This holds for one process: the receiver of a message is known only when its URL was rendered, which is after it
 * was claimed, so claims cannot choose by it.
 */
export class Receivers {
  readonly #now: () => number
  readonly #elapsed: () => number
  readonly #receivers = new Map<string, Receiver>()
  /** Those for which calls wait. */
  readonly #crowded = new Set<Receiver>()
  readonly #openOf = new Map<number, number>()

  /** `now` is business time, `elapsed` that of the machine. */
  constructor(now: () => number, elapsed: () => number) {
    this.#now = now
    this.#elapsed = elapsed
  }

  /** Waits for the turn of a call. */
  turn(origin: string, workspace_id: number): Promise<Turn> {
    const receiver = this.#receiverOf(origin, workspace_id)
    if (this.#mayBegin(receiver)) return Promise.resolve(this.#begin(receiver))
    if (this.#isSpared(receiver) || !this.#mayWait(receiver)) return Promise.resolve(this.#back(receiver))
    const { promise, resolve } = Promise.withResolvers<Turn>()
    const timer = setTimeout(() => {
      this.#leave(receiver, waiting)
      resolve(this.#back(receiver))
    }, turnMsMax)
    const waiting: Waiting = {
      give: (turn) => {
        clearTimeout(timer)
        resolve(turn)
      },
    }
    receiver.waiting.add(waiting)
    this.#crowded.add(receiver)
    return promise
  }

  /** Returns why a receiver, of the workspace if one is given, was not reached by its last call; undefined when all were. */
  trouble(workspace_id?: number): TransportTrouble | undefined {
    const sinceMs = this.#now() - troubleMsMax
    for (const { unreached, failedMs, workspace_id: own } of this.#receivers.values()) {
      const isIncluded = workspace_id === undefined || workspace_id === own
      if (unreached !== undefined && failedMs > sinceMs && isIncluded) return { cause: unreached, isOpen: true }
    }
    return undefined
  }

  #receiverOf(origin: string, workspace_id: number): Receiver {
    const key = `${workspace_id} ${origin}`
    const known = this.#receivers.get(key)
    if (known) return known
    const fresh: Receiver = {
      workspace_id,
      ...{ open: 0, quick: 0, failures: 0, failingSinceMs: 0, failedMs: 0, quietUntilMs: 0, nextBackMs: 0, usualMs: 0 },
      ...{ unreached: undefined, waiting: new Set() },
    }
    if (this.#receivers.size >= rememberedMax) this.#forgetOne()
    this.#receivers.set(key, fresh)
    return fresh
  }

  #forgetOne(): void {
    for (const [key, { open, waiting }] of this.#receivers) {
      if (open > 0 || waiting.size > 0) continue
      this.#receivers.delete(key)
      return
    }
  }

  #mayBegin(receiver: Receiver): boolean {
    if ((this.#openOf.get(receiver.workspace_id) ?? 0) >= callsOfWorkspaceMax) return false
    if (this.#now() < receiver.quietUntilMs) return false
    if (receiver.failures >= failuresMax) return receiver.open === 0
    return receiver.quick === 0 && receiver.open < callsOfReceiverMax
  }

  #isSpared({ failures, quietUntilMs }: Receiver): boolean {
    return failures >= failuresMax || this.#now() < quietUntilMs
  }

  /** Whether the turn of one more call would come soon enough. */
  #mayWait({ waiting, usualMs }: Receiver): boolean {
    return (waiting.size + 1) * usualMs <= turnMsMax
  }

  #begin(receiver: Receiver): Turn {
    receiver.open++
    receiver.quick++
    this.#count(receiver, 1)
    const beganMs = this.#elapsed()
    let isQuick = true
    const slow = () => {
      if (isQuick) receiver.quick--
      isQuick = false
    }
    const timer = setTimeout(() => {
      slow()
      this.#next()
    }, slowCallMs)
    return {
      end: (how) => {
        clearTimeout(timer)
        slow()
        receiver.open--
        this.#count(receiver, -1)
        const tookMs = Math.min(this.#elapsed() - beganMs, slowCallMs)
        receiver.usualMs += (tookMs - receiver.usualMs) * lastCallWeight
        this.#record(receiver, how)
        this.#next()
        return this.#busyMs(receiver)
      },
    }
  }

  #record(receiver: Receiver, { isFailure, unreached, askedMs = 0 }: CallEnd): void {
    receiver.unreached = unreached
    receiver.failures = isFailure ? receiver.failures + 1 : 0
    if (!isFailure) return
    receiver.failedMs = this.#now()
    if (receiver.failures === 1) receiver.failingSinceMs = receiver.failedMs
    const more = receiver.failures - failuresMax
    const pauseMs = more < 0 ? 0 : Math.min(pauseMsMin * 2 ** more, pauseMsMax)
    receiver.quietUntilMs = receiver.failedMs + Math.max(pauseMs, askedMs)
    if (!this.#isSpared(receiver)) return
    for (const waiting of receiver.waiting) {
      this.#leave(receiver, waiting)
      waiting.give(this.#back(receiver))
    }
  }

  /** Begins the calls that wait and may begin now. */
  #next(): void {
    for (const receiver of this.#crowded) {
      for (const waiting of receiver.waiting) {
        if (!this.#mayBegin(receiver)) break
        this.#leave(receiver, waiting)
        waiting.give(this.#begin(receiver))
      }
    }
  }

  #leave(receiver: Receiver, waiting: Waiting): void {
    receiver.waiting.delete(waiting)
    if (receiver.waiting.size === 0) this.#crowded.delete(receiver)
  }

  #back(receiver: Receiver): PutBack {
    const nowMs = this.#now()
    const fromMs = Math.max(receiver.nextBackMs, receiver.quietUntilMs, nowMs + pauseMsMin)
    const nextMs = fromMs + Math.max(paceMs, receiver.usualMs)
    receiver.nextBackMs = Math.min(nextMs, Math.max(nowMs + againMsMax, receiver.quietUntilMs))
    return { againMs: fromMs - nowMs, busyMs: this.#isSpared(receiver) ? this.#busyMs(receiver) : 0 }
  }

  #busyMs({ failures, failingSinceMs }: Receiver): number {
    return failures === 0 ? 0 : this.#now() - failingSinceMs
  }

  #count({ workspace_id }: Receiver, by: number): void {
    const count = (this.#openOf.get(workspace_id) ?? 0) + by
    if (count > 0) this.#openOf.set(workspace_id, count)
    else this.#openOf.delete(workspace_id)
  }
}
