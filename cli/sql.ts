import { text as textOf } from 'node:stream/consumers'
import { Option } from 'commander'
import { readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { withAnalystDatabase } from './analyst-database.ts'
import { queryAsAnalyst } from './analyst-query.ts'
import { note, type Outcome, type Shell, UsageError, type Verb } from './command.ts'
import { countOption } from './options.ts'
import { formatCount } from './progress.ts'
import { type Column, rowObject } from './row-values.ts'
import { type RowFormat, rowFormats, rowWriter } from './row-writers.ts'

type Options = {
  readonly format?: RowFormat
  readonly timeout: number
  readonly limit?: number
  readonly fresh?: true
  readonly json?: true
}

const timeoutSPreset = 60
const timeoutSMax = 3_600
/** A table stays in memory until it is complete, and so does the document of --json. */
const keptRowsPreset = 1_000
const streamedRowsPreset = 1_000_000
const rowsMax = 1_000_000_000
const statementBytesMax = 1_048_576

export const sqlVerb: Verb<Options> = {
  description: `Run one SQL statement that reads the views for analysts, and print its rows. It can read nothing else and write nothing. On
the embedded database a running server is not disturbed: the rows are those of a snapshot, which is used for ten minutes.`,
  notes: `docs/sql.md lists the views and has examples. Without --format rows are a table on a terminal and CSV elsewhere.

With a running server on the embedded database, EASEL_ADMIN_TOKEN lets the command ask for the snapshot.`,
  define: (command) => {
    command
      .argument('[statement]', 'the statement; by default it is read from standard input')
      .addOption(new Option('--format <format>', 'how rows are written').choices(rowFormats))
      .addOption(countOption('--timeout <seconds>', 'how long it may take', timeoutSMax).default(timeoutSPreset))
      .addOption(
        countOption('--limit <rows>', 'rows at most; by default 1,000 in a table, 1,000,000 elsewhere', rowsMax),
      )
      .option('--fresh', 'take a new snapshot')
  },
  async run([given], options, shell) {
    if (options.json && options.format !== undefined)
      throw new UsageError('--json and --format exclude each other: --json prints one document with the rows.')
    const config = readConfig(shell.env)
    const text = given ?? (await readStatement(shell))
    const { stdout } = shell as { stdout: { isTTY?: boolean } }
    const format = options.format ?? (stdout.isTTY ? 'table' : 'csv')
    const isKept = options.json === true || format === 'table'
    const limit = options.limit ?? (isKept ? keptRowsPreset : streamedRowsPreset)
    const query = { text, timeoutMs: options.timeout * 1000, limit }
    return withAnalystDatabase(shell, config, { fresh: options.fresh === true }, async (db) => {
      if (options.json) {
        let columns: readonly Column[] = []
        const rows: Record<string, unknown>[] = []
        const { more } = await queryAsAnalyst(db, query, {
          columns: (found) => {
            columns = found
          },
          rows: (found) => void rows.push(...found.map((row) => rowObject(columns, row))),
        })
        return { result: { columns: columns.map(({ name }) => name), rows, more } }
      }
      const writer = rowWriter(format, shell.stdout)
      const end = await queryAsAnalyst(db, query, writer)
      await writer.end()
      return outcomeOf(end, limit, shell)
    })
  },
}

function outcomeOf(end: { rows: number; more: boolean }, limit: number, shell: Shell): Outcome {
  if (end.more) note(shell, `There are more rows: only ${formatCount(limit)} are printed. --limit allows more.`)
  return { result: end }
}

/** Reads a statement from standard input. */
async function readStatement({ stdin }: Shell): Promise<string> {
  if ((stdin as { isTTY?: boolean }).isTTY) throw new UsageError('Give a statement, or send it to standard input.')
  const text = await textOf(stdin)
  if (Buffer.byteLength(text) > statementBytesMax)
    throw new Failure('invalid', `the statement has more than ${statementBytesMax} bytes`)
  return text
}
