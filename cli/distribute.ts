import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import type { Db } from '../src/base/db/db.ts'
import {
  type DistributionPlan,
  type DistributionStep,
  planDistribution,
  shardsMax,
  shardsPerNodeDefault,
} from '../src/base/db/distribution-plan.ts'
import { readDistribution, runDistributionCommand } from '../src/base/db/distribution-store.ts'
import { listMissing } from '../src/base/db/migrate.ts'
import { conflict, Failure } from '../src/base/errors.ts'
import { startInterval } from '../src/base/interval.ts'
import { redactUrl } from '../src/base/log.ts'
import { excludeProcesses } from '../src/workspace/clock/register-process.ts'
import { note, type Outcome, type Shell, type Verb } from './command.ts'
import { withDatabase } from './database.ts'
import { countOption } from './options.ts'
import { formatCount, formatMegabytes } from './progress.ts'
import { listMigrations } from './store.ts'

type Options = { readonly shards?: number; readonly dryRun?: boolean }

/** How often a command that takes long is reported. */
const progressMs = 30_000

const neverRan =
  'This command was tested with a double of the catalog of Citus, and never with Citus itself (docs/backends.md#citus). ' +
  'Take a backup first.'

export const distributeVerb: Verb<Options> = {
  description: `Distribute the tables of people over the nodes of a Citus database, by bucket, and beside each other. Small tables stay
on the coordinator. What is distributed already is left as it is, so the same command goes on where it was interrupted, and takes
in the tables of an upgrade. This command has never run on Citus itself.`,
  notes: `Stop every process of Easel first: none can start until the command has ended. Each table is copied by one command of Citus,
which is a transaction of its own; then its old rows are removed from the coordinator. DATABASE_URL is the coordinator
(docs/operations.md).`,
  define: (command) => {
    command
      .addOption(
        countOption(
          '--shards <n>',
          `how many shards all nodes have together; by default ${shardsPerNodeDefault} for each node`,
          shardsMax,
        ),
      )
      .option('--dry-run', 'print the commands, and change nothing')
  },
  async run(_, { shards, dryRun = false }, shell) {
    const config = readConfig(shell.env)
    const { databaseUrl } = config
    if (databaseUrl === undefined)
      throw conflict(
        'the embedded database is in one place: move it to a PostgreSQL server with Citus (npm run easel -- move postgres://...), ' +
          'set DATABASE_URL to it, then distribute it',
      )
    note(shell, neverRan)
    if (dryRun) return withDatabase(shell, config, async (db) => describePlan(await plan(db, config, shards, shell)))
    return withDatabase(shell, config, async (db) => {
      // Checks that need no lock come first, so that their reason is not hidden behind a running server.
      await plan(db, config, shards)
      const alone = await excludeProcesses(databaseUrl, 'distribute')
      try {
        return await carryOut(db, await plan(db, config, shards, shell), shell)
      } finally {
        await alone.release()
      }
    })
  },
}

/** Plans what is missing, and prints the notes of the plan with a shell. Throws 409 when nothing can be done. */
async function plan(db: Db, config: Config, shards: number | undefined, shell?: Shell): Promise<DistributionPlan> {
  const name = redactUrl(config.databaseUrl!)
  const distribution = await readDistribution(db)
  if (distribution === undefined)
    throw conflict(
      `${name} has no Citus: install Citus 13 or newer on every node, add it to shared_preload_libraries, and run ` +
        'create extension citus in this database on every node',
    )
  await requireTables(db, name)
  const planned = planDistribution(distribution, shards)
  const [first, ...others] = planned.refusals
  if (first !== undefined)
    throw conflict([`${name}: ${first}`, ...others.map((refusal) => `also, ${refusal}`)].join('\n'))
  if (shell) for (const text of planned.notes) note(shell, text)
  return planned
}

async function requireTables(db: Db, name: string): Promise<void> {
  if ((await listMigrations(db)).length === 0)
    throw conflict(`${name} has no tables yet: npm run easel -- migrate makes them; then distribute them`)
  const missing = await listMissing(db)
  if (missing.length > 0)
    throw conflict(`${name} lacks ${missing.join(', ')}: npm run easel -- migrate applies them; then distribute it`)
}

function describePlan({ nodes, shards, steps }: DistributionPlan): Outcome {
  const lines = steps.map(({ command, bytes }) =>
    bytes === 0 ? `${command};` : `${command}; -- ${formatMegabytes(bytes)}`,
  )
  const head = `-- ${formatCount(shards)} shards on ${formatCount(nodes)} nodes, ${formatCount(steps.length)} commands`
  const text = steps.length === 0 ? nothingLeft(nodes, shards) : [head, ...lines].join('\n')
  return { result: { nodes, shards, commands: steps.map(({ command }) => command), done: 0 }, text }
}

async function carryOut(db: Db, { nodes, shards, steps }: DistributionPlan, shell: Shell): Promise<Outcome> {
  for (const [i, step] of steps.entries()) await carryOutStep(db, step, `${i + 1} of ${steps.length}`, shell)
  const count = (wanted: DistributionStep['kind']) => steps.filter(({ kind }) => kind === wanted).length
  const done = `Distributed ${formatCount(count('distribute'))} tables over ${formatCount(shards)} shards on ${formatCount(nodes)} nodes.`
  const text =
    steps.length === 0
      ? nothingLeft(nodes, shards)
      : `${done} npm run easel -- doctor shows them. Start every process of Easel with this DATABASE_URL.`
  return { result: { nodes, shards, commands: steps.map(({ command }) => command), done: steps.length }, text }
}

function nothingLeft(nodes: number, shards: number): string {
  return `Nothing to do: every table has its place, on ${formatCount(shards)} shards and ${formatCount(nodes)} nodes.`
}

async function carryOutStep(db: Db, step: DistributionStep, number: string, shell: Shell): Promise<void> {
  const clock = systemClock()
  const startMs = clock.elapsed()
  const words = `${number}: ${wordsOf(step)}`
  note(shell, words)
  const stop = startInterval(async () => {
    note(shell, `${words}, since ${formatCount(Math.round((clock.elapsed() - startMs) / 1000))} s`)
  }, progressMs)
  try {
    await runDistributionCommand(db, step.command)
  } catch (error) {
    throw interrupted(step, error as Error)
  } finally {
    stop()
  }
}

function wordsOf({ kind, subject, bytes }: DistributionStep): string {
  const words = { distribute: 'distributes', function: 'makes on every node', clear: 'removes from the coordinator' }
  return `${words[kind]} ${subject}${bytes === 0 ? '' : `, ${formatMegabytes(bytes)}`}`
}

/** A database that is away says why in the cause. */
function interrupted({ command, subject }: DistributionStep, error: Error): Failure {
  const { message } = error instanceof Failure && error.cause instanceof Error ? error.cause : error
  return new Failure(
    'conflict',
    `${subject}: ${message}\nThe command was: ${command}. Those before it stay. Run this command again when the cause is removed: it ` +
      'finds out what is left, and goes on.',
    {},
    error,
  )
}
