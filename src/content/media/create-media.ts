import type { Call } from '../../base/call.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { countOtherMedia, type MediaEntry, saveMedia } from './media-store.ts'
import { readMedia, refusal } from './read-media.ts'
import { allMediaBytesMax, mediaMax, mediaTexts as texts } from './schema.ts'
import { showMedia } from './show-media.ts'

export type MediaServices = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly config: { readonly publicUrl: string }
}

/** Stores a file and returns its address: `POST /media_library/create` (contract 10.5). Throws 400. */
export async function createMedia(call: Call, body: unknown, services: MediaServices) {
  const { name, bytes, url, ext } = showMedia(await storeMedia(call, call.workspace_id, body, services), services)
  return { new_assets: [{ name, size: bytes, url, ext }] }
}

/** The same for administrators, in the form of the list (`POST /admin/media`). */
export async function createMediaForAdmin(call: Call, workspace_id: number, body: unknown, services: MediaServices) {
  return { file: showMedia(await storeMedia(call, workspace_id, body, services), services) }
}

async function storeMedia(
  call: Call,
  workspace_id: number,
  body: unknown,
  { fetcher }: MediaServices,
): Promise<MediaEntry> {
  const { db, clock } = call
  const media = await readMedia(body, fetcher)
  const { hash, extension, name, content } = media
  const size = content.length
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const { files, bytes } = await countOtherMedia(tx, workspace_id, hash)
    if (files >= mediaMax) throw refusal('MEDIA_LIBRARY_LIMIT_REACHED', texts.tooMany)
    if (bytes + size > allMediaBytesMax) throw refusal('MEDIA_LIBRARY_LIMIT_REACHED', texts.tooMuch)
    const created_at = await saveMedia(tx, workspace_id, media, new Date(clock.now()))
    const target = { kind: 'media', id: hash, name }
    await recordAudit(tx, call, { action: 'media.create', target, after: { name, ext: extension, size }, workspace_id })
    return { hash, extension, name, size, created_at }
  })
}
