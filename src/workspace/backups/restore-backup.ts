import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { unpackTar } from 'modern-tar/fs'
import { conflict, Failure, invalid } from '../../base/errors.ts'
import { parseJson } from '../../base/parse-json.ts'
import { syncPath } from '../../base/sync-path.ts'
import { type Head, headName } from './format.ts'

/** The folder in the data directory in which it is made. The directory itself may be a volume, which cannot be replaced. */
const draftName = 'restore.draft'
const databaseName = 'database'

/**
 * Makes a data directory from a backup, durably: after a crash its database is there completely or not at all. `onProgress` gets the bytes
 * of the file that were read. Throws 400 for a file that is not a complete backup, and 409 for a directory that has something in it.
 */
export async function restoreBackup(
  file: string,
  folder: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Head> {
  const isNew = !existsSync(folder)
  if (!isNew && (await readdir(folder)).some((name) => name !== draftName))
    throw conflict(`${folder} is not empty: name another directory, or move this one away first`)
  const draft = join(folder, draftName)
  await rm(draft, { recursive: true, force: true })
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 })
    await extract(file, draft, onProgress)
    const head = await readHead(draft)
    await rm(join(draft, headName))
    await syncAll(draft)
    const others = (await readdir(draft)).filter((name) => name !== databaseName)
    for (const name of [...others, databaseName]) await rename(join(draft, name), join(folder, name))
    await rm(draft, { recursive: true })
    await syncPath(folder)
    await syncPath(dirname(folder))
    return head
  } catch (error) {
    await rm(isNew ? folder : draft, { recursive: true, force: true })
    throw error
  }
}

async function extract(file: string, folder: string, onProgress: (done: number, total: number) => void): Promise<void> {
  const { size } = await stat(file)
  let done = 0
  const counted = new Transform({
    transform(piece: Buffer, _, next) {
      done += piece.length
      onProgress(done, size)
      next(null, piece)
    },
  })
  try {
    const target = unpackTar(folder, { fmode: 0o600, dmode: 0o700, strict: true, filter: isPlain })
    await pipeline(createReadStream(file), counted, createZstdDecompress(), target)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOSPC', 'EROFS', 'EISDIR'].includes(code)) throw error
    throw new Failure('invalid', `${file} is not a complete backup: ${(error as Error).message}`, {}, error)
  }
}

/** A backup has no links. */
function isPlain({ name, type }: { name: string; type?: string }): boolean {
  if (type === 'file' || type === 'directory') return true
  throw invalid(`'${name}' is neither a file nor a folder`)
}

async function readHead(folder: string): Promise<Head> {
  const text = await readFile(join(folder, headName), 'utf8').catch(() => undefined)
  if (text === undefined) throw invalid('The file is not a backup of Easel: it does not say what it is')
  const head = parseJson(text) as unknown as Head
  if (head.format !== 1)
    throw invalid(`The backup was written by Easel ${head.version}: restore it with that version or a newer one`)
  return head
}

async function syncAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    await (entry.isDirectory() ? syncAll(path) : syncPath(path))
  }
  await syncPath(folder)
}
