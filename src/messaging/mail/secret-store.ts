import type { Tx } from '../../base/db/db.ts'
import { freeNames } from '../../base/db/free-names.ts'
import { sql } from '../../base/db/sql.ts'
import { decrypt, encrypt } from '../../base/encrypt.ts'
import { getSealingKey, type SealingColumns, sealingKeyOf } from '../../workspace/settings/installation-store.ts'
import type { DkimKey, StoredCredential } from './secret-schema.ts'

type CredentialRow = Omit<StoredCredential, 'password'> & { readonly password: Buffer }
type DkimRow = Omit<DkimKey, 'private_key'> & { readonly private_key: Buffer }

/** Lists credentials with readable passwords, oldest first. */
export async function listCredentials(tx: Tx, workspace_id: number): Promise<StoredCredential[]> {
  const key = await getSealingKey(tx)
  const rows = await tx.query<CredentialRow>(sql`
    select id, name, user_name, password, origins from credential where workspace_id = ${workspace_id}
    order by created_at, id collate "C"`)
  return rows.map((row) => unsealCredential(row, workspace_id, key))
}

/** Finds a credential by name. */
export async function findCredential(
  tx: Tx,
  workspace_id: number,
  name: string,
): Promise<StoredCredential | undefined> {
  const [row] = await tx.query<CredentialRow & SealingColumns>(sql`
    select id, name, user_name, password, origins, secret, sealing_key, root_key_id from credential, installation
    where workspace_id = ${workspace_id} and name = ${name}`)
  if (row === undefined) return undefined
  const { secret, sealing_key, root_key_id, ...credential } = row
  return unsealCredential(credential, workspace_id, sealingKeyOf({ secret, sealing_key, root_key_id }))
}

/** Returns the origins to which each of these credentials may be sent, by name. Unknown names are left out. */
export async function findOrigins(
  tx: Tx,
  workspace_id: number,
  names: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ name: string; origins: string[] }>(sql`
    select name, origins from credential where workspace_id = ${workspace_id}
      and name in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`)
  return new Map(rows.map(({ name, origins }) => [name, origins]))
}

