import { pino } from 'pino'
import { bootstrap } from '../src/accounts/keys/bootstrap.ts'
import { type Call, noRequest } from '../src/base/call.ts'
import { createClock, isVirtual, syncClock, systemClock } from '../src/base/clock.ts'
import type { Config } from '../src/base/config.ts'
import { backendOf } from '../src/base/db/backends.ts'
import type { Db } from '../src/base/db/db.ts'
import { migrate } from '../src/base/db/migrate.ts'
import { openDb } from '../src/base/db/open.ts'
import { readServerTime } from '../src/base/db/server-time.ts'
import { loadRootSecrets } from '../src/base/root-secrets.ts'
import { getWorkspace } from '../src/workspace/settings/selected.ts'
import { note, type Shell } from './command.ts'

/** Runs `work` on the database of the environment without migrations, and closes it afterwards. */
export async function withDatabase<T>({ stderr }: Shell, config: Config, work: (db: Db) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = config
  const log = pino({ level: 'error', base: null }, stderr)
  const db = await openDb({ dataDir, ...(databaseUrl && { databaseUrl }), log, clock: systemClock() })
  return work(db).finally(() => db.close())
}

/** Migrates the database and runs `work` with a call, as for a verb of the service. Prints the secrets that this creates. */
export async function withCall<T>(shell: Shell, config: Config, work: (call: Call) => Promise<T>): Promise<T> {
  const clock = createClock(config.clock)
  return withDatabase(shell, config, async (db) => {
    if (backendOf(db).hasClock) await syncClock(clock, () => readServerTime(db))
    await migrate(db, clock)
    const { virtualNowMs, generated } = await bootstrap(db, clock, { ...config, rootSecrets: loadRootSecrets(config) })
    if (isVirtual(clock) && virtualNowMs !== undefined) clock.resumeAt(virtualNowMs)
    if (generated.apiKey) note(shell, `API key with every permission, shown this once: ${generated.apiKey}`)
    if (generated.adminToken) note(shell, `Admin token, shown this once: ${generated.adminToken}`)
    if (generated.scimToken) note(shell, `SCIM token, shown this once: ${generated.scimToken}`)
    const actor = { kind: 'admin', id: 'cli', name: 'command line', from: noRequest } as const
    const log = pino({ level: 'silent' })
    const { workspace_id } = await getWorkspace(db)
    return work({ db, workspace_id, actor, strict: false, clock, log, signal: new AbortController().signal })
  })
}
