import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUsText } from '../../base/db/timestamps.ts'
import type { MediaExtension } from './schema.ts'

export type Media = {
  readonly hash: string
  readonly extension: MediaExtension
  readonly name: string
  readonly content: Buffer
}

/** A file without its content. */
export type MediaEntry = Omit<Media, 'content'> & { readonly size: number; readonly created_at: Date }

/** Inserts a file. If the workspace has it, the file gets the new name. Returns when the file came. */
export async function saveMedia(
  tx: Tx,
  workspace_id: number,
  { hash, extension, name, content }: Media,
  at: Date,
): Promise<Date> {
  const [row] = await tx.query<{ created_at: Date }>(sql`
    insert into media (hash, workspace_id, extension, name, size, content, created_at)
    values (${hash}, ${workspace_id}, ${extension}, ${name}, ${content.length}, ${content}::bytea,
      ${at.toISOString()}::timestamptz)
    on conflict (hash, workspace_id) do update set name = excluded.name
    returning created_at`)
  return row!.created_at
}

/** The file after which a page of the list begins. */
export type MediaCursor = { readonly createdUs: string; readonly hash: string }

export type MediaRow = MediaEntry & { readonly created_us: string }

/** Lists a page of the files of a workspace, newest first. It sorts all of them: their number has a limit. */
export function listMediaRows(
  tx: Tx,
  workspace_id: number,
  after: MediaCursor | undefined,
  limit: number,
): Promise<MediaRow[]> {
  const page = after ? sql`and (created_at, hash) < (${timestampFromUsText(after.createdUs)}, ${after.hash})` : sql``
  return tx.query<MediaRow>(sql`
    select hash, extension, name, size, created_at, (extract(epoch from created_at) * 1000000)::int8 as created_us
    from media where workspace_id = ${workspace_id} ${page} order by created_at desc, hash desc limit ${limit}`)
}

/** Counts the files of a workspace, besides the one with this hash, and their bytes. */
export async function countOtherMedia(
  tx: Tx,
  workspace_id: number,
  hash: string,
): Promise<{ files: number; bytes: number }> {
  const [row] = await tx.query<{ files: number; bytes: string }>(sql`
    select count(*)::int as files, coalesce(sum(size), 0)::int8 as bytes from media
    where workspace_id = ${workspace_id} and hash <> ${hash}`)
  return { files: row!.files, bytes: Number(row!.bytes) }
}

/** Returns the content of a file, which is the same in every workspace that has the file. */
export async function findMediaContent(tx: Tx, hash: string, extension: MediaExtension): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ content: Buffer }>(
    prepared(sql`select content from media where hash = ${hash} and extension = ${extension} limit 1`),
  )
  return row?.content
}
