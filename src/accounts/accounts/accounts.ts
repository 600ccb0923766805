import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict, Failure, invalid, notFound } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import type { Declared } from '../permissions/declared.ts'
import { readDeclared, shareDeclared } from '../permissions/declared-store.ts'
import { defaultPermissions, describePermissions } from '../permissions/permissions.ts'
import { deleteIdentities } from '../sessions/identity-store.ts'
import { endSessions } from '../sessions/sessions.ts'
import type { Account, AccountAddress, AccountChange, AccountGiven, NewAccount } from './account.ts'
import {
  countAdministrators,
  deleteAccount,
  findAccount,
  findByName,
  insertAccount,
  isUuid,
  lockAccounts,
  updateAccount,
} from './account-store.ts'
import { isAddress } from './address.ts'

/**
 * Creates an account. Without permissions it belongs to the default workspace and may do nothing there. Throws 409 when its name is taken
 * (contract 4.10); an e-mail address may be that of several accounts. Throws 400 when the name is not an e-mail address.
 */
export async function createAccount(tx: Tx, call: AccountCall, given: NewAccount): Promise<Account> {
  if (!isAddress(given.user_name)) throw invalid('userName must be an e-mail address')
  const declared = await beginWrite(tx)
  const now = new Date(call.clock.now())
  const account: Account = {
    ...completeAccount(given, given.user_name, declared),
    account_id: newUuid(),
    user_name: given.user_name,
    version: 1,
    created_at: now,
    updated_at: now,
    last_sign_in_at: null,
  }
  if (!(await insertAccount(tx, account))) throw alreadyExists()
  await recordAudit(tx, call, { ...auditEntry(account, 'create'), after: describeAccount(account, declared) })
  return account
}

/**
 * Replaces all properties of an account by those that `change` computes from the stored account, which is locked meanwhile. An absent
 * property gets its default, and an absent name stays. When nothing differs, version and time stay. An account that is disabled or gets
 * another name is signed out. Throws 404; 409 when the name is taken; 412 when the version is not `expectedVersion`; 400 when no
 * administrator would remain.
 */
export async function changeAccount(
  tx: Tx,
  call: AccountCall,
  account_id: string,
  change: (account: Account, declared: Declared) => AccountChange,
  expectedVersion?: number,
): Promise<Account> {
  const declared = await beginWrite(tx)
  const before = await getAccount(tx, account_id)
  requireVersion(before, expectedVersion)
  const { passedOver, user_name = before.user_name, ...given } = change(before, declared)
  const same: Account = { ...before, user_name, ...completeAccount(given, user_name, declared) }
  if (isDeepStrictEqual(asStored(same), asStored(before))) return before
  const after: Account = { ...same, version: before.version + 1, updated_at: laterThan(before.updated_at, call) }
  if (isAdministrator(before) && !isAdministrator(after)) await requireOtherAdministrator(tx, account_id)
  if (user_name !== before.user_name) await requireFreeName(tx, after)
  await updateAccount(tx, after)
  // Links that were mailed to the earlier address must not work any more, nor the sessions of those who read its mail.
  if (!after.active || user_name !== before.user_name) await endSessions(tx, account_id)
  const shownBefore = describeAccount(before, declared)
  const shownAfter = { ...describeAccount(after, declared), ...(passedOver && { passed_over: passedOver }) }
  await recordAudit(tx, call, { ...auditEntry(after, 'update'), before: shownBefore, after: shownAfter })
  return after
}

/** Deletes an account and ends its sessions. Throws like `changeAccount`. */
export async function removeAccount(
  tx: Tx,
  call: AccountCall,
  account_id: string,
  expectedVersion?: number,
): Promise<void> {
  const declared = await beginWrite(tx)
  const before = await getAccount(tx, account_id)
  requireVersion(before, expectedVersion)
  if (isAdministrator(before)) await requireOtherAdministrator(tx, account_id)
  // This waits for a sign-in that has locked the row, so that its session is also ended.
  await deleteAccount(tx, account_id)
  await deleteIdentities(tx, account_id)
  await endSessions(tx, account_id)
  await recordAudit(tx, call, { ...auditEntry(before, 'delete'), before: describeAccount(before, declared) })
}

