import type { Call } from '../../base/call.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { countOtherMedia, saveMedia } from './media-store.ts'
import { readMedia, refusal } from './read-media.ts'
import { allMediaBytesMax, mediaMax, mediaTexts as texts } from './schema.ts'

export type MediaServices = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly config: { readonly publicUrl: string }
}

/** Stores a file and returns its address: `POST /media_library/create` (contract 10.5). Throws 400. */
export async function createMedia(call: Call, body: unknown, { fetcher, config }: MediaServices) {
  const { db, workspace_id, clock } = call
  const media = await readMedia(body, fetcher)
  const { hash, extension: ext, name, content } = media
  const size = content.length
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    const { files, bytes } = await countOtherMedia(tx, workspace_id, hash)
    if (files >= mediaMax) throw refusal('MEDIA_LIBRARY_LIMIT_REACHED', texts.tooMany)
    if (bytes + size > allMediaBytesMax) throw refusal('MEDIA_LIBRARY_LIMIT_REACHED', texts.tooMuch)
    await saveMedia(tx, workspace_id, media, new Date(clock.now()))
    const target = { kind: 'media', id: hash, name }
    await recordAudit(tx, call, { action: 'media.create', target, after: { name, ext, size }, workspace_id })
  })
  return { new_assets: [{ name, size, url: `${config.publicUrl}/media/${hash}.${ext}`, ext }] }
}
