import { createWriteStream, type Dirent } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { createTarPacker, type TarPackController } from 'modern-tar'
import easel from '../../../package.json' with { type: 'json' }
import type { Clock } from '../../base/clock.ts'
import type { DatabaseFiles, Db } from '../../base/db/db.ts'
import { conflict, unavailable } from '../../base/errors.ts'
import { syncPath } from '../../base/sync-path.ts'
import { backupsFolder, type Head, headName, snapshotsFolder } from './format.ts'
import { readLogEnd, readLogStart } from './log-store.ts'

export type BackupOptions = {
  readonly clock: Clock
  /** Called with the bytes that were read, of all that are to be read. */
  onProgress?(done: number, total: number): void
  readonly stopping?: AbortSignal
}

const pieceBytes = 1_048_576
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }
/** Says which checkpoint a start begins with. It is copied before everything else, so that it is that of the beginning. */
const controlFile = 'database/global/pg_control'
const logFolder = 'database/pg_wal'
/** Files of running processes, and what is written anew. */
const leftOut = /^(?:lock-|\.doctor-|new-admin-token)|\.draft$/

/** A file, with the bytes that it had when the copy began. What is added later is in the write-ahead log. */
type Found = { readonly path: string; readonly bytes: number; readonly isFolder: boolean }

/** Returns the files of a database. Throws 409 for one that is not in files. */
export function filesOf({ files }: Db): DatabaseFiles {
  if (files) return files
  throw conflict('Only an embedded database on disk is backed up by Easel. For PostgreSQL use its own tools')
}

/**
 * Writes everything in a data directory to one compressed file while the database is in use. The file has the state of a moment near the
 * end of the copy: the files are those of different moments, and the write-ahead log, which is copied last, makes them consistent at the
 * first start, as after a power failure. The file gets its name when it is complete and on the disk. Throws 409 for a database that is
 * not in files, and 503 when the database was opened again meanwhile.
 */
export async function writeBackup(db: Db, file: string, options: BackupOptions): Promise<Head> {
  const files = filesOf(db)
  const draft = join(dirname(file), `.${basename(file)}.draft`)
  const release = await files.holdCheckpoints()
  try {
    await db.execute('checkpoint')
    const head = { format: 1, version: easel.version, at: new Date(options.clock.elapsed()).toISOString() } as const
    const start = await readLogStart(db)
    await writeArchive(
      draft,
      (packer) => addAll(db, files.dataDir, packer, head, start.segment, options),
      options.stopping,
    )
    if ((await readLogStart(db)).redo !== start.redo)
      throw unavailable('The database was opened again while it was copied')
    await rename(draft, file)
    await syncPath(dirname(file))
    return head
  } finally {
    release()
    await rm(draft, { force: true })
  }
}

async function writeArchive(
  file: string,
  add: (packer: TarPackController) => Promise<void>,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const { readable, controller } = createTarPacker()
  const target = createWriteStream(file, { flush: true, mode: 0o600 })
  const written = pipeline(Readable.fromWeb(readable), createZstdCompress(compression), target, { signal: stopping })
  const added = add(controller).then(
    () => controller.finalize(),
    (error: unknown) => {
      controller.error(error)
      throw error
    },
  )
  const [adding, writing] = await Promise.allSettled([added, written])
  // When nothing can be written any more, adding fails because of it.
  if (writing.status === 'rejected') throw writing.reason
  if (adding.status === 'rejected') throw adding.reason
}

async function addAll(
  db: Db,
  dataDir: string,
  packer: TarPackController,
  head: Head,
  firstSegment: string,
  { onProgress, stopping }: BackupOptions,
): Promise<void> {
  await addFile(packer, headName, Buffer.from(JSON.stringify(head)))
  const found = await listFiles(dataDir)
  const isOfLog = ({ path, isFolder }: Found) => path.startsWith(`${logFolder}/`) && !isFolder
  const [control, others] = [found.filter(isControl), found.filter((each) => !isControl(each) && !isOfLog(each))]
  const first = [...control, ...others]
  const total = first.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  const onRead = (bytes: number) => {
    stopping?.throwIfAborted()
    done += bytes
    onProgress?.(done, total)
  }
  for (const each of first) await copyFile(packer, dataDir, each, onRead)
  // Everything that the copied files may have is in the log up to here.
  const lastSegment = await readLogEnd(db)
  const isWanted = ({ path }: Found) => path >= `${logFolder}/${firstSegment}` && path <= `${logFolder}/${lastSegment}`
  const log = (await listFiles(dataDir, logFolder)).filter((each) => isOfLog(each) && isWanted(each))
  for (const each of log) await copyFile(packer, dataDir, each, () => stopping?.throwIfAborted())
}

function isControl({ path }: Found): boolean {
  return path === controlFile
}

/** Lists files and folders below a folder of the data directory, parents first, by their paths with `/`. */
async function listFiles(dataDir: string, below = ''): Promise<Found[]> {
  const entries = await readdir(join(dataDir, below), { withFileTypes: true }).catch(ignoreMissing)
  const found: Found[] = []
  for (const entry of (entries ?? []).sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (leftOut.test(entry.name) || path === backupsFolder || path === snapshotsFolder) continue
    found.push(...(await listEntry(dataDir, path, entry)))
  }
  return found
}

async function listEntry(dataDir: string, path: string, entry: Dirent): Promise<Found[]> {
  if (entry.isDirectory()) return [{ path, bytes: 0, isFolder: true }, ...(await listFiles(dataDir, path))]
  if (!entry.isFile()) return []
  const stats = await stat(join(dataDir, path)).catch(ignoreMissing)
  return stats ? [{ path, bytes: stats.size, isFolder: false }] : []
}

/** A table may be dropped while files are copied. The log drops it again. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function addFile(packer: TarPackController, name: string, bytes: Buffer): Promise<void> {
  const writer = packer.add({ name, size: bytes.length, mode: 0o600 }).getWriter()
  await writer.write(bytes)
  await writer.close()
}

/** Copies as many bytes as the file had when it was listed. One that has become shorter ends with zeros, which are empty pages. */
async function copyFile(
  packer: TarPackController,
  dataDir: string,
  { path, bytes, isFolder }: Found,
  onRead: (bytes: number) => void,
): Promise<void> {
  if (isFolder) {
    await packer.add({ name: `${path}/`, size: 0, type: 'directory', mode: 0o700 }).close()
    return
  }
  const file = await open(join(dataDir, path)).catch(ignoreMissing)
  if (!file) return
  await using opened = file
  const writer = packer.add({ name: path, size: bytes, mode: 0o600 }).getWriter()
  for (let at = 0; at < bytes; ) {
    const piece = Buffer.alloc(Math.min(pieceBytes, bytes - at))
    const { bytesRead } = await opened.read(piece, 0, piece.length, at)
    const length = bytesRead === 0 ? piece.length : bytesRead
    await writer.write(piece.subarray(0, length))
    at += length
    onRead(length)
  }
  await writer.close()
}
