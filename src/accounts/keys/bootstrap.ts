import { randomBytes } from 'node:crypto'
import { systemActor } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { conflict } from '../../base/errors.ts'
import { everyPermission } from '../../base/http/permissions.ts'
import { generateToken, newSecretBytes, newUuid } from '../../base/ids.ts'
import { requireRootSecret, wrapKey } from '../../base/root-secrets.ts'
import { type AuditAuthor, recordAudit } from '../../workspace/audit/record.ts'
import {
  getInstallation,
  getRootKeyId,
  insertInstallation,
  updateSealingKey,
} from '../../workspace/settings/installation-store.ts'
import { insertWorkspace, listWorkspaces, lockConfig, raiseConfigVersion } from '../../workspace/settings/store.ts'
import { ensureAdminToken } from './admin-token.ts'
import { hashKey } from './config-section.ts'
import { type ApiKeyRow, deleteApiKey, insertApiKeys, listAllApiKeys } from './key-store.ts'
import { environmentKeyName, firstKeyName } from './schema.ts'
import { ensureScimToken } from './scim-tokens.ts'

const secretBytes = 32

export const defaultWorkspace = { id: 'default', name: 'Default' }

/** Secrets from the environment. Those that are absent are generated at the first start. */
export type GivenSecrets = {
  apiKey?: string | undefined
  adminToken?: string | undefined
  scimToken?: string | undefined
  /** The origin of the SCIM token from the environment and of the generated one; absent: their origins stay as they are. */
  requestOrigin?: string | undefined
  /** Root secrets, the current one first. A new installation encrypts its secrets under it. */
  rootSecrets?: readonly string[] | undefined
}

export type Bootstrapped = {
  /** The key of the checksums in public ids and of the hashes of addresses. */
  secret: Buffer
  /** The instant of the virtual clock in epoch milliseconds; undefined when no process has used one with this database. */
  virtualNowMs?: number
  /** Secrets that were generated now. They must be printed: only their hashes are stored. */
  generated: { apiKey?: string; adminToken?: string; scimToken?: string }
  /** Whether the key of encrypted secrets needs a root secret that is not in the database. */
  isSealed: boolean
}

/**
 * Creates the installation, a default workspace, an API key with every permission, an admin token and a SCIM token where they are missing,
 * and stores the key and the SCIM token of the environment. It is one transaction, so of several processes that start together one does it.
 * Throws 409 when the API key of the environment is stored already with fewer permissions, and ConfigError when the root secret of the
 * database was not given.
 */
export async function bootstrap(db: Db, clock: Clock, given: GivenSecrets): Promise<Bootstrapped> {
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const at = new Date(clock.now())
    const by = { actor: systemActor, clock }
    const first = await insertInstallation(tx, newSecretBytes(secretBytes), at)
    const { rootSecrets = [] } = given
    if (first && rootSecrets.length > 0) await updateSealingKey(tx, wrapKey(randomBytes(secretBytes), rootSecrets[0]!))
    const root_key_id = await getRootKeyId(tx)
    if (root_key_id !== null) requireRootSecret(root_key_id, rootSecrets)
    const workspace_id = await ensureWorkspace(tx, at)
    const installation = await getInstallation(tx)
    const adminToken = await ensureAdminToken(tx, by, installation.admin_token_hash, given.adminToken)
    const apiKey = await ensureApiKey(tx, by, workspace_id, first, given.apiKey)
    const scimToken = await ensureScimToken(tx, by, first, given.scimToken, given.requestOrigin)
    if (first || adminToken.changed || apiKey.changed || scimToken.changed) await raiseConfigVersion(tx)
    const { secret, virtual_now } = installation
    return {
      secret,
      isSealed: root_key_id !== null,
      ...(virtual_now && { virtualNowMs: virtual_now.getTime() }),
      generated: { ...apiKey.generated, ...adminToken.generated, ...scimToken.generated },
    }
  })
}

async function ensureWorkspace(tx: Tx, at: Date): Promise<number> {
  const [workspace] = await listWorkspaces(tx)
  return workspace?.workspace_id ?? insertWorkspace(tx, defaultWorkspace.id, defaultWorkspace.name, at)
}

/** Generates a key only at the first start. After that, a workspace may have no keys on purpose. */
async function ensureApiKey(tx: Tx, by: AuditAuthor, workspace_id: number, first: boolean, given: string | undefined) {
  if (given === undefined && !first) return { changed: false, generated: {} }
  const apiKey = given ?? generateToken('easel_key')
  const hashed = hashKey(apiKey)
  const keys = await listAllApiKeys(tx)
  const known = keys.find((key) => key.key_hash.equals(hashed.key_hash))
  if (known) {
    requireAllPermissions(known, workspace_id)
    return { changed: false, generated: {} }
  }
  const name = given === undefined ? firstKeyName : environmentKeyName
  const earlier = keys.find((key) => key.workspace_id === workspace_id && key.name === name)
  if (earlier) {
    await deleteApiKey(tx, workspace_id, earlier.id)
    await recordAudit(tx, by, { action: 'key.delete', target: targetOf(earlier), workspace_id })
  }
  const key = { id: newUuid(), name, ...hashed, permissions: [everyPermission], allowed_ips: [], strict: false }
  await insertApiKeys(tx, workspace_id, [key], new Date(by.clock.now()))
  const after = { name, permissions: key.permissions, key_start: key.key_start }
  await recordAudit(tx, by, { action: 'key.create', target: targetOf(key), after, workspace_id })
  return { changed: true, generated: given === undefined ? { apiKey } : {} }
}

function targetOf({ id, name }: Pick<ApiKeyRow, 'id' | 'name'>) {
  return { kind: 'key', id, name }
}

function requireAllPermissions({ workspace_id, name, permissions }: ApiKeyRow, defaultId: number): void {
  if (workspace_id === defaultId && permissions.includes(everyPermission)) return
  throw conflict(
    `EASEL_API_KEY is also the text of the API key "${name}", which has fewer permissions: give one of the two another text`,
  )
}
