import { type MessageClass, messageClasses } from '../messages/message.ts'

/** Bytes that may be in memory. Marketing leaves a part to what is transactional. */
export type MemoryLimits = Readonly<Record<MessageClass, number>>

export const mailBytesMax: MemoryLimits = {
  transactional: 128 * 2 ** 20,
  marketing: 64 * 2 ** 20,
}

type Waiting = { readonly bytes: number; readonly resolve: () => void }

/**
 * Counts the bytes of mails or webhook calls in memory: being prepared, ready or in flight. Large ones wait for memory before they are
 * prepared.
 */
export class MemoryAllowance {
  readonly #limits: MemoryLimits
  readonly #waiting = { transactional: [] as Waiting[], marketing: [] as Waiting[] }
  #held = 0

  constructor(limits: MemoryLimits) {
    this.#limits = limits
  }

  /** Returns whether any memory is left for a class. */
  has(kind: MessageClass): boolean {
    return this.#held < this.#limits[kind]
  }

  /** Counts bytes that are in memory already, even beyond the limit. */
  add(bytes: number): void {
    this.#held += bytes
  }

  free(bytes: number): void {
    this.#held -= bytes
    for (const kind of messageClasses) {
      const waiting = this.#waiting[kind]
      while (waiting[0] && this.#fits(waiting[0].bytes, kind)) {
        const first = waiting.shift()!
        this.#held += first.bytes
        first.resolve()
      }
    }
  }

  /** Waits in order until `bytes` are free, and counts them. A reservation beyond the limit waits until nothing else is in memory. */
  reserve(bytes: number, kind: MessageClass): Promise<void> {
    const waiting = this.#waiting[kind]
    if (waiting.length > 0 || !this.#fits(bytes, kind)) {
      return new Promise((resolve) => waiting.push({ bytes, resolve }))
    }
    this.#held += bytes
    return Promise.resolve()
  }

  #fits(bytes: number, kind: MessageClass): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#limits[kind]
  }
}

/** Splits items into slices of at most half of the memory, so that one slice is prepared while another is sent. */
export function memorySlices<T>(items: readonly T[], bytesEach: number, bytesMax: number): T[][] {
  const count = Math.max(1, Math.floor(bytesMax / 2 / bytesEach))
  return Array.from({ length: Math.ceil(items.length / count) }, (_, i) => items.slice(i * count, (i + 1) * count))
}

/** Bytes that are expected beside the texts of the content, until more is known. */
const firstBytes = 64 * 2 ** 10
/** Contents whose size is known. */
const knownContentsMax = 1_000
/** How much more is expected when one did not fit. */
const growth = 4

/** Expects how many bytes a mail or a call of a content takes, without files. They wait for so much memory before they are prepared. */
export class ExpectedBytes {
  readonly #known = new Map<string, number>()
  readonly #bytesMax: number

  /** `bytesMax`: the size of the largest one. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Returns the bytes of one mail or call. `textsBytes`: those of the texts of its content. */
  of(contentKey: string, textsBytes: number): number {
    return this.#known.get(contentKey) ?? Math.min(firstBytes + 2 * textsBytes, this.#bytesMax)
  }

  /** Expects more from now on, because one did not fit. */
  grow(contentKey: string, bytes: number): void {
    this.#known.delete(contentKey)
    this.#known.set(contentKey, Math.min(bytes * growth, this.#bytesMax))
    for (const key of [...this.#known.keys()].slice(0, -knownContentsMax)) this.#known.delete(key)
  }
}
