import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Config, readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import type { BackupLine } from '../src/people/backup/backup-lines.ts'
import { recordFields } from '../src/people/export/record.ts'
import { exportIdsMax } from '../src/people/export/schema.ts'
import type { AdminAccess } from './admin-access.ts'
import { openClient, originIn } from './client.ts'
import { note, type Outcome, type Shell, UsageError, type Verb } from './command.ts'
import { batchesOf } from './lines.ts'
import { urlOption, workspaceOption } from './options.ts'
import { csvOfPeople } from './people-csv.ts'
import { peoplePages } from './people-pages.ts'
import { formatCount, openProgress } from './progress.ts'
import { openSource } from './source.ts'
import { withAdminAccess } from './with-admin-access.ts'

const noteEveryIds = 5000

type Options = {
  readonly ids?: string
  readonly parquet?: true
  readonly view?: string
  readonly fresh?: true
  readonly workspace?: string
  readonly url?: string
  readonly json?: boolean
}

export const exportVerb: Verb<Options> = {
  description: `Write all people of a workspace with all data that "import" needs to create them again: fields, attributes, identifiers,
devices, subscription states, events and purchases. The file gets its name when it is complete. Each person is written as of the moment of
reading.`,
  notes: `A file whose name ends in .csv or .csv.gz is a table for spreadsheets, with a line for each person: fields, aliases, states of
subscription groups and custom attributes, without history and devices. Any other file has lines of JSON with everything.

The command uses the database when no server does, otherwise the server at HOST and PORT with EASEL_ADMIN_TOKEN.

With --ids the command writes the record of each person whose external_id is in the file, as POST /users/export/ids
returns it. It uses the server with EASEL_API_KEY, which needs users.export.ids. Unknown ids are counted.

With --parquet the command writes the views for analysts (docs/sql.md) of all workspaces: each as a Parquet file into the folder, all as of
one moment, or one to a file with --view. On the embedded database of a running server it reads a snapshot, as "sql" does.`,
  define: (command) => {
    command
      .argument(
        '<file>',
        'the file; compressed when its name ends in .gz; - is standard output; with --parquet a folder',
      )
      .option('--ids <file>', 'a file of external_ids, one on each line')
      .option('--parquet', 'write the views for analysts as Parquet files into a folder')
      .option('--view <name>', 'with --parquet: write this view only, to a file')
      .option('--fresh', 'with --parquet: take a new snapshot')
      .addOption(workspaceOption())
      .addOption(urlOption())
  },
  async run([path], options, shell) {
    const { ids, workspace, url, json, parquet, view, fresh } = options
    if (parquet) return exportViews(path!, options, shell)
    if (view !== undefined || fresh) throw new UsageError('--view and --fresh are for --parquet.')
    if (ids !== undefined && workspace !== undefined)
      throw new UsageError('--ids and --workspace exclude each other: the API key is for one workspace.')
    if (ids !== undefined && isCsv(path!)) throw new UsageError('--ids writes lines of JSON: name the file .jsonl.')
    if (json && path === '-') throw new UsageError('--json needs a file: standard output has the result.')
    const config = readConfig(shell.env)
    if (ids !== undefined) return exportIds(config, path!, { ids, url }, shell)
    const work = (access: AdminAccess) => exportAll(access, path!, workspace, shell)
    return withAdminAccess(shell, config, url, work, 'read')
  },
}

async function exportViews(
  path: string,
  { ids, workspace, url, view, fresh }: Options,
  shell: Shell,
): Promise<Outcome> {
  if (ids !== undefined || workspace !== undefined || url !== undefined)
    throw new UsageError('--parquet excludes --ids, --workspace and --url: it writes the views of all workspaces.')
  if (path === '-') throw new UsageError('--parquet writes files: name a folder, or a file with --view.')
  const { exportParquet } = await import('./export-parquet.ts')
  return exportParquet(path, { view, fresh: fresh === true }, shell)
}

async function exportAll(
  access: AdminAccess,
  path: string,
  workspace: string | undefined,
  shell: Shell,
): Promise<Outcome> {
  const progress = openProgress('people', shell.stderr)
  const counts = { people: 0, lines: 0 }
  async function* pages(): AsyncGenerator<readonly BackupLine[]> {
    for await (const { lines, people, share } of peoplePages((after) => access.readPeople(after, workspace))) {
      counts.people += people
      counts.lines += lines.length
      yield lines
      progress.update(counts.people, share)
    }
  }
  const text = isCsv(path) ? csvOfPeople(pages(), `${path}.rows`) : jsonLinesOf(pages())
  await writeAll(text, path, shell).finally(progress.end)
  const size = isCsv(path) ? '' : `, ${formatCount(counts.lines)} lines`
  note(shell, `${formatCount(counts.people)} people written to ${path}${size}.`)
  return { result: isCsv(path) ? { people: counts.people } : counts }
}

function isCsv(path: string): boolean {
  return /\.csv(\.gz)?$/.test(path)
}

async function* jsonLinesOf(pages: AsyncIterable<readonly BackupLine[]>): AsyncGenerator<string> {
  for await (const lines of pages) yield lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** Writes the file. It gets its name when it is complete, so that an incomplete file is not used. */
async function writeAll(text: AsyncIterable<string>, path: string, { stdout }: Shell): Promise<void> {
  // Standard output stays open: it belongs to the process.
  if (path === '-') return pipeline(text, stdout, { end: false })
  const part = `${path}.part`
  const file = createWriteStream(part)
  const complete = path.endsWith('.gz') ? pipeline(text, createGzip(), file) : pipeline(text, file)
  await complete.then(() => rename(part, path)).finally(() => rm(part, { force: true }))
}

type IdsOptions = { readonly ids: string; readonly url: string | undefined }

async function exportIds(config: Config, path: string, { ids, url }: IdsOptions, shell: Shell): Promise<Outcome> {
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key with users.export.ids.')
  const client = openClient(url ?? originIn(config), config.apiKey)
  const word = `${config.serviceName}_id`
  const fields_to_export = recordFields.map((field) => (field === 'service_id' ? word : field))
  await using file = await open(path, 'w')
  let people = 0
  let read = 0
  const { text } = await openSource(ids, shell)
  for await (const lines of batchesOf(text, 1, exportIdsMax)) {
    const external_ids = lines.map((line) => line.text)
    const { status, body } = await client.send('POST', '/users/export/ids', { external_ids, fields_to_export })
    if (status !== 201) throw new Failure('invalid', `refused with ${status}: ${body.message}`)
    const users = body.users as object[]
    await file.write(users.map((user) => `${JSON.stringify(user)}\n`).join(''))
    people += users.length
    read += external_ids.length
    if (read % noteEveryIds < external_ids.length) note(shell, `${read} ids read, ${people} people written`)
  }
  note(shell, `${people} people written to ${path}; ${read - people} ids are unknown.`)
  return { result: { people, unknown_ids: read - people } }
}
