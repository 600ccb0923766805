import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { raiseVersion } from '../../base/db/versions.ts'
import type { SignInAccount } from '../sessions/session-store.ts'
import type { Account } from './account.ts'

const columns = sql`account_id, user_name, given_name, family_name, department, active, external_id, display_name, locale, emails,
  permissions, version, created_at, updated_at, last_sign_in_at`

/** Writers of accounts take turns until their transactions end: that one administrator stays is a rule over all of them. */
export async function lockAccounts(tx: Tx): Promise<void> {
  await raiseVersion(tx, 'account')
}

export async function findAccount(tx: Tx, account_id: string): Promise<Account | undefined> {
  const [row] = await tx.query<Account>(sql`select ${columns} from account where account_id = ${account_id}::uuid`)
  return row
}

/** Whatever the case of the name. */
export async function findByName(tx: Tx, user_name: string): Promise<Account | undefined> {
  const [row] = await tx.query<Account>(
    sql`select ${columns} from account where lower(user_name collate "C") = lower(${user_name}::text collate "C")`,
  )
  return row
}

/** Whether one of these addresses is the name or the primary e-mail of an account. */
export async function isTaken(tx: Tx, addresses: readonly string[]): Promise<boolean> {
  const rows = await tx.query(sql`
    with given as (
      select lower(address collate "C") as address
      from jsonb_array_elements_text(${JSON.stringify(addresses)}::jsonb) as each (address)
    )
    select 1 from account
    where lower(user_name collate "C") in (select address from given) or exists (
      select 1 from jsonb_array_elements(emails) as e (email)
      where e.email -> 'primary' = 'true'::jsonb and lower((e.email ->> 'value') collate "C") in (select address from given))
    limit 1`)
  return rows.length > 0
}

/** False when there is one of this name. */
export async function insertAccount(tx: Tx, account: Account): Promise<boolean> {
  const { account_id, user_name, given_name, family_name, department, active, external_id, display_name, locale } =
    account
  const { emails, permissions, version, created_at, updated_at } = account
  const rows = await tx.query(sql`
    insert into account (account_id, user_name, given_name, family_name, department, active, external_id, display_name, locale, emails,
      permissions, version, created_at, updated_at)
    values (${account_id}, ${user_name}, ${given_name}, ${family_name}, ${department}, ${active}, ${external_id}, ${display_name},
      ${locale}, ${JSON.stringify(emails)}::jsonb, ${JSON.stringify(permissions)}::jsonb, ${version}, ${created_at.toISOString()},
      ${updated_at.toISOString()})
    on conflict do nothing returning account_id`)
  return rows.length > 0
}

export async function updateAccount(tx: Tx, account: Account): Promise<void> {
  const { account_id, given_name, family_name, department, active, external_id, display_name, locale } = account
  const { emails, permissions, version, updated_at } = account
  await tx.query(sql`
    update account set given_name = ${given_name}, family_name = ${family_name}, department = ${department}, active = ${active},
      external_id = ${external_id}, display_name = ${display_name}, locale = ${locale}, emails = ${JSON.stringify(emails)}::jsonb,
      permissions = ${JSON.stringify(permissions)}::jsonb, version = ${version}, updated_at = ${updated_at.toISOString()}
    where account_id = ${account_id}::uuid`)
}

export async function deleteAccount(tx: Tx, account_id: string): Promise<void> {
  await tx.query(sql`delete from account where account_id = ${account_id}::uuid`)
}

/** Business time, as the interface shows it. A sign-in is no change of the account: its version stays. */
export async function updateLastSignIn(tx: Tx, account_id: string, nowMs: number): Promise<void> {
  await tx.query(
    sql`update account set last_sign_in_at = ${timestampFromMs(nowMs)} where account_id = ${account_id}::uuid`,
  )
}

/** The permissions of an active account, and the number of the workspaces at that moment. */
export async function findActivePermissions(
  tx: Tx,
  account_id: string,
): Promise<{ permissions: Account['permissions']; number: string } | undefined> {
  const [row] = await tx.query<{ permissions: Account['permissions']; number: string }>(sql`
    select permissions, (select number from version where name = 'workspace') as number
    from account where account_id = ${account_id}::uuid and active`)
  return row
}

/** How many active accounts may do everything, this one left out. */
export async function countAdministrators(tx: Tx, but: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from account
    where active and permissions -> 'company' @> '["admin"]'::jsonb and account_id <> ${but}::uuid`)
  return row!.count
}

/** `where` is about the columns of `account`; all of them when absent. */
export async function countAccounts(tx: Tx, where: Sql = sql`true`): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*)::int as count from account where ${where}`)
  return row!.count
}

/** In the order of creation when nothing else is said; a hundred of them. */
export function listAccounts(
  tx: Tx,
  where: Sql = sql`true`,
  order: Sql = sql`created_at, account_id`,
  page: { limit: number; offset: number } = { limit: 100, offset: 0 },
): Promise<Account[]> {
  return tx.query<Account>(sql`
    select ${columns} from account where ${where} order by ${order} limit ${page.limit}::int offset ${page.offset}::int`)
}

/** How many accounts have these among their permissions. */
export function countHolders(tx: Tx, holding: object): Promise<number> {
  return countAccounts(tx, sql`permissions @> ${JSON.stringify(holding)}::jsonb`)
}

/** The active account of that name, whatever its case. */
export async function findActiveAccount(tx: Tx, user_name: string): Promise<SignInAccount | undefined> {
  const [row] = await tx.query<SignInAccount>(sql`
    select account_id, user_name, given_name from account
    where lower(user_name collate "C") = lower(${user_name}::text collate "C") and active`)
  return row
}

/** The same by id; held until the transaction ends, so that nobody is signed in who is being disabled. */
export async function lockActiveAccount(tx: Tx, account_id: string): Promise<SignInAccount | undefined> {
  const [row] = await tx.query<SignInAccount>(sql`
    select account_id, user_name, given_name from account where account_id = ${account_id} and active for update`)
  return row
}

/** Whether anybody has an account. */
export async function hasAccounts(tx: Tx): Promise<boolean> {
  const [row] = await tx.query(sql`select 1 from account limit 1`)
  return row !== undefined
}
