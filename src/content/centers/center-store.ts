import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'

/** An icon of a page, in the words of the interface. */
export type LinkTag = {
  readonly rel: string
  readonly href: string
  readonly type?: string
  readonly sizes?: string
}

/** What the head of the pages contains, in the words of the interface. */
export type CenterOptions = {
  readonly 'meta-viewport-content'?: string
  readonly 'link-tags'?: readonly LinkTag[]
}

/** A page on which people choose their mail. Both pages are HTML with Liquid. */
export type Center = {
  readonly id: string
  readonly name: string
  readonly title: string
  readonly page_html: string
  readonly confirmation_html: string
  readonly options: CenterOptions
  readonly state: 'active' | 'draft'
}

export type CenterRow = Center & { readonly created_at: Date; readonly updated_at: Date }

export type ListedCenter = Pick<CenterRow, 'id' | 'name' | 'state' | 'created_at' | 'updated_at'>

/** Lists the preference centers of a workspace, oldest first. */
export function listCenters(tx: Tx, workspace_id: number): Promise<ListedCenter[]> {
  return tx.query<ListedCenter>(
    prepared(sql`select id, name, state, created_at, updated_at from preference_center
      where workspace_id = ${workspace_id} order by created_at, name collate "C"`),
  )
}

export async function findCenter(tx: Tx, workspace_id: number, id: string): Promise<CenterRow | undefined> {
  const [row] = await tx.query<CenterRow>(
    prepared(sql`select id, name, title, page_html, confirmation_html, options, state, created_at, updated_at
      from preference_center where workspace_id = ${workspace_id} and id = ${id}`),
  )
  return row
}

export async function insertCenter(tx: Tx, workspace_id: number, center: Center, at: Date): Promise<void> {
  const { id, name, title, page_html, confirmation_html, options, state } = center
  await tx.query(sql`
    insert into preference_center
      (workspace_id, id, name, title, page_html, confirmation_html, options, state, created_at, updated_at)
    values (${workspace_id}, ${id}, ${name}, ${title}, ${page_html}, ${confirmation_html}, ${JSON.stringify(options)}::jsonb,
      ${state}, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz)`)
}

export async function updateCenter(tx: Tx, workspace_id: number, center: Center, at: Date): Promise<void> {
  const { id, name, title, page_html, confirmation_html, options, state } = center
  await tx.query(sql`
    update preference_center set name = ${name}, title = ${title}, page_html = ${page_html},
      confirmation_html = ${confirmation_html}, options = ${JSON.stringify(options)}::jsonb, state = ${state},
      updated_at = ${at.toISOString()}::timestamptz
    where workspace_id = ${workspace_id} and id = ${id}`)
}
