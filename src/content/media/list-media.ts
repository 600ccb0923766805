import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { MediaServices } from './create-media.ts'
import { listMediaRows, type MediaCursor, type MediaRow } from './media-store.ts'
import { type MediaListReply, mediaPageDefault, mediaPageMax } from './schema.ts'
import { showMedia } from './show-media.ts'

/** Lists a page of the files of a workspace, newest first (`GET /admin/media`). */
export async function listMedia(
  { db }: Call,
  query: Query,
  workspace_id: number,
  services: Pick<MediaServices, 'config'>,
): Promise<MediaListReply> {
  const limit = readLimit(query, mediaPageDefault, mediaPageMax)
  const rows = await listMediaRows(db, workspace_id, readCursor(query), limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    media: page.map((row) => showMedia(row, services)),
    ...(last && rows.length > limit && { cursor: cursorAfter(last) }),
  }
}

function cursorAfter({ created_us, hash }: MediaRow): string {
  return Buffer.from(`${created_us}.${hash}`).toString('base64url')
}

const cursorForm = /^(\d{1,18})\.([0-9a-f]{64})$/

function readCursor(query: Query): MediaCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, createdUs, hash] = cursorForm.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!createdUs || !hash) throw invalid("'cursor' is not valid")
  return { createdUs, hash }
}
