import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict, Failure, invalid, notFound } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import type { Declared } from '../permissions/declared.ts'
import { readDeclared, shareDeclared } from '../permissions/declared-store.ts'
import { defaultPermissions, describePermissions } from '../permissions/permissions.ts'
import { endSessions } from '../sessions/sessions.ts'
import type { Account, AccountGiven, Email, NewAccount } from './account.ts'
import {
  countAdministrators,
  deleteAccount,
  findAccount,
  insertAccount,
  isTaken,
  lockAccounts,
  updateAccount,
} from './account-store.ts'
import { isAddress } from './address.ts'

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A new account. Without permissions it lands in the default workspace and may do nothing there. Throws 409 when its name, or its
 * e-mail address, is another one's (contract 4.10), 400 when the name is no e-mail address.
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
  if (await isTaken(tx, [account.user_name, ...primaryAddresses(account)])) throw alreadyExists()
  if (!(await insertAccount(tx, account))) throw alreadyExists()
  await recordAudit(tx, call, { ...auditEntry(account, 'create'), after: describeAccount(account, declared) })
  return account
}

/**
 * Says everything anew about an account, its name and its last sign-in excepted; what is absent is as in a new account. A change
 * that changes nothing leaves version and time as they are. Throws 404; 412 when `expectedVersion` is not the version that is
 * there; 400 when nobody would be left who may do everything.
 */
export function replaceAccount(
  tx: Tx,
  call: AccountCall,
  account_id: string,
  given: AccountGiven,
  expectedVersion?: number,
): Promise<Account> {
  return changeAccount(tx, call, account_id, () => given, expectedVersion)
}

/** The same, from what is there: `change` is called once, with the account as no other writer can change it meanwhile. */
export async function changeAccount(
  tx: Tx,
  call: AccountCall,
  account_id: string,
  change: (account: Account, declared: Declared) => AccountGiven,
  expectedVersion?: number,
): Promise<Account> {
  const declared = await beginWrite(tx)
  const before = await getAccount(tx, account_id)
  requireVersion(before, expectedVersion)
  const same: Account = { ...before, ...completeAccount(change(before, declared), before.user_name, declared) }
  if (isDeepStrictEqual(asStored(same), asStored(before))) return before
  const after: Account = { ...same, version: before.version + 1, updated_at: laterThan(before.updated_at, call) }
  if (isAdministrator(before) && !isAdministrator(after)) await requireOtherAdministrator(tx, account_id)
  await updateAccount(tx, after)
  if (!after.active) await endSessions(tx, account_id)
  const [shownBefore, shownAfter] = [describeAccount(before, declared), describeAccount(after, declared)]
  await recordAudit(tx, call, { ...auditEntry(after, 'update'), before: shownBefore, after: shownAfter })
  return after
}

/** Removes an account for good; its sessions end at once. Throws like `replaceAccount`. */
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
  // A sign-in that holds the row comes first; what it opened is then seen.
  await deleteAccount(tx, account_id)
  await endSessions(tx, account_id)
  await recordAudit(tx, call, { ...auditEntry(before, 'delete'), before: describeAccount(before, declared) })
}

/** Throws 404. */
export async function getAccount(tx: Tx, account_id: string): Promise<Account> {
  const found = uuidPattern.test(account_id) ? await findAccount(tx, account_id) : undefined
  if (found === undefined) throw notFound('User not found')
  return found
}

/** May do everything, now. */
export function isAdministrator({ active, permissions }: Pick<Account, 'active' | 'permissions'>): boolean {
  return active && permissions.company.includes('admin')
}

/** An account as the record of writes shows it. */
export function describeAccount(account: Account, declared: Declared): Record<string, unknown> {
  const { account_id, user_name, given_name, family_name, department, active } = account
  const { external_id, display_name, locale, emails, permissions } = account
  const shown = {
    account_id,
    user_name,
    given_name,
    family_name,
    department,
    active,
    external_id,
    display_name,
    locale,
    emails,
  }
  return { ...shown, permissions: describePermissions(permissions, declared) }
}

type AccountCall = Pick<Call, 'actor' | 'clock' | 'workspace_id'>
type CompleteAccount = Omit<
  Account,
  'account_id' | 'user_name' | 'version' | 'created_at' | 'updated_at' | 'last_sign_in_at'
>

async function beginWrite(tx: Tx): Promise<Declared> {
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
    emails: completeEmails(given.emails ?? [], user_name),
    permissions: given.permissions ?? defaultPermissions(declared),
  }
}

/** The name is the e-mail address where no other is given; one of several is primary, the first when none says so. */
function completeEmails(given: readonly Email[], user_name: string): Email[] {
  const [first] = given
  if (first === undefined) return [{ value: user_name, type: 'work', primary: true }]
  const primary = given.find((email) => email.primary) ?? first
  return given
    .map(({ primary: _, ...email }) => email)
    .map((email, i) => ({ ...email, ...(given[i] === primary && { primary: true }) }))
}

function primaryAddresses({ emails }: Pick<Account, 'emails'>): string[] {
  return emails.filter((email) => email.primary).map((email) => email.value)
}

/** As storage gives it back, where an absent member and an undefined one are the same. */
function asStored(account: Account): unknown {
  return JSON.parse(JSON.stringify(account))
}

/** A change is never as old as what it changes, also when the clock stands. */
function laterThan(before: Date, { clock }: AccountCall): Date {
  return new Date(Math.max(before.getTime(), clock.now()))
}

function requireVersion({ version }: Account, expected: number | undefined): void {
  if (expected === undefined || expected === version) return
  throw new Failure('preconditionFailed', `The user has changed: its version is ${version}, not ${expected}`)
}

async function requireOtherAdministrator(tx: Tx, account_id: string): Promise<void> {
  if ((await countAdministrators(tx, account_id)) > 0) return
  throw invalid('This is the last active administrator (companyPermissions admin): make somebody else one first')
}

function auditEntry(account: Account, verb: 'create' | 'update' | 'delete') {
  const { account_id: id, user_name: name } = account
  return { action: `account.${verb}`, target: { kind: 'account', id, name }, workspace_id: null }
}

function alreadyExists(): Failure {
  return conflict('User already exists in the database.')
}
