import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import type { Account } from './account.ts'

/** The states of accounts: `invited` is active and has never signed in. */
export const accountStates = ['active', 'invited', 'disabled'] as const
export type AccountState = (typeof accountStates)[number]

export type AccountSearch = {
  /** A part of the name, the e-mail address or the display name. */
  readonly text?: string | undefined
  readonly state?: AccountState | undefined
  /** What the permissions contain, such as a role. */
  readonly holding?: object | undefined
  /** Accounts after this name. */
  readonly after?: string | undefined
}

/** Returns the condition of a search on the columns of `account`. */
export function searchCondition({ text, state, holding, after }: AccountSearch): Sql {
  return sql`${textCondition(text)} and ${stateCondition(state)}
    and ${holding === undefined ? sql`true` : sql`permissions @> ${JSON.stringify(holding)}::jsonb`}
    and ${after === undefined ? sql`true` : sql`${byName} > ${after}::text collate "C"`}`
}

/** The order of lists: the name in lower case, which is unique. */
export const byName = sql`lower(user_name collate "C") collate "C"`

function textCondition(text: string | undefined): Sql {
  if (text === undefined) return sql`true`
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (found) => `\\${found}`)}%`
  return sql`(lower(user_name) like ${pattern} or lower(given_name || ' ' || family_name) like ${pattern}
    or lower(coalesce(display_name, '')) like ${pattern})`
}

function stateCondition(state: AccountState | undefined): Sql {
  if (state === undefined) return sql`true`
  if (state === 'disabled') return sql`not active`
  return state === 'invited' ? sql`active and last_sign_in_at is null` : sql`active and last_sign_in_at is not null`
}

/** Lists active accounts that may do everything, by their names. */
export function listAdministrators(
  tx: Tx,
  limit: number,
): Promise<Pick<Account, 'given_name' | 'family_name' | 'display_name'>[]> {
  return tx.query(sql`
    select given_name, family_name, display_name from account
    where active and permissions -> 'company' @> '["admin"]'::jsonb
    order by (last_sign_in_at is null), ${byName} limit ${limit}::int`)
}

export type Holders = { readonly kind: 'role' | 'permission_set' | 'team'; readonly id: string; readonly count: number }

/** Counts the accounts that have each role, and each permission set and team of the workspace with this public id. */
export function countHoldersOf(tx: Tx, workspace: string): Promise<Holders[]> {
  return tx.query<Holders>(sql`
    with own as (
      select each.value as held from account, jsonb_array_elements(permissions -> 'workspaces') as each (value)
      where each.value ->> 'id' = ${workspace}
    )
    select 'role' as kind, role.id, count(*)::int as count
      from account, jsonb_array_elements_text(permissions -> 'roles') as role (id) group by role.id
    union all
    select 'permission_set', given.id, count(*)::int
      from own, jsonb_array_elements_text(own.held -> 'sets') as given (id) group by given.id
    union all
    select 'team', team.value ->> 'id', count(*)::int
      from own, jsonb_array_elements(own.held -> 'teams') as team (value) group by team.value ->> 'id'`)
}
