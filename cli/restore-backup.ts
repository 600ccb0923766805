import { resolve } from 'node:path'
import { readConfig } from '../src/base/config.ts'
import { FolderInUse, isInUse } from '../src/base/db/folder-lock.ts'
import { Failure } from '../src/base/errors.ts'
import { restoreBackup } from '../src/workspace/backups/restore-backup.ts'
import { note, type Verb } from './command.ts'
import { openByteProgress } from './progress.ts'
import { onFolder, readEverybody, wordsOfRead } from './read-everybody.ts'

type Options = { readonly check: boolean }

export const restoreVerb: Verb<Options> = {
  description: `Make the data directory EASEL_DATA from a backup that "backup" has written. The directory must be empty or not there. Its
database is there completely or not at all. Then every person is read. The next start goes on where the backup ended: messages and waiting
people included.`,
  notes: `Both installations would send what is due. Stop the one that the backup is of before you start this one. With EASEL_SECRET
the same secret is needed.`,
  define: (command) => {
    command
      .argument('<file>', 'a file that "backup" has written')
      .option('--no-check', 'do not read everybody afterwards')
  },
  async run([path], { check }, shell) {
    const config = readConfig(shell.env)
    const folder = resolve(config.dataDir)
    if (config.databaseUrl !== undefined)
      throw new Failure('conflict', 'DATABASE_URL is set: a backup is restored into a data directory, without it')
    if (config.dataDir === 'memory') throw new Failure('conflict', 'EASEL_DATA is memory: name a directory')
    if (await isInUse(config.dataDir)) throw new FolderInUse(config.dataDir)
    const { onProgress, end } = openByteProgress(shell.stderr)
    const head = await restoreBackup(resolve(path!), folder, onProgress).finally(end)
    const people = check ? await readEverybody(shell, onFolder(config, folder)) : undefined
    note(
      shell,
      `Restored to ${folder}: the backup of ${head.at}, written by Easel ${head.version}.${wordsOfRead(people)}`,
    )
    return { result: { folder, at: head.at, version: head.version, ...(people !== undefined && { people }) } }
  },
}
