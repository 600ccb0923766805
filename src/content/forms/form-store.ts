import type { Tx } from '../../base/db/db.ts'
import { freeNames } from '../../base/db/free-names.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { FormDefinition } from './schema.ts'

/** A page on which people sign up for a subscription group. */
export type SignUpForm = {
  readonly id: string
  readonly name: string
  readonly subscription_group_id: string
  readonly state: 'active' | 'paused'
  readonly definition: FormDefinition
}

/** Lists the sign-up forms of a workspace, oldest first. */
export function listForms(tx: Tx, workspace_id: number): Promise<SignUpForm[]> {
  return tx.query<SignUpForm>(
    prepared(sql`select id, name, subscription_group_id, state, definition from sign_up_form
      where workspace_id = ${workspace_id} order by created_at, name collate "C"`),
  )
}

export async function findForm(tx: Tx, workspace_id: number, id: string): Promise<SignUpForm | undefined> {
  const [row] = await tx.query<SignUpForm>(
    prepared(sql`select id, name, subscription_group_id, state, definition from sign_up_form
      where workspace_id = ${workspace_id} and id = ${id}`),
  )
  return row
}

export async function insertForms(tx: Tx, workspace_id: number, forms: readonly SignUpForm[], at: Date): Promise<void> {
  await tx.query(sql`
    insert into sign_up_form (workspace_id, id, name, subscription_group_id, state, definition, created_at, updated_at)
    select ${workspace_id}::int, id, name, subscription_group_id, state, definition, ${at.toISOString()}::timestamptz,
      ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(forms)}::jsonb)
      as given (id text, name text, subscription_group_id text, state text, definition jsonb)`)
}

export async function updateForms(tx: Tx, workspace_id: number, forms: readonly SignUpForm[], at: Date): Promise<void> {
  const given = JSON.stringify(forms)
  await freeNames(tx, 'sign_up_form', workspace_id, given)
  await tx.query(sql`
    update sign_up_form as stored set name = given.name, subscription_group_id = given.subscription_group_id,
      state = given.state, definition = given.definition, updated_at = ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${given}::jsonb)
      as given (id text, name text, subscription_group_id text, state text, definition jsonb)
    where stored.workspace_id = ${workspace_id} and stored.id = given.id`)
}

export async function deleteForm(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const deleted = await tx.query(
    sql`delete from sign_up_form where workspace_id = ${workspace_id} and id = ${id} returning id`,
  )
  return deleted.length > 0
}
