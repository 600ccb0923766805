import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query, ReplyWithHeaders, Request } from '../../base/http/route.ts'
import { getWorkspace } from '../../workspace/settings/selected.ts'
import type { Account } from '../accounts/account.ts'
import {
  type AccountState,
  accountStates,
  byName,
  countHoldersOf,
  searchCondition,
} from '../accounts/account-search-store.ts'
import { countAccounts, listAccounts } from '../accounts/account-store.ts'
import { getAccount } from '../accounts/accounts.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { accountReply } from './account-tag.ts'
import { describeListed, describeOne } from './describe-account.ts'
import { accountPageDefault, accountPageMax, searchCharactersMax } from './schema.ts'

/** Lists accounts by their names, in pages. Throws 400. */
export async function readAccounts({ db }: Call, { query }: Request): Promise<object> {
  const limit = readLimit(query, accountPageDefault, accountPageMax)
  const search = { text: readText(query), state: readState(query), holding: await readHolding(db, query) }
  const after = readCursor(query)
  const total = await countAccounts(db, searchCondition(search))
  const rows = await listAccounts(db, searchCondition({ ...search, after }), byName, { limit: limit + 1, offset: 0 })
  const shown = rows.slice(0, limit)
  const declared = await readDeclared(db)
  return {
    accounts: shown.map((account) => describeListed(account, declared)),
    total,
    cursor: rows.length > limit ? cursorOf(shown.at(-1)!) : null,
  }
}

/** Reads one account with what it may do. Throws 404. */
export async function readAccount({ db, actor }: Call, { params, headers }: Request): Promise<ReplyWithHeaders> {
  const account = await getAccount(db, params.id!)
  const reply = describeOne(account, await readDeclared(db), actor)
  return accountReply(account, reply, { known: headers['if-none-match'] })
}

/** Counts the accounts that have each role, permission set and team of a workspace. */
export async function readHolders({ db }: Call, { query }: Request): Promise<object> {
  const { id } = await getWorkspace(db, readNonEmpty(query, 'workspace'))
  const all = await countHoldersOf(db, id)
  const of = (kind: string) =>
    all.filter((each) => each.kind === kind).map(({ id: holder, count }) => ({ id: holder, accounts: count }))
  return { roles: of('role'), permission_sets: of('permission_set'), teams: of('team') }
}

function readText(query: Query): string | undefined {
  const text = readNonEmpty(query, 'q')
  if (text === undefined) return undefined
  if (text.length > searchCharactersMax) throw invalid(`'q' may have at most ${searchCharactersMax} characters`)
  return storable('q', text)
}

function readState(query: Query): AccountState | undefined {
  const text = readNonEmpty(query, 'state')
  if (text === undefined) return undefined
  const state = accountStates.find((each) => each === text)
  if (state === undefined) throw invalid(`'state' must be one of ${accountStates.join(', ')}`)
  return state
}

async function readHolding(db: Call['db'], query: Query): Promise<object | undefined> {
  const [role, set, team] = ['role', 'permission_set', 'team'].map((name) => {
    const id = readNonEmpty(query, name)
    return id === undefined ? undefined : storable(name, id)
  })
  if (set === undefined && team === undefined) return role === undefined ? undefined : { roles: [role] }
  const { id } = await getWorkspace(db, readNonEmpty(query, 'workspace'))
  const own = { id, ...(set !== undefined && { sets: [set] }), ...(team !== undefined && { teams: [{ id: team }] }) }
  return { ...(role !== undefined && { roles: [role] }), workspaces: [own] }
}

/** A cursor is the name of the last account, as it is compared. */
function cursorOf({ user_name }: Account): string {
  return Buffer.from(user_name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())).toString('base64url')
}

function readCursor(query: Query): string | undefined {
  const text = readNonEmpty(query, 'cursor')
  if (text === undefined) return undefined
  const name = Buffer.from(text, 'base64url').toString()
  if (!/^[\w-]{1,1500}$/.test(text) || name.includes('\ufffd')) throw invalid("'cursor' is not valid")
  return storable('cursor', name)
}

function storable(name: string, text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw invalid(`'${name}' is not valid`)
  return text
}