export async function insertCredentials(
  tx: Tx,
  workspace_id: number,
  credentials: readonly StoredCredential[],
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into credential (workspace_id, id, name, user_name, password, origins, created_at, updated_at)
    select ${workspace_id}::int, id, name, user_name, decode(password, 'base64'), origins,
      ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${await sealedCredentials(tx, workspace_id, credentials)}::jsonb)
      as given (id text, name text, user_name text, password text, origins text[])`)
}

export async function updateCredentials(
  tx: Tx,
  workspace_id: number,
  credentials: readonly StoredCredential[],
  at: Date,
): Promise<void> {
  const given = await sealedCredentials(tx, workspace_id, credentials)
  await freeNames(tx, 'credential', workspace_id, given)
  await tx.query(sql`
    update credential as stored set name = given.name, user_name = given.user_name,
      password = decode(given.password, 'base64'), origins = given.origins, updated_at = ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${given}::jsonb) as given (id text, name text, user_name text, password text, origins text[])
    where stored.workspace_id = ${workspace_id} and stored.id = given.id`)
}

export async function deleteCredential(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const deleted = await tx.query(
    sql`delete from credential where workspace_id = ${workspace_id} and id = ${id} returning id`,
  )
  return deleted.length > 0
}

/** Lists DKIM keys with readable private keys, oldest first. */
export async function listDkimKeys(tx: Tx, workspace_id: number): Promise<DkimKey[]> {
  const key = await getSealingKey(tx)
  const rows = await tx.query<DkimRow>(sql`
    select id, name, selector, private_key from dkim_key where workspace_id = ${workspace_id}
    order by created_at, id collate "C"`)
  return rows.map((row) => unsealDkimKey(row, workspace_id, key))
}

/** Finds the key of the longest of these domains that has one. */
export async function findDkimKeyOf(
  tx: Tx,
  workspace_id: number,
  domains: readonly string[],
): Promise<DkimKey | undefined> {
  const [row] = await tx.query<DkimRow & SealingColumns>(sql`
    select id, name, selector, private_key, secret, sealing_key, root_key_id from dkim_key, installation
    where workspace_id = ${workspace_id} and name in (select jsonb_array_elements_text(${JSON.stringify(domains)}::jsonb))
    order by length(name) desc limit 1`)
  if (row === undefined) return undefined
  const { secret, sealing_key, root_key_id, ...key } = row
  return unsealDkimKey(key, workspace_id, sealingKeyOf({ secret, sealing_key, root_key_id }))
}

export async function insertDkimKeys(tx: Tx, workspace_id: number, keys: readonly DkimKey[], at: Date): Promise<void> {
  await tx.query(sql`
    insert into dkim_key (workspace_id, id, name, selector, private_key, created_at, updated_at)
    select ${workspace_id}::int, id, name, selector, decode(private_key, 'base64'),
      ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${await sealedDkimKeys(tx, workspace_id, keys)}::jsonb)
      as given (id text, name text, selector text, private_key text)`)
}

export async function updateDkimKeys(tx: Tx, workspace_id: number, keys: readonly DkimKey[], at: Date): Promise<void> {
  const given = await sealedDkimKeys(tx, workspace_id, keys)
  await freeNames(tx, 'dkim_key', workspace_id, given)
  await tx.query(sql`
    update dkim_key as stored set name = given.name, selector = given.selector,
      private_key = decode(given.private_key, 'base64'), updated_at = ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${given}::jsonb) as given (id text, name text, selector text, private_key text)
    where stored.workspace_id = ${workspace_id} and stored.id = given.id`)
}

export async function deleteDkimKey(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const deleted = await tx.query(
    sql`delete from dkim_key where workspace_id = ${workspace_id} and id = ${id} returning id`,
  )
  return deleted.length > 0
}

function sealContext(table: 'credential' | 'dkim_key', workspace_id: number, id: string): string {
  return `${table} ${workspace_id} ${id}`
}

function unsealCredential(row: CredentialRow, workspace_id: number, secret: Buffer): StoredCredential {
  return { ...row, password: decrypt(row.password, sealContext('credential', workspace_id, row.id), secret) }
}

function unsealDkimKey(row: DkimRow, workspace_id: number, secret: Buffer): DkimKey {
  return { ...row, private_key: decrypt(row.private_key, sealContext('dkim_key', workspace_id, row.id), secret) }
}

async function sealedCredentials(tx: Tx, workspace_id: number, rows: readonly StoredCredential[]): Promise<string> {
  const key = await getSealingKey(tx)
  const sealed = rows.map((row) => {
    const password = encrypt(row.password, sealContext('credential', workspace_id, row.id), key).toString('base64')
    return { ...row, password }
  })
  return JSON.stringify(sealed)
}

async function sealedDkimKeys(tx: Tx, workspace_id: number, rows: readonly DkimKey[]): Promise<string> {
  const key = await getSealingKey(tx)
  const sealed = rows.map((row) => {
    const private_key = encrypt(row.private_key, sealContext('dkim_key', workspace_id, row.id), key).toString('base64')
    return { ...row, private_key }
  })
  return JSON.stringify(sealed)
}

/** Encrypts every password and private key of the installation with another key. */
export async function resealSecrets(tx: Tx, from: Buffer, to: Buffer): Promise<void> {
  const credentials = await tx.query<SealedRow>(sql`
    select workspace_id, id, password as sealed from credential order by workspace_id, id`)
  await tx.query(sql`
    update credential as stored set password = decode(given.sealed, 'base64')
    from jsonb_to_recordset(${resealed('credential', credentials, from, to)}::jsonb)
      as given (workspace_id int, id text, sealed text)
    where stored.workspace_id = given.workspace_id and stored.id = given.id`)
  const keys = await tx.query<SealedRow>(sql`
    select workspace_id, id, private_key as sealed from dkim_key order by workspace_id, id`)
  await tx.query(sql`
    update dkim_key as stored set private_key = decode(given.sealed, 'base64')
    from jsonb_to_recordset(${resealed('dkim_key', keys, from, to)}::jsonb)
      as given (workspace_id int, id text, sealed text)
    where stored.workspace_id = given.workspace_id and stored.id = given.id`)
}

type SealedRow = { readonly workspace_id: number; readonly id: string; readonly sealed: Buffer }

function resealed(table: 'credential' | 'dkim_key', rows: readonly SealedRow[], from: Buffer, to: Buffer): string {
  const changed = rows.map(({ workspace_id, id, sealed }) => {
    const context = sealContext(table, workspace_id, id)
    return { workspace_id, id, sealed: encrypt(decrypt(sealed, context, from), context, to).toString('base64') }
  })
  return JSON.stringify(changed)
}
