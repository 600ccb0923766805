import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { raiseVersion } from '../../base/db/versions.ts'
import type { SignInAccount } from '../sessions/session-store.ts'
import type { Account } from './account.ts'

const columns = sql`account_id, user_name, given_name, family_name, department, active, external_id, display_name, locale, title,
  user_type, emails, ims, permissions, version, created_at, updated_at, last_sign_in_at`

/** Locks all accounts for writing until the transaction ends, because one of them must remain an administrator. */
export async function lockAccounts(tx: Tx): Promise<void> {
  await raiseVersion(tx, 'account')
}

export async function findAccount(tx: Tx, account_id: string): Promise<Account | undefined> {
  const [row] = await tx.query<Account>(sql`select ${columns} from account where account_id = ${account_id}::uuid`)
  return row
}

/** Names are compared without case. */
export async function findByName(tx: Tx, user_name: string): Promise<Account | undefined> {
  const [row] = await tx.query<Account>(
    sql`select ${columns} from account where lower(user_name collate "C") = lower(${user_name}::text collate "C")`,
  )
  return row
}

/** Returns false when the name is taken. */
export async function insertAccount(tx: Tx, account: Account): Promise<boolean> {
  const { account_id, user_name, given_name, family_name, department, active, external_id, display_name, locale } =
    account
  const { title, user_type, emails, ims, permissions, version, created_at, updated_at } = account
  const rows = await tx.query(sql`
    insert into account (account_id, user_name, given_name, family_name, department, active, external_id, display_name, locale, title,
      user_type, emails, ims, permissions, version, created_at, updated_at)
    values (${account_id}, ${user_name}, ${given_name}, ${family_name}, ${department}, ${active}, ${external_id}, ${display_name},
      ${locale}, ${title}, ${user_type}, ${JSON.stringify(emails)}::jsonb, ${JSON.stringify(ims)}::jsonb,
      ${JSON.stringify(permissions)}::jsonb, ${version}, ${created_at.toISOString()}, ${updated_at.toISOString()})
    on conflict do nothing returning account_id`)
  return rows.length > 0
}

export async function updateAccount(tx: Tx, account: Account): Promise<void> {
  const { account_id, user_name, given_name, family_name, department, active, external_id, display_name, locale } =
    account
  const { title, user_type, emails, ims, permissions, version, updated_at } = account
  await tx.query(sql`
    update account set user_name = ${user_name},
      given_name = ${given_name}, family_name = ${family_name}, department = ${department}, active = ${active},
      external_id = ${external_id}, display_name = ${display_name}, locale = ${locale}, title = ${title},
      user_type = ${user_type}, emails = ${JSON.stringify(emails)}::jsonb, ims = ${JSON.stringify(ims)}::jsonb,
      permissions = ${JSON.stringify(permissions)}::jsonb, version = ${version}, updated_at = ${updated_at.toISOString()}
    where account_id = ${account_id}::uuid`)
}

export async function deleteAccount(tx: Tx, account_id: string): Promise<void> {
  await tx.query(sql`delete from account where account_id = ${account_id}::uuid`)
}

/** Stores the time of the last sign-in, in business time. This does not change the version of the account. */
export async function updateLastSignIn(tx: Tx, account_id: string, nowMs: number): Promise<void> {
  await tx.query(
    sql`update account set last_sign_in_at = ${timestampFromMs(nowMs)} where account_id = ${account_id}::uuid`,
  )
}

/** Reads the permissions of an active account together with the version of the configuration. */
export async function findActivePermissions(
  tx: Tx,
  account_id: string,
): Promise<{ permissions: Account['permissions']; config_version: string } | undefined> {
  const [row] = await tx.query<{ permissions: Account['permissions']; config_version: string }>(sql`
    select permissions, (select number from version where name = 'workspace') as config_version
    from account where account_id = ${account_id}::uuid and active`)
  return row
}

