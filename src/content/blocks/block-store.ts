import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { freeNames } from '../../base/db/free-names.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { isCleanText } from '../../people/values/values.ts'
import type { Listing } from '../texts/listing.ts'
import { listingPage } from '../texts/listing-store.ts'

/** A text that templates include by its name. `mentions`: names of the blocks that its content includes. */
export type Block = {
  id: string
  name: string
  description: string
  content: string
  mentions: string[]
  state: 'active' | 'draft'
  tags: string[]
}

export type BlockRow = Block & { created_at: Date; updated_at: Date }

/** A block with the names of the blocks that it includes. */
export type Mentions = Pick<Block, 'id' | 'name' | 'mentions'>

const columns = sql`id, name, description, content, mentions, state, tags, created_at, updated_at`

/** Lists all blocks of a workspace, oldest first. */
export function listBlocks(tx: Tx, workspace_id: number): Promise<BlockRow[]> {
  return tx.query<BlockRow>(
    prepared(
      sql`select ${columns} from content_block where workspace_id = ${workspace_id} order by created_at, name collate "C"`,
    ),
  )
}

/** Lists all blocks of a workspace without their content. */
export function listMentions(tx: Tx, workspace_id: number): Promise<Mentions[]> {
  return tx.query<Mentions>(sql`select id, name, mentions from content_block where workspace_id = ${workspace_id}`)
}

export type ListedBlock = Pick<BlockRow, 'id' | 'name' | 'tags' | 'created_at' | 'updated_at'> & { is_html: boolean }

/** Lists a page of blocks, oldest first. */
export function listBlockPage(tx: Tx, workspace_id: number, listing: Listing): Promise<ListedBlock[]> {
  return tx.query<ListedBlock>(sql`
    select id, name, content ~ '<[A-Za-z!/]' as is_html, tags, created_at, updated_at
    from content_block ${listingPage(workspace_id, listing)}`)
}

export async function findBlockById(tx: Tx, workspace_id: number, id: string): Promise<BlockRow | undefined> {
  const [row] = await tx.query<BlockRow>(
    prepared(sql`select ${columns} from content_block where workspace_id = ${workspace_id} and id = ${id}`),
  )
  return row
}

/** Finds the contents of the active blocks with these names, in their order; undefined where there is none. */
export async function findContents(
  tx: Tx,
  workspace_id: number,
  names: readonly string[],
): Promise<(string | undefined)[]> {
  const rows = await tx.query<{ name: string; content: string }>(sql`
    select name, content from content_block
    where workspace_id = ${workspace_id} and name = any(${textArray(names.filter(isCleanText))}::text[]) and state = 'active'`)
  const byName = new Map(rows.map(({ name, content }) => [name, content]))
  return names.map((name) => byName.get(name))
}

export async function insertBlocks(tx: Tx, workspace_id: number, rows: readonly Block[], at: Date): Promise<void> {
  await tx.query(sql`
    insert into content_block (workspace_id, id, name, description, content, mentions, state, tags, created_at, updated_at)
    select ${workspace_id}::int, id, name, description, content, mentions, state, tags,
      ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (id text, name text, description text, content text, mentions text[], state text, tags text[])`)
}

export async function updateBlocks(tx: Tx, workspace_id: number, rows: readonly Block[], at: Date): Promise<void> {
  const given = JSON.stringify(rows)
  await freeNames(tx, 'content_block', workspace_id, given)
  await tx.query(sql`
    update content_block as stored set name = given.name, description = given.description, content = given.content,
      mentions = given.mentions, state = given.state, tags = given.tags, updated_at = ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${given}::jsonb)
      as given (id text, name text, description text, content text, mentions text[], state text, tags text[])
    where stored.workspace_id = ${workspace_id} and stored.id = given.id`)
}

export async function deleteBlock(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const deleted = await tx.query(
    sql`delete from content_block where workspace_id = ${workspace_id} and id = ${id} returning id`,
  )
  return deleted.length > 0
}
