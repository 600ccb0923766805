import { type MessageClass, messageClasses } from '../messages/message.ts'
/** Bytes of mail that may be in memory. Large marketing mail leaves room for transactional mail. */
export const mailBytesMax: Readonly<Record<MessageClass, number>> = {
  transactional: 128 * 2 ** 20,
  marketing: 64 * 2 ** 20,
}

type Waiting = { readonly bytes: number; readonly resolve: () => void }

/** Counts the bytes of the mails that are made, ready or on their way, and has large ones wait before they are made. */
export class MemoryAllowance {
  readonly #waiting = { transactional: [] as Waiting[], marketing: [] as Waiting[] }
  #held = 0

  /** Whether there is room for anything of a class. */
  has(kind: MessageClass): boolean {
    return this.#held < mailBytesMax[kind]
  }

  /** What is there already, however much. */
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

  /** Resolves when there is room for so many bytes, in turn; they count from then on. What is more than all of it comes in alone. */
  reserve(bytes: number, kind: MessageClass): Promise<void> {
    const waiting = this.#waiting[kind]
    if (waiting.length > 0 || !this.#fits(bytes, kind)) {
      return new Promise((resolve) => waiting.push({ bytes, resolve }))
    }
    this.#held += bytes
    return Promise.resolve()
  }

  #fits(bytes: number, kind: MessageClass): boolean {
    return this.#held === 0 || this.#held + bytes <= mailBytesMax[kind]
  }
}

/** Of `items` that weigh so much each as many at a time as take half of the room, so that some are made while others leave. */
export function memorySlices<T>(items: readonly T[], bytesEach: number, kind: MessageClass): T[][] {
  const count = Math.max(1, Math.floor(mailBytesMax[kind] / 2 / bytesEach))
  return Array.from({ length: Math.ceil(items.length / count) }, (_, i) => items.slice(i * count, (i + 1) * count))
}
