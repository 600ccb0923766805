import type { Clock } from '../../base/clock.ts'

/** The size of all files in the cache. */
const keptBytesMax = 64 * 1_048_576
/** What an entry counts in addition to its file. Failures count this much. */
const entryBytes = 1024
/** How long a failure is kept, in machine time. Otherwise each mail of an order would wait for a dead server. */
const failureMs = 30_000

/** A fetched file, or why it cannot be attached. */
export type FetchedFile =
  | { readonly content_type: string; readonly bytes: Buffer; readonly warning?: string }
  | { readonly failed: string }

type Kept = { readonly file: Promise<FetchedFile>; untilMs: number; bytes: number }

/** Keeps fetched files by key. Concurrent calls for a key share one fetch. The least recently used files are dropped first. */
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
      (file) => this.#complete(key, entry, file),
      () => this.#forget(key, entry),
    )
    return entry.file
  }

  #complete(key: string, entry: Kept, file: FetchedFile): void {
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
