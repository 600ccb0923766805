import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { findSegment } from '../segments/find.ts'
import { PermanentError, pack } from './archive.ts'
import { objectName } from './link.ts'
import { type LineServices, linePages, toFiles } from './person-lines.ts'
import type { ClaimedExport, ExportOutcome } from './store.ts'

export type WriteServices = LineServices & {
  /** The folder of exports; made when it is missing. */
  folder: string
}

export const segmentGone = 'The segment was deleted before it was exported'

/**
 * Writes a claimed export into a file of its own. The file has its name only when it is whole and on disk, and nobody looks at it
 * before the row says that it is the one. Throws `Hopeless` when trying again would not help.
 */
export async function writeExport(
  claimed: ClaimedExport,
  parts: WriteServices,
  signal: AbortSignal,
): Promise<ExportOutcome> {
  const { workspace_id, id, asked, lease } = claimed
  const { folder, db, clock } = parts
  const segment = await findSegment(db, workspace_id, asked.segment_id)
  if (!segment) throw new PermanentError(segmentGone)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeOtherAttempts(folder, id, lease)
  const object = `${id}.${objectName(lease, asked.output_format)}`
  const path = join(folder, object)
  const unfinished = `${path}.part`
  const tally = { files: 0, people: 0 }
  const files = toFiles(linePages(workspace_id, segment.tree, asked, parts, signal), id, tally)
  const sink = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true })
  await pipeline(pack(asked.output_format, files, clock.elapsed()), sink, { signal })
  const { size } = await stat(unfinished)
  await rename(unfinished, path)
  await syncFolder(folder)
  return { state: 'done', object, ...tally, bytes: size }
}

/** A new name survives a power cut once its folder is on disk. Windows does not open folders, and needs no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder)
  await handle.sync()
}

/** Removes what is left of attempts to write this export. */
export async function removeOtherAttempts(folder: string, id: string, lease: string): Promise<void> {
  const names = await readdir(folder)
  const left = names.filter((name) => name.startsWith(`${id}.`) && !name.startsWith(`${id}.${lease}`))
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })))
}
