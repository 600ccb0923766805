import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Listing } from '../texts/listing.ts'
import { listingPage } from '../texts/listing-store.ts'

/** A stored e-mail. A message with its id may override each field. Null: the setting of the workspace, or none. */
export type EmailTemplate = {
  id: string
  name: string
  description: string
  subject: string
  preheader: string | null
  body: string
  plaintext_body: string | null
  should_inline_css: boolean | null
  tags: string[]
}

/** How many templates there are, and the bytes of all their bodies. */
export type TemplatesSize = { count: number; bodyBytes: number }

export type TemplateRow = EmailTemplate & { created_at: Date; updated_at: Date }

const columns = sql`id, name, description, subject, preheader, body, plaintext_body, should_inline_css, tags, created_at, updated_at`
const given = sql`given (id text, name text, description text, subject text, preheader text, body text, plaintext_body text,
  should_inline_css boolean, tags text[])`

/** Lists all templates of a workspace, oldest first. */
export function listTemplates(tx: Tx, workspace_id: number): Promise<TemplateRow[]> {
  return tx.query<TemplateRow>(
    prepared(
      sql`select ${columns} from email_template where workspace_id = ${workspace_id} order by created_at, id collate "C"`,
    ),
  )
}

/** Measures all templates of a workspace but one. */
export async function measureTemplates(tx: Tx, workspace_id: number, except: string): Promise<TemplatesSize> {
  const [row] = await tx.query<{ count: number; bytes: string }>(sql`
    select count(*)::int as count, coalesce(sum(octet_length(body) + coalesce(octet_length(plaintext_body), 0)), 0)::int8 as bytes
    from email_template where workspace_id = ${workspace_id} and id <> ${except}`)
  return { count: row!.count, bodyBytes: Number(row!.bytes) }
}

export type ListedTemplate = Pick<TemplateRow, 'id' | 'name' | 'tags' | 'created_at' | 'updated_at'>

/** Lists a page of templates, oldest first. */
export function listTemplatePage(tx: Tx, workspace_id: number, listing: Listing): Promise<ListedTemplate[]> {
  return tx.query<ListedTemplate>(sql`
    select id, name, tags, created_at, updated_at from email_template ${listingPage(workspace_id, listing)}`)
}

export function listTemplateNames(tx: Tx, workspace_id: number): Promise<Pick<TemplateRow, 'id' | 'name'>[]> {
  return tx.query<Pick<TemplateRow, 'id' | 'name'>>(
    sql`select id, name from email_template where workspace_id = ${workspace_id}`,
  )
}

export async function findTemplate(tx: Tx, workspace_id: number, id: string): Promise<TemplateRow | undefined> {
  const [row] = await tx.query<TemplateRow>(
    prepared(sql`select ${columns} from email_template where workspace_id = ${workspace_id} and id = ${id}`),
  )
  return row
}

export async function insertTemplates(
  tx: Tx,
  workspace_id: number,
  rows: readonly EmailTemplate[],
  at: Date,
): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into email_template (workspace_id, ${columns})
    select ${workspace_id}::int, id, name, description, subject, preheader, body, plaintext_body, should_inline_css, tags,
      ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as ${given}`),
  )
}

export async function updateTemplates(
  tx: Tx,
  workspace_id: number,
  rows: readonly EmailTemplate[],
  at: Date,
): Promise<void> {
  await tx.query(
    prepared(sql`
    update email_template as stored set name = given.name, description = given.description, subject = given.subject,
      preheader = given.preheader, body = given.body, plaintext_body = given.plaintext_body,
      should_inline_css = given.should_inline_css, tags = given.tags, updated_at = ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as ${given}
    where stored.workspace_id = ${workspace_id} and stored.id = given.id`),
  )
}

export async function deleteTemplate(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const deleted = await tx.query(
    sql`delete from email_template where workspace_id = ${workspace_id} and id = ${id} returning id`,
  )
  return deleted.length > 0
}
