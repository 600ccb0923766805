import type { MediaEntry } from './media-store.ts'
import type { ShownMedia } from './schema.ts'

/** Returns a file as administrators see it. */
export function showMedia(
  { hash, extension: ext, name, size, created_at }: MediaEntry,
  { config }: { readonly config: { readonly publicUrl: string } },
): ShownMedia {
  const path = `/media/${hash}.${ext}`
  return { id: hash, name, ext, url: config.publicUrl + path, path, bytes: size, created_at: created_at.toISOString() }
}