/** Counts the active administrators other than this account. */
export async function countAdministrators(tx: Tx, except: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from account
    where active and permissions -> 'company' @> '["admin"]'::jsonb and account_id <> ${except}::uuid`)
  return row!.count
}

/** `where` is a condition on the columns of `account`. */
export async function countAccounts(tx: Tx, where: Sql = sql`true`): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*)::int as count from account where ${where}`)
  return row!.count
}

/** By default the oldest 100 accounts. */
export function listAccounts(
  tx: Tx,
  where: Sql = sql`true`,
  order: Sql = sql`created_at, account_id`,
  page: { limit: number; offset: number } = { limit: 100, offset: 0 },
): Promise<Account[]> {
  return tx.query<Account>(sql`
    select ${columns} from account where ${where} order by ${order} limit ${page.limit}::int offset ${page.offset}::int`)
}

/** Counts the accounts whose permissions contain `holding`. */
export function countHolders(tx: Tx, holding: object): Promise<number> {
  return countAccounts(tx, sql`permissions @> ${JSON.stringify(holding)}::jsonb`)
}

/** An account to which a link is mailed. `primary_email` is null when no e-mail is marked as primary. */
export type MailedAccount = SignInAccount & { primary_email: string | null }

/** Finds the active account of that name, without regard to case. */
export async function findActiveAccount(tx: Tx, user_name: string): Promise<MailedAccount | undefined> {
  const [row] = await tx.query<MailedAccount>(sql`
    select account_id, user_name, given_name, (
      select e.email ->> 'value' from jsonb_array_elements(emails) as e (email)
      where e.email -> 'primary' = 'true'::jsonb limit 1) as primary_email
    from account
    where lower(user_name collate "C") = lower(${user_name}::text collate "C") and active`)
  return row
}

/** Locks an active account until the transaction ends, so that it cannot be disabled while it signs in. */
export async function lockActiveAccount(tx: Tx, account_id: string): Promise<SignInAccount | undefined> {
  const [row] = await tx.query<SignInAccount>(sql`
    select account_id, user_name, given_name from account where account_id = ${account_id} and active for update`)
  return row
}

/** Locks each account until the transaction ends, so that nobody signs in. */
export async function lockEveryAccount(tx: Tx): Promise<void> {
  await tx.query(sql`select account_id from account order by account_id for update`)
}

/** Whether an active account may do everything. */
export async function hasAdministrator(tx: Tx): Promise<boolean> {
  const [row] = await tx.query(sql`
    select 1 from account where active and permissions -> 'company' @> '["admin"]'::jsonb limit 1`)
  return row !== undefined
}

export type AccountHolding = Pick<Account, 'account_id' | 'user_name' | 'permissions'>

/** Finds accounts by their ids; a text that is no id finds none. */
export function findHoldings(tx: Tx, account_ids: readonly string[]): Promise<AccountHolding[]> {
  return tx.query<AccountHolding>(sql`
    select account_id, user_name, permissions from account
    where account_id in (
      select id::uuid from jsonb_array_elements_text(${JSON.stringify(account_ids.filter(isUuid))}::jsonb) as given (id))`)
}

/** Lists the accounts whose permissions contain `holding`, oldest first. */
export function listHolders(tx: Tx, holding: object): Promise<Pick<Account, 'account_id' | 'user_name'>[]> {
  return tx.query<Pick<Account, 'account_id' | 'user_name'>>(sql`
    select account_id, user_name from account where permissions @> ${JSON.stringify(holding)}::jsonb
    order by created_at, account_id`)
}

/** Writes permissions of accounts. Their versions rise, and their times never go back. */
export async function updatePermissions(
  tx: Tx,
  changed: readonly Pick<Account, 'account_id' | 'permissions'>[],
  nowMs: number,
): Promise<void> {
  const rows = changed.map(({ account_id, permissions }) => ({ account_id, permissions }))
  await tx.query(sql`
    update account set permissions = given.permissions, version = version + 1,
      updated_at = greatest(updated_at, ${timestampFromMs(nowMs)})
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (account_id uuid, permissions jsonb)
    where account.account_id = given.account_id`)
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isUuid(text: string): boolean {
  return uuidForm.test(text)
}
