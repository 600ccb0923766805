import type { Clock } from '../../base/clock.ts'
import { unavailable } from '../../base/errors.ts'
import type { Exchange } from '../../base/http/observe.ts'
import { type MatchedRequest, type Mismatch, mismatchesOf } from './match-request.ts'
import {
  type Recorded,
  type RequestFilter,
  recordedBodyCharactersMax,
  recordedBytesMax,
  recordedMax,
  waitersMax,
} from './schema.ts'

/** Requests that match, or the one that nearly does. */
export type Expected =
  | { readonly requests: readonly Recorded[] }
  | { readonly matching: number; readonly nearest: Recorded | undefined; readonly problems: readonly Mismatch[] }

type Kept = Recorded & { readonly bytes: number }
type Waiter = { check(): void }

/** The latest requests with their bodies and their answers, of all workspaces. */
export class Recorder {
  #entries: Kept[] = []
  #bytes = 0
  #count = 0
  readonly #waiters = new Set<Waiter>()

  /** Records an exchange. `fault` is the id of the fault that it met; `isCut` when it got no answer. */
  record(
    exchange: Exchange,
    of: {
      readonly workspace: string | null
      readonly fault: string | null
      readonly isCut: boolean
      readonly clock: Clock
    },
  ): void {
    const { method, url, query, status, from, sent, reply } = exchange
    const text = sent?.parsed === undefined ? (sent?.start.toString('utf8') ?? '') : (JSON.stringify(sent.parsed) ?? '')
    const answer = of.isCut || typeof reply.body !== 'string' ? '' : reply.body
    const isTooLong = [text, answer].some(({ length }) => length > recordedBodyCharactersMax)
    const entry: Kept = {
      number: ++this.#count,
      request_id: from.request_id,
      at: new Date(of.clock.now()).toISOString(),
      workspace: of.workspace,
      method,
      path: url.split('?', 1)[0]!,
      query: Object.fromEntries(Object.entries(query).map(([name, values]) => [name, [...(values ?? [])]])),
      body: isTooLong || text === '' ? null : parsedOf(text),
      is_cut: isTooLong,
      status: of.isCut ? null : status,
      answer: isTooLong || answer === '' ? null : parsedOf(answer),
      fault: of.fault,
      bytes: isTooLong ? url.length : 2 * (text.length + answer.length) + url.length,
    }
    this.#entries.push(entry)
    this.#bytes += entry.bytes
    while (this.#entries.length > recordedMax || this.#bytes > recordedBytesMax) {
      this.#bytes -= this.#entries.shift()!.bytes
    }
    for (const waiter of [...this.#waiters]) waiter.check()
  }

  /** Lists requests, the oldest first; of more than `limit` the latest. */
  list(
    filter: RequestFilter,
    more: { readonly status?: number; readonly after: number; readonly limit: number },
  ): Recorded[] {
    return this.#matching(filter, more.after)
      .filter(({ status }) => more.status === undefined || status === more.status)
      .slice(-more.limit)
      .map(withoutBytes)
  }

  /** The number of the last request. */
  get last(): number {
    return this.#count
  }

  /** Forgets requests: all, or those of one workspace. */
  clear(workspace?: string): void {
    this.#entries = workspace === undefined ? [] : this.#entries.filter((entry) => entry.workspace !== workspace)
    this.#bytes = this.#entries.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Waits until that many requests match, at most `waitMs`. */
  async expect(
    filter: RequestFilter,
    {
      count,
      waitMs,
      after,
      signal,
    }: { readonly count: number; readonly waitMs: number; readonly after: number; readonly signal: AbortSignal },
  ): Promise<Expected> {
    if (this.#waiters.size >= waitersMax) throw unavailable('Too many expectations wait')
    const enough = () => this.#matching(filter, after).length >= count
    if (!enough() && waitMs > 0) await this.#until(enough, waitMs, signal)
    const matching = this.#matching(filter, after)
    if (matching.length >= count) return { requests: matching.map(withoutBytes) }
    return { matching: matching.length, ...this.#nearest(filter, after) }
  }

  #matching(filter: RequestFilter, after: number): Kept[] {
    return this.#entries.filter((entry) => entry.number > after && mismatchesOf(entry, filter).length === 0)
  }

  #until(isDone: () => boolean, waitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      this.#waiters.delete(waiter)
      resolve()
    }
    const waiter = { check: () => isDone() && end() }
    const timer = setTimeout(end, waitMs)
    signal.addEventListener('abort', end)
    this.#waiters.add(waiter)
    if (signal.aborted) end()
    return promise
  }

  /** Finds the request with the fewest problems; of several the latest. */
  #nearest(filter: RequestFilter, after: number): { nearest: Recorded | undefined; problems: readonly Mismatch[] } {
    let nearest: Kept | undefined
    let problems: readonly Mismatch[] = []
    for (const entry of this.#entries) {
      if (entry.number <= after) continue
      const found = mismatchesOf(entry, filter)
      if (found.length === 0 || (nearest && found.length > problems.length)) continue
      nearest = entry
      problems = found
    }
    return { nearest: nearest && withoutBytes(nearest), problems }
  }
}

export type { MatchedRequest }

function withoutBytes({ bytes: _, ...entry }: Kept): Recorded {
  return entry
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // It is not JSON: it is kept as a text.
    return text
  }
}
