import { existsSync } from 'node:fs'
import { copyFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { FolderInUse, isInUse } from '../src/base/db/folder-lock.ts'
import { Failure } from '../src/base/errors.ts'
import { backupsFolder } from '../src/workspace/backups/format.ts'
import { restoreBackup } from '../src/workspace/backups/restore-backup.ts'
import type { BackupsReply } from '../src/workspace/backups/schema.ts'
import { writeBackup } from '../src/workspace/backups/write-backup.ts'
import { adminTokenOf, askAdmin } from './ask-admin.ts'
import { openClient, originIn } from './client.ts'
import { note, type Shell, type Verb } from './command.ts'
import { requireEmbedded, withDatabase } from './database.ts'
import { formatMegabytes, openByteProgress } from './progress.ts'
import { onFolder, readEverybody, wordsOfRead } from './read-everybody.ts'

type Options = { readonly check: boolean }
type OnProgress = (done: number, total: number) => void

const lookMs = 200

export const backupVerb: Verb<Options> = {
  description: `Write everything in the data directory to one compressed file, also while a server uses it: people, history, messages,
entries, settings, secrets, files of exports. The file has the state of one moment, and gets its name when it is complete. Then it is
restored into a folder beside it, every person is read, and the folder is removed.`,
  notes: `A running server writes the file: EASEL_ADMIN_TOKEN lets the command ask it. The check takes as much room on the disk as
the data directory. A PostgreSQL database is backed up by its own tools (docs/operations.md).`,
  define: (command) => {
    command
      .argument('<file>', 'the file to write, such as easel.tar.zst')
      .option('--no-check', 'do not restore and read it')
  },
  async run([path], { check }, shell) {
    const config = readConfig(shell.env)
    const file = resolve(path!)
    if (config.databaseUrl !== undefined)
      throw new Failure(
        'conflict',
        'PostgreSQL is backed up by its own tools: pg_dump or pg_basebackup (docs/operations.md)',
      )
    if (config.dataDir === 'memory') throw new Failure('conflict', 'a database in memory has no files to back up')
    if (existsSync(file)) throw new Failure('conflict', `${file} exists already: name another file`)
    requireEmbedded(config)
    await backUpTo(config, file, shell)
    const { size } = await stat(file)
    const people = check ? await readAgain(config, file, shell) : undefined
    note(shell, `Written to ${file}, ${formatMegabytes(size)}.${wordsOfRead(people)}`)
    return { result: { file, bytes: size, ...(people !== undefined && { people }) } }
  },
}

/** Writes the data directory to one file: through the server that uses it, otherwise by itself. */
export async function backUpTo(config: Config, file: string, shell: Shell): Promise<void> {
  const { dataDir } = config
  const { onProgress, end } = openByteProgress(shell.stderr)
  const byServer = () => writeByServer(config, file, onProgress)
  try {
    if (await isInUse(dataDir)) return await byServer()
    await withDatabase(shell, config, (db) => writeBackup(db, file, { clock: systemClock(), onProgress }))
  } catch (error) {
    // A server has been started since the check.
    if (!(error instanceof FolderInUse)) throw error
    await byServer()
  } finally {
    end()
  }
}

/** Lets the running server write the backup into its data directory, and moves it. */
async function writeByServer(config: Config, file: string, onProgress: OnProgress): Promise<void> {
  const origin = originIn(config)
  const token = adminTokenOf(config, origin, `${config.dataDir} is in use by a running server`)
  const begun = await askAdmin(openClient(origin, token, 0), 'POST', '/admin/backups')
  const { name } = begun.running as { name: string }
  const client = openClient(origin, token)
  for (;;) {
    const { backups, running, failure } = (await askAdmin(client, 'GET', '/admin/backups')) as BackupsReply
    if (backups.some((each) => each.name === name)) break
    if (running?.name !== name)
      throw new Failure('unavailable', failure ?? 'the server has ended before the backup was complete')
    onProgress(running.bytes_read, running.bytes_total)
    await pause(lookMs)
  }
  // The command is on the machine of the server, because it has found its data directory.
  await move(join(config.dataDir, backupsFolder, name), file)
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    // The file is on another disk.
    const draft = join(dirname(to), `.${basename(to)}.draft`)
    await copyFile(from, draft)
    await rename(draft, to)
    await rm(from)
  }
}

async function readAgain(config: Config, file: string, shell: Shell): Promise<number> {
  const folder = `${file}.check`
  await rm(folder, { recursive: true, force: true })
  try {
    await restoreBackup(file, folder)
    return await readEverybody(shell, onFolder(config, folder))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
