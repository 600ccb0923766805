import type { Clock } from '../../base/clock.ts'

/** Of all files that are kept for the mails of running dispatches. */
const keptBytesMax = 64 * 1_048_576
/** What an entry counts besides its file: failures are kept too. */
const entryBytes = 1024
/** Machine time for which nobody asks again after a failure: the mails of a dispatch must not wait for a dead server one by one. */
const failureMs = 30_000

/** A file as its server gave it, or why it is none. */
export type FetchedFile =
  | { readonly content_type: string; readonly bytes: Buffer; readonly warning?: string }
  | { readonly failed: string }

type Kept = { readonly file: Promise<FetchedFile>; untilMs: number; bytes: number }

/** Files by key. The same key asked meanwhile waits for the same file; the longest unused make room when they are too much together. */
export class AttachmentCache {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #kept = new Map<string, Kept>()
  #bytes = 0

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  get(key: string, ask: () => Promise<FetchedFile>): Promise<FetchedFile> {
    const known = this.#kept.get(key)
    if (known && known.untilMs > this.#clock.elapsed()) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known.file
    }
    if (known) this.#forget(key, known)
    const entry: Kept = { file: ask(), untilMs: Number.POSITIVE_INFINITY, bytes: 0 }
    this.#kept.set(key, entry)
    this.#grow(entry, entryBytes)
    entry.file.then(
      (file) => this.#settle(key, entry, file),
      () => this.#forget(key, entry),
    )
    return entry.file
  }

  #settle(key: string, entry: Kept, file: FetchedFile): void {
    if (this.#kept.get(key) !== entry) return
    if ('failed' in file) entry.untilMs = this.#clock.elapsed() + failureMs
    else this.#grow(entry, file.bytes.length)
  }

  #grow(entry: Kept, bytes: number): void {
    entry.bytes += bytes
    this.#bytes += bytes
    for (const [key, oldest] of this.#kept) {
      if (this.#bytes <= keptBytesMax) break
      this.#forget(key, oldest)
    }
  }

  #forget(key: string, entry: Kept): void {
    if (this.#kept.get(key) !== entry) return
    this.#kept.delete(key)
    this.#bytes -= entry.bytes
  }
}
