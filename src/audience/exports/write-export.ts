import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncPath } from '../../base/sync-path.ts'
import { PermanentError, pack } from './archive.ts'
import { idsName, withIds } from './exported-ids.ts'
import { objectName } from './link.ts'
import { type LineServices, linePages, toFiles, type WrittenCounts } from './person-lines.ts'
import { findSelection, selectionWords } from './select-people.ts'
import type { ClaimedExport, ExportOutcome } from './store.ts'

export type WriteServices = LineServices & {
  /** The folder of exports; created when it is missing. */
  folder: string
}

/**
 * Writes a claimed export into a file of its own. The file gets its name when it is complete and synced to the disk. It is served when the
 * row has its name. `counts` grows while people are written. Throws `PermanentError` when a retry would not help.
 */
export async function writeExport(
  claimed: ClaimedExport,
  services: WriteServices,
  signal: AbortSignal,
  counts: WrittenCounts,
): Promise<ExportOutcome> {
  const { workspace_id, id, request, lease } = claimed
  const { folder, db, clock } = services
  const tree = await findSelection(db, workspace_id, request, services.workspaces)
  if (!tree) throw new PermanentError(selectionWords(request).gone)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeOtherAttempts(folder, id, lease)
  const object = `${id}.${objectName(lease, request.output_format)}`
  const path = join(folder, object)
  const unfinished = `${path}.part`
  const pages = withIds(linePages(workspace_id, tree, request, services, signal), join(folder, idsName(object)))
  const files = toFiles(pages, id, counts)
  const sink = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true })
  await pipeline(pack(request.output_format, files, clock.elapsed()), sink, { signal })
  const { size } = await stat(unfinished)
  await rename(unfinished, path)
  await syncPath(folder)
  return { state: 'done', object, ...counts, bytes: size }
}

/** Removes the files of other attempts at this export. */
export async function removeOtherAttempts(folder: string, id: string, lease: string): Promise<void> {
  const names = await readdir(folder)
  const left = names.filter((name) => name.startsWith(`${id}.`) && !name.startsWith(`${id}.${lease}`))
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })))
}
