import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { resolve } from 'node:path'
import { exportsFolder } from '../src/audience/exports/open.ts'
import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { redactUrl } from '../src/base/log.ts'
import { moveDatabase, undoMove } from '../src/workspace/moving/move-database.ts'
import { note, type Outcome, type Shell, UsageError, type Verb } from './command.ts'
import { requireEmbedded, withDatabase } from './database.ts'
import { formatCount, openByteProgress } from './progress.ts'
import { onFolder } from './read-everybody.ts'

type Options = { readonly undo?: boolean }

export const moveVerb: Verb<Options> = {
  description: `Move everything from the database of the environment to another one: people, history, messages, decisions, entries and
what they wait for, settings, secrets. The target is the URL of an empty PostgreSQL database, or a new data directory. Every
row is counted afterwards, and a random part is compared. The same command goes on where it was interrupted.`,
  notes: `Stop the server first. From then on it does not start on the old database, which stays as it is, and on the new
one only when everything is there. With --undo the old one can be used again, and the new one should be removed.`,
  define: (command) => {
    command
      .argument('[target]', 'postgres://... or a directory')
      .option('--undo', 'let the server start on the old database again')
  },
  async run([target], { undo }, shell) {
    const config = readConfig(shell.env)
    requireDatabase(config)
    if (undo) {
      if (target !== undefined) throw new UsageError('--undo takes no target.')
      return takeBack(config, shell)
    }
    if (target === undefined) throw new UsageError('name the target: postgres://... or a directory')
    return move(config, targetOf(config, target, shell), shell)
  },
}

function requireDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== undefined) return
  if (dataDir === 'memory') throw new Failure('conflict', 'a database in memory cannot be moved')
  requireEmbedded({ dataDir })
}

/** Returns the configuration of the target. */
function targetOf(config: Config, target: string, shell: Shell): Config {
  if (!/^postgres(?:ql)?:/.test(target)) {
    if (config.databaseUrl === undefined)
      throw new UsageError(
        'the target of an embedded database is postgres://...; a copy of its directory is made by backup',
      )
    return onFolder(config, resolve(target))
  }
  const { databaseUrl } = readConfig({ ...shell.env, DATABASE_URL: target })
  return { ...config, databaseUrl }
}

function nameOf({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === undefined ? resolve(dataDir) : redactUrl(databaseUrl)
}

async function move(from: Config, to: Config, shell: Shell): Promise<Outcome> {
  const { onProgress, end } = openByteProgress(shell.stderr)
  const [source, target] = [nameOf(from), nameOf(to)]
  const onCheck = () => {
    end()
    note(shell, 'Everything is copied. Both databases are compared.')
  }
  const moved = await withDatabase(shell, from, (db) =>
    withDatabase(shell, to, (other) =>
      moveDatabase({ db, name: source }, { db: other, name: target }, { ...waiting(shell, end), onProgress, onCheck }),
    ),
  ).finally(end)
  await moveExports(from, to)
  const { tables, rows, compared } = moved
  const counts = `${formatCount(rows)} rows of ${formatCount(tables)} tables are there`
  note(shell, `Moved to ${target}: ${counts}, and ${formatCount(compared)} of them were compared.`)
  const setting =
    to.databaseUrl === undefined ? `EASEL_DATA=${to.dataDir} and without DATABASE_URL` : 'that DATABASE_URL'
  note(
    shell,
    `Start the server with ${setting}. It does not start on ${source} any more: remove that when you no longer need it.`,
  )
  return { result: { source, target, tables, rows, compared } }
}

/** Says that a database is away, and that it is back. */
function waiting(shell: Shell, end: () => void) {
  return {
    clock: systemClock(),
    onAway(error: Error, leftMs: number) {
      end()
      const { cause } = error
      const why = cause instanceof Error ? `${error.message} (${cause.message})` : error.message
      note(shell, `${why}. The move waits for it for ${leftMs / 60_000} minutes, and goes on by itself.`)
    },
    onBack: () => note(shell, 'The database is there again, and the move goes on.'),
  }
}

/** Copies the files of exports, which are beside the database. */
async function moveExports({ dataDir: from }: Config, { dataDir: to }: Config): Promise<void> {
  if (from === 'memory' || resolve(from) === resolve(to)) return
  const { folder } = exportsFolder(from)
  if (existsSync(folder)) await cp(folder, exportsFolder(to).folder, { recursive: true })
}

async function takeBack(config: Config, shell: Shell): Promise<Outcome> {
  const name = nameOf(config)
  const { other } = await withDatabase(shell, config, (db) => undoMove({ db, name }))
  note(shell, `The server starts on ${name} again. Remove ${other}: it has a copy, which would send the same messages.`)
  return { result: { source: name, target: other } }
}
