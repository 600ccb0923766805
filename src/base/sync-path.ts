import { open } from 'node:fs/promises'

/** Resolves when a file, or the names in a folder, survive a power failure. Windows cannot open folders and does not need it. */
export async function syncPath(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(path)
  await handle.sync()
}
