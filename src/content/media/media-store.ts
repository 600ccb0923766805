import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { MediaExtension } from './schema.ts'

export type Media = {
  readonly hash: string
  readonly extension: MediaExtension
  readonly name: string
  readonly content: Buffer
}

/** Inserts a file. If the workspace has it, the file gets the new name. */
export async function saveMedia(
  tx: Tx,
  workspace_id: number,
  { hash, extension, name, content }: Media,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into media (hash, workspace_id, extension, name, size, content, created_at)
    values (${hash}, ${workspace_id}, ${extension}, ${name}, ${content.length}, ${content}::bytea,
      ${at.toISOString()}::timestamptz)
    on conflict (hash, workspace_id) do update set name = excluded.name`)
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
