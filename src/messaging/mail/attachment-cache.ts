import type { Clock } from '../../base/clock.ts'

/** The size of all files in the cache. */
const cachedBytesMax = 64 * 1_048_576
/** What an entry counts in addition to its file. Failures count this much. */
const entryBytes = 1024
/** How long a failure is kept, in machine time. Otherwise each mail of an order would wait for a dead server. */
const failureMs = 30_000

/** A fetched file, or why it cannot be attached. */
export type FetchedFile =
  | { readonly content_type: string; readonly bytes: Buffer; readonly warning?: string }
  | { readonly failed: string }

type CacheEntry = { readonly file: Promise<FetchedFile>; untilMs: number; bytes: number }

/** Keeps fetched files by key. Concurrent calls for a key share one fetch. The least recently used files are dropped first. */
export class AttachmentCache {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #entries = new Map<string, CacheEntry>()
  #bytes = 0

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  get(key: string, fetchFile: () => Promise<FetchedFile>): Promise<FetchedFile> {
    const known = this.#entries.get(key)
    if (known && known.untilMs > this.#clock.elapsed()) {
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known.file
    }
    if (known) this.#forget(key, known)
    const entry: CacheEntry = { file: fetchFile(), untilMs: Number.POSITIVE_INFINITY, bytes: 0 }
    this.#entries.set(key, entry)
    this.#grow(entry, entryBytes)
    entry.file.then(
      (file) => this.#complete(key, entry, file),
      () => this.#forget(key, entry),
    )
    return entry.file
  }

  #complete(key: string, entry: CacheEntry, file: FetchedFile): void {
    if (this.#entries.get(key) !== entry) return
    if ('failed' in file) entry.untilMs = this.#clock.elapsed() + failureMs
    else this.#grow(entry, file.bytes.length)
  }

  #grow(entry: CacheEntry, bytes: number): void {
    entry.bytes += bytes
    this.#bytes += bytes
    for (const [key, oldest] of this.#entries) {
      if (this.#bytes <= cachedBytesMax) break
      this.#forget(key, oldest)
    }
  }

  #forget(key: string, entry: CacheEntry): void {
    if (this.#entries.get(key) !== entry) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}
