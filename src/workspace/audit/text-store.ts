import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, type Sql, sql } from '../../base/db/sql.ts'
import { addressForm, personMembers } from './erase-texts.ts'

/** Longer texts name nobody: an external_id has at most 987 bytes. */
const textBytesMax = 1_000

const isAddress = `@ like_regex ${JSON.stringify(addressForm)}`
const isMember = personMembers.map((name) => `@.key == ${JSON.stringify(name)}`).join(' || ')
const addresses = `strict $.** ? (@.type() == "string" && ${isAddress})`
const members = `lax $.** ? (@.type() == "object").keyvalue() ? (${isMember}).value[*] ? (@.type() == "string" && !(${isAddress}))`

/** Returns the texts of audit rows that may name a person, as rows of `audit_text`. Rows about accounts have none. */
export function textsOf(rows: Sql): Sql {
  const values = raw('jsonb_build_array(a.before, a.after)')
  return sql`
    select distinct t.text, a.audit_id, coalesce(a.workspace_id, 0)
    from ${rows} a cross join lateral (
      select lower(v #>> '{}') as text from jsonb_path_query(${values}, ${addresses}::jsonpath) v
      union all
      select v #>> '{}' from jsonb_path_query(${values}, ${members}::jsonpath) v) t
    where a.target_kind <> 'account' and octet_length(t.text) between 1 and ${textBytesMax}::int`
}

/** A text that names a person of a workspace. */
export type PersonText = { readonly workspace_id: number; readonly text: string }

/** Marks these texts in the rows of the audit that have them, so that `eraseMarked` replaces them. */
export async function markTexts(tx: Tx, texts: readonly PersonText[]): Promise<void> {
  await tx.query(sql`
    update audit_text a set is_erased = true
    from unnest(${int4Array(texts.map(({ workspace_id }) => workspace_id))}::int4[],
      ${textArray(texts.map(({ text }) => text))}::text[]) w(workspace_id, text)
    where a.text = w.text and (a.workspace_id = w.workspace_id or a.workspace_id = 0)`)
}

/** A row of the audit with the texts that are marked in it, and how many bytes it has as it is stored. */
export type MarkedRow = { audit_id: string; texts: string[]; bytes: number }

/** Lists the oldest rows with marked texts. */
export function listMarkedRows(tx: Tx, limit: number): Promise<MarkedRow[]> {
  return tx.query<MarkedRow>(sql`
    select t.audit_id, t.texts, (coalesce(pg_column_size(a.before), 0) + coalesce(pg_column_size(a.after), 0))::int as bytes
    from (
      select audit_id, array_agg(text) as texts from audit_text where is_erased group by audit_id order by audit_id limit ${limit}::int
    ) t left join audit a on a.audit_id = t.audit_id order by t.audit_id`)
}

export type AuditValues = { audit_id: string; before: object | null; after: object | null }

export function lockValues(tx: Tx, ids: readonly string[]): Promise<AuditValues[]> {
  return tx.query<AuditValues>(sql`
    select audit_id, before, after from audit where audit_id = any(${int8Array(ids)}::int8[]) order by audit_id for update`)
}

export async function updateValues(tx: Tx, rows: readonly AuditValues[]): Promise<void> {
  await tx.query(sql`
    update audit a set before = w.before, after = w.after
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w (audit_id int8, before jsonb, after jsonb)
    where a.audit_id = w.audit_id`)
}

/** Deletes the marked texts of these rows. Texts that were marked since `rows` were listed stay. */
export async function deleteMarked(tx: Tx, rows: readonly MarkedRow[]): Promise<void> {
  const pairs = rows.flatMap(({ audit_id, texts }) => texts.map((text) => ({ audit_id, text })))
  await tx.query(sql`
    delete from audit_text a
    using unnest(${int8Array(pairs.map(({ audit_id }) => audit_id))}::int8[], ${textArray(pairs.map(({ text }) => text))}::text[])
      w(audit_id, text)
    where a.audit_id = w.audit_id and a.text = w.text`)
}
