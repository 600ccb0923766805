import { systemActor } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { generateToken, sha256 } from '../../base/ids.ts'
import { type AuditAuthor, recordAudit } from '../../workspace/audit/record.ts'
import { getInstallation, updateAdminToken } from '../../workspace/settings/installation-store.ts'
import { lockConfig, raiseConfigVersion } from '../../workspace/settings/store.ts'

const target = { kind: 'admin_token', id: 'admin' }

/** Returns a new admin token. Its hash goes to `setAdminToken`. */
export function generateAdminToken(): string {
  return generateToken('easel_admin')
}

export function hashAdminToken(token: string): Buffer {
  return sha256(token)
}

/**
 * Generates the admin token of the installation when there is none and the environment gives none. A token of the environment is never
 * stored: it is valid in a process exactly while the environment of that process gives it.
 */
export async function ensureAdminToken(tx: Tx, by: AuditAuthor, stored: Buffer | null, given: string | undefined) {
  if (given !== undefined || stored !== null) return { changed: false, generated: {} }
  const adminToken = generateAdminToken()
  await writeAdminToken(tx, by, hashAdminToken(adminToken))
  return { changed: true, generated: { adminToken } }
}

/** Replaces the admin token of the installation. Processes refuse the old one when they have read the new version of the configuration. */
export async function setAdminToken(
  db: Db,
  clock: Clock,
  hash: Buffer,
  actor: AuditAuthor['actor'] = systemActor,
): Promise<void> {
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    await writeAdminToken(tx, { actor, clock }, hash)
    await raiseConfigVersion(tx)
  })
}

/**
 * Removes the stored token when it is the one of the environment: earlier releases stored it, and a user may have copied it there. It must
 * not be valid any more when the environment does not give it.
 */
export async function removeGivenAdminToken(db: Db, clock: Clock, given: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    const { admin_token_hash } = await getInstallation(tx)
    if (!admin_token_hash?.equals(hashAdminToken(given))) return
    await updateAdminToken(tx, null)
    await recordAudit(tx, { actor: systemActor, clock }, { action: 'admin_token.delete', target })
    await raiseConfigVersion(tx)
  })
}

async function writeAdminToken(tx: Tx, by: AuditAuthor, hash: Buffer): Promise<void> {
  await updateAdminToken(tx, hash)
  await recordAudit(tx, by, { action: 'admin_token.set', target })
}