/** Reads an account. Throws 404. */
export async function getAccount(tx: Tx, account_id: string): Promise<Account> {
  const found = isUuid(account_id) ? await findAccount(tx, account_id) : undefined
  if (found === undefined) throw notFound('User not found')
  return found
}

export function isAdministrator({ active, permissions }: Pick<Account, 'active' | 'permissions'>): boolean {
  return active && permissions.company.includes('admin')
}

/** Returns an account for the audit. */
export function describeAccount(account: Account, declared: Declared): Record<string, unknown> {
  const { account_id, user_name, given_name, family_name, department, active } = account
  const { external_id, display_name, locale, title, user_type, emails, ims, permissions } = account
  const properties = {
    account_id,
    user_name,
    given_name,
    family_name,
    department,
    active,
    external_id,
    display_name,
    locale,
    title,
    user_type,
    emails,
    ims,
  }
  return { ...properties, permissions: describePermissions(permissions, declared) }
}

export type AccountCall = Pick<Call, 'actor' | 'clock' | 'workspace_id'>
type CompleteAccount = Omit<
  Account,
  'account_id' | 'user_name' | 'version' | 'created_at' | 'updated_at' | 'last_sign_in_at'
>

/** Locks all accounts and what they refer to until the transaction ends. */
export async function beginWrite(tx: Tx): Promise<Declared> {
  await shareDeclared(tx)
  await lockAccounts(tx)
  return readDeclared(tx)
}

function completeAccount(given: AccountGiven, user_name: string, declared: Declared): CompleteAccount {
  return {
    given_name: given.given_name,
    family_name: given.family_name,
    department: given.department ?? null,
    active: given.active ?? true,
    external_id: given.external_id ?? null,
    display_name: given.display_name ?? null,
    locale: given.locale ?? null,
    title: given.title ?? null,
    user_type: given.user_type ?? null,
    emails: completeEmails(given.emails ?? [], user_name),
    ims: withoutFalse(given.ims ?? []),
    permissions: given.permissions ?? defaultPermissions(declared),
  }
}

/** Without e-mail addresses the name is the only one. A provider that marks none as primary has its reasons: none is marked for it. */
function completeEmails(given: readonly AccountAddress[], user_name: string): AccountAddress[] {
  return given.length === 0 ? [{ value: user_name, type: 'work', primary: true }] : withoutFalse(given)
}

function withoutFalse(given: readonly AccountAddress[]): AccountAddress[] {
  return given.map(({ primary, ...address }) => ({ ...address, ...(primary && { primary }) }))
}

/** Makes accounts comparable: JSON has no undefined properties. */
function asStored(account: Account): unknown {
  return JSON.parse(JSON.stringify(account))
}

/** Keeps `updated_at` from going back when the virtual clock is earlier than the last change. */
function laterThan(before: Date, { clock }: AccountCall): Date {
  return new Date(Math.max(before.getTime(), clock.now()))
}

function requireVersion({ version }: Account, expected: number | undefined): void {
  if (expected === undefined || expected === version) return
  throw new Failure('preconditionFailed', `The user has changed: its version is ${version}, not ${expected}`)
}

/** All accounts are locked, so nobody takes the name meanwhile. */
async function requireFreeName(tx: Tx, { account_id, user_name }: Account): Promise<void> {
  if (!isAddress(user_name)) throw invalid('userName must be an e-mail address')
  const holder = await findByName(tx, user_name)
  if (holder !== undefined && holder.account_id !== account_id) throw alreadyExists()
}

async function requireOtherAdministrator(tx: Tx, account_id: string): Promise<void> {
  if ((await countAdministrators(tx, account_id)) > 0) return
  throw invalid(
    'This is the last active administrator (companyPermissions admin): make another account an administrator first',
  )
}

function auditEntry(account: Account, verb: 'create' | 'update' | 'delete') {
  const { account_id: id, user_name: name } = account
  return { action: `account.${verb}`, target: { kind: 'account', id, name }, workspace_id: null }
}

function alreadyExists(): Failure {
  return conflict('User already exists in the database.')
}
