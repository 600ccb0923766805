import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { ApiKey, ScimToken } from '../../base/http/auth.ts'
import { everyPermission, permissions } from '../../base/http/permissions.ts'
import { sha256 } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { startJobs } from '../../base/work/jobs.ts'
import type { ConfigCache } from '../../workspace/settings/config-cache.ts'
import { getInstallation } from '../../workspace/settings/installation-store.ts'
import { type ApiKeyRow, listAllApiKeys, updateApiKeyUses } from './key-store.ts'
import { listScimTokens, updateScimTokenUses } from './scim-token-store.ts'

const writeUsesMs = 60_000

/** API keys, SCIM tokens and the admin token in memory. Every process refuses a deleted one within a second. */
export type Keys = {
  findKey(token: string): ApiKey | undefined
  findScimToken(token: string): ScimToken | undefined
  isAdmin(token: string): boolean
  /** Writes when keys and tokens were last used. */
  close(): Promise<void>
}

type LoadedKeys = {
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly scimTokens: ReadonlyMap<string, ScimToken>
  readonly adminHash: string | undefined
}

/** `adminToken` is the one that the environment gives. While it gives one, the stored one is not valid. */
export async function openKeys(cache: ConfigCache, db: Db, clock: Clock, log: Log, adminToken?: string): Promise<Keys> {
  const givenAdminHash = adminToken === undefined ? undefined : hashText(adminToken)
  const cached = await cache.keep(loadKeys)
  const keyUses = openUses(clock, (uses) => updateApiKeyUses(db, uses))
  const scimUses = openUses(clock, (uses) => updateScimTokenUses(db, uses))
  const writeUses = async () => {
    await keyUses.write()
    await scimUses.write()
  }
  const writing = startJobs([{ name: 'keys.writeUses', everyMs: writeUsesMs, run: writeUses }], log)
  return {
    findKey(token) {
      const key = cached.current.keys.get(hashText(token))
      if (key) keyUses.note(key.id)
      return key
    },
    findScimToken(token) {
      const found = cached.current.scimTokens.get(hashText(token))
      if (found) scimUses.note(found.id)
      return found
    },
    isAdmin: (token) => hashText(token) === (givenAdminHash ?? cached.current.adminHash),
    async close() {
      await writing.close()
      try {
        await writeUses()
      } catch {
        // The database is unavailable. A stop must still succeed, so the times of the last minute are lost.
      }
    },
  }
}

// Hashes are compared instead of texts, so that the duration reveals nothing about a key.
function hashText(token: string): string {
  return sha256(token).toString('latin1')
}

async function loadKeys(db: Db): Promise<LoadedKeys> {
  const keys = await listAllApiKeys(db)
  const scimTokens = await listScimTokens(db)
  const { admin_token_hash } = await getInstallation(db)
  return {
    keys: new Map(keys.map((key) => [key.key_hash.toString('latin1'), toKey(key)])),
    scimTokens: new Map(scimTokens.map((token) => [token.token_hash.toString('latin1'), token])),
    adminHash: admin_token_hash?.toString('latin1'),
  }
}

/** Returns the permissions; `*` becomes the list of all permissions. */
function toKey({ id, workspace_id, name, permissions: granted, allowed_ips, strict }: ApiKeyRow): ApiKey {
  const all = granted.includes(everyPermission) ? permissions : granted
  return { id, workspace_id, name, permissions: new Set(all), allowed_ips, strict }
}

type Uses = readonly { readonly id: string; readonly at: string }[]

/** Collects in memory when keys were last used, and writes it for all of them at once. */
function openUses(clock: Clock, update: (uses: Uses) => Promise<void>) {
  const noted = new Map<string, number>()
  return {
    note: (id: string) => noted.set(id, clock.now()),
    async write(): Promise<void> {
      if (noted.size === 0) return
      const taken = [...noted]
      await update(taken.map(([id, ms]) => ({ id, at: new Date(ms).toISOString() })))
      for (const [id, ms] of taken) if (noted.get(id) === ms) noted.delete(id)
    },
  }
}
