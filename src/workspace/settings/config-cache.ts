import type { Db } from '../../base/db/db.ts'
import type { Log } from '../../base/log.ts'
import { openLoop, type Polls } from '../../base/work/loop.ts'
import { configVersionProbe, getConfigVersion } from './store.ts'

const everyMs = 500

/** A copy of a part of the configuration. Read `current` again each time: a refresh replaces it. */
export type CachedConfig<T> = { readonly current: T }

/**
 * The configuration in the memory of this process. It is read without waiting and is at most half a second behind the database. It has one
 * version, so that a poll is one small query.
 */
export type ConfigCache = {
  /** Loads a part of the configuration now, and again whenever the version has changed. */
  keep<T>(load: (db: Db) => Promise<T>): Promise<CachedConfig<T>>
  /** Call this with a version that was read elsewhere. A newer version triggers a refresh. */
  noticed(version: number): void
  /** Resolves when the cache is at least as new as the database was at the call. */
  refresh(): Promise<void>
  /**
   * Waits for a write and then refreshes the cache, so that the next request in this process sees the write. Every write of configuration
   * uses it before its answer is sent.
   */
  refreshAfter: RefreshAfter
  /** Stops to follow the version. */
  close(): Promise<void>
}

export type RefreshAfter = <T>(write: Promise<T>) => Promise<T>

/** Starts to follow the version. While the database is unavailable, the last copies remain in use. */
export async function openConfigCache(db: Db, log: Log, poller?: Polls): Promise<ConfigCache> {
  const kept: { load(): Promise<() => void> }[] = []
  // The version is read before the copies, so a copy may be newer than its version, but never older.
  let version = await getConfigVersion(db)
  let refreshing: Promise<void> = Promise.resolve()

  async function loadNewer(): Promise<void> {
    const found = await getConfigVersion(db)
    if (found === version) return
    const replacements: (() => void)[] = []
    for (const each of kept) replacements.push(await each.load())
    // All are replaced at once: an API key never belongs to a workspace that is not in the cache yet.
    for (const replace of replacements) replace()
    version = found
  }
  function refresh(): Promise<void> {
    refreshing = refreshing.then(loadNewer, loadNewer)
    return refreshing
  }
  async function tryRefresh(): Promise<void> {
    try {
      await refresh()
    } catch {
      // The next poll refreshes the cache, or logs the error.
    }
  }

  const turn = async () => {
    await refresh()
    return false
  }
  const probe = () => configVersionProbe(version)
  const following = openLoop({ name: 'workspace.refresh', everyMs, poller, probe, turn }, log)
  return {
    async keep<T>(load: (db: Db) => Promise<T>) {
      const cached = { current: await load(db) }
      const reload = async () => {
        const loaded = await load(db)
        return () => {
          cached.current = loaded
        }
      }
      kept.push({ load: reload })
      return cached
    },
    noticed(number) {
      if (number > version) void tryRefresh()
    },
    refresh,
    async refreshAfter(write) {
      const done = await write
      await tryRefresh()
      return done
    },
    close: () => following.close(),
  }
}
