import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { unwrapKey, type WrappedKey } from '../../base/root-secrets.ts'

export type Installation = {
  /** The key of the checksums in public ids and of the hashes of addresses. It is generated once and never shown. */
  secret: Buffer
  admin_token_hash: Buffer | null
  /** The instant of the virtual clock; null when no process has used one with this database. */
  virtual_now: Date | null
}

/** Reads the only row of `installation`. Throws when `bootstrap` has not run. */
export async function getInstallation(tx: Tx): Promise<Installation> {
  const [row] = await tx.query<Installation>(sql`select secret, admin_token_hash, virtual_now from installation`)
  if (!row) throw new Error('this database was never started: no installation row')
  return row
}

/** The columns of `installation` from which `sealingKeyOf` makes the key of encrypted secrets. */
export type SealingColumns = {
  readonly secret: Buffer
  readonly sealing_key: Buffer | null
  readonly root_key_id: string | null
}

/** Returns the key with which secrets are encrypted. Throws ConfigError when its root secret was not given. */
export function sealingKeyOf({ secret, sealing_key, root_key_id }: SealingColumns): Buffer {
  if (sealing_key === null || root_key_id === null) return secret
  return unwrapKey({ key_id: root_key_id, wrapped: sealing_key })
}

/** Returns the key id of the root secret that opens the sealing key; null when it is not encrypted. */
export async function getRootKeyId(tx: Tx): Promise<string | null> {
  const [row] = await tx.query<{ root_key_id: string | null }>(sql`select root_key_id from installation`)
  return row?.root_key_id ?? null
}

/** Returns the key with which secrets are encrypted. */
export async function getSealingKey(tx: Tx): Promise<Buffer> {
  const [row] = await tx.query<SealingColumns>(sql`select secret, sealing_key, root_key_id from installation`)
  if (!row) throw new Error('this database was never started: no installation row')
  return sealingKeyOf(row)
}

export async function updateSealingKey(tx: Tx, { key_id, wrapped }: WrappedKey): Promise<void> {
  await tx.query(sql`update installation set sealing_key = ${wrapped}, root_key_id = ${key_id}`)
}

/** Returns false when the row exists already. */
export async function insertInstallation(tx: Tx, secret: Buffer, at: Date): Promise<boolean> {
  const inserted = await tx.query(sql`
    insert into installation (secret, created_at) values (${secret}, ${at.toISOString()})
    on conflict (only_one) do nothing returning only_one`)
  return inserted.length > 0
}

/** With null, only a token of the environment is valid. */
export async function updateAdminToken(tx: Tx, token_hash: Buffer | null): Promise<void> {
  await tx.query(sql`update installation set admin_token_hash = ${token_hash}`)
}

/** Stores the instant of the virtual clock, unless a later one is stored. */
export async function updateVirtualNow(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`update installation set virtual_now = greatest(virtual_now, ${now.toISOString()}::timestamptz)`)
}

/** Reads the version of the time zone rules by which slots were planned; null while it is not known. */
export async function getZoneRules(tx: Tx): Promise<string | null> {
  const [row] = await tx.query<{ zone_rules: string | null }>(sql`select zone_rules from installation`)
  return row?.zone_rules ?? null
}

export async function updateZoneRules(tx: Tx, zone_rules: string): Promise<void> {
  await tx.query(sql`update installation set zone_rules = ${zone_rules}`)
}
