import type { Actor } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict, forbidden } from '../../base/errors.ts'
import { type Ability, abilities, scopeOf } from '../../base/http/abilities.ts'
import type { Account } from '../accounts/account.ts'
import { findActivePermissions } from '../accounts/account-store.ts'
import { can, type Grants, grantsOf } from '../permissions/abilities.ts'
import type { Declared } from '../permissions/declared.ts'

/** Who changes accounts: the id of a signed-in account, and its abilities. Undefined for the admin token, which may do everything. */
export type Author = { readonly account_id: string; readonly grants: Grants } | undefined

/**
 * Reads who changes accounts. All accounts are locked: a colleague may have taken the permission since the request was let in. Throws 403.
 */
export async function readAuthor(tx: Tx, { kind, id }: Actor, declared: Declared): Promise<Author> {
  if (kind !== 'account') return undefined
  const held = await findActivePermissions(tx, id)
  const grants = held && grantsOf(held.permissions, declared)
  if (grants?.company.has('accounts.edit')) return { account_id: id, grants }
  throw forbidden('You do not have permission to do this: it takes accounts.edit')
}

/** Refuses a change that gives an account what its author lacks. Throws 403 and names the first such ability. Pure. */
export function refuseLacking(
  author: Author,
  before: Pick<Account, 'permissions'> | undefined,
  after: Pick<Account, 'permissions'>,
  declared: Declared,
): void {
  if (author === undefined) return
  const had = before && grantsOf(before.permissions, declared)
  const gets = grantsOf(after.permissions, declared)
  const lacking = placesOf(declared)
    .flatMap((place) => gained(had, gets, place).map((ability) => ({ place, ability })))
    .find(({ place, ability }) => !can(author.grants, ability, place))
  if (lacking) throw forbidden(`You can only give what you may do yourself: you lack ${lacking.ability}`)
}

/** Whether an account loses an ability by a change. Pure. */
export function losesAbility(before: Account, after: Account, declared: Declared): boolean {
  if (before.active && !after.active) return true
  const [had, keeps] = [grantsOf(before.permissions, declared), grantsOf(after.permissions, declared)]
  return placesOf(declared).some((place) => gained(keeps, had, place).length > 0)
}

/** Refuses a change of one's own account that one may regret, unless it is confirmed. Throws 409. */
export function refuseUnconfirmed(author: Author, account_id: string, what: string, isConfirmed = false): void {
  if (author?.account_id !== account_id || isConfirmed) return
  throw conflict(`This is your own account, and ${what}. Send confirm_own: true if you mean it.`)
}

/** Everywhere, and in each workspace. */
function placesOf({ workspaces }: Declared): readonly (number | undefined)[] {
  return [undefined, ...workspaces.map(({ workspace_id }) => workspace_id)]
}

function gained(had: Grants | undefined, gets: Grants, place: number | undefined): Ability[] {
  return abilities.filter(
    (ability) => scopeOf(ability) !== 'session' && can(gets, ability, place) && !(had && can(had, ability, place)),
  )
}
