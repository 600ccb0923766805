import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { createGzip } from 'node:zlib'
import { type Config, readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { recordFields } from '../src/people/export/record.ts'
import { atDesk } from './at-desk.ts'
import { openClient, originIn } from './client.ts'
import type { Desk } from './desk.ts'
import { batchesOf } from './lines.ts'
import { openProgress, written } from './progress.ts'
import { openSource } from './source.ts'
import { note, type Shell, UsageError, type Verb } from './verb.ts'

/** The interface's own limit. Specification 8. */
const idsPerRequest = 50
const noteEveryIds = 5000

export const exportVerb: Verb = {
  usage: `Usage: npm run easel -- export FILE [--workspace ID] [--url URL]
       npm run easel -- export FILE --ids IDS [--url URL]

Writes everybody of a workspace with everything that "import" needs to make them again as they are: fields, attributes,
identifiers, devices, subscription states, events and purchases. FILE is compressed when its name ends in .gz, and - is
standard output. It gets its name when it is complete. Who comes or changes meanwhile is as they were when read.
Works on the database when no server holds it, else through the server at HOST and PORT with EASEL_ADMIN_TOKEN.

With --ids it writes the record of each person whose external_id stands in the file IDS, as POST /users/export/ids
answers it. Asks the running server with EASEL_API_KEY, which needs users.export.ids. Ids that nobody has are counted.

  --workspace ID   the workspace; the default one when absent
  --ids IDS        external_ids, one a line
  --url URL        the server; HOST and PORT of the environment when absent`,
  run,
}

async function run(args: readonly string[], shell: Shell): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ids: { type: 'string' }, workspace: { type: 'string' }, url: { type: 'string' } },
  })
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) throw new UsageError('export takes one file.')
  const { ids, workspace, url } = values
  if (ids !== undefined && workspace !== undefined)
    throw new UsageError('--ids asks with a key, which is of one workspace.')
  const config = readConfig(shell.env)
  if (ids === undefined) await atDesk(shell, config, url, (desk) => exportAll(desk, path, workspace, shell))
  else await exportIds(config, path, { ids, url }, shell)
  return 0
}

async function exportAll(desk: Desk, path: string, workspace: string | undefined, shell: Shell): Promise<void> {
  const progress = openProgress('people', shell.stderr)
  const counts = { people: 0, lines: 0 }
  async function* pages(): AsyncGenerator<string> {
    let after: string | undefined
    do {
      const { lines, next, share } = await desk.readPeople(after, workspace)
      for (const line of lines) if (line.profile !== undefined) counts.people++
      counts.lines += lines.length
      yield lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      progress.at(counts.people, share)
      after = next ?? undefined
    } while (after !== undefined)
  }
  await writeAll(pages(), path, shell).finally(progress.end)
  note(shell, `${written(counts.people)} people written to ${path}, ${written(counts.lines)} lines.`)
}

/** A file has its name once it is complete: half of one is not taken for all. */
async function writeAll(text: AsyncIterable<string>, path: string, { stdout }: Shell): Promise<void> {
  // Standard output stays open: it belongs to the process.
  if (path === '-') return pipeline(text, stdout, { end: false })
  const part = `${path}.part`
  const file = createWriteStream(part)
  const complete = path.endsWith('.gz') ? pipeline(text, createGzip(), file) : pipeline(text, file)
  await complete.then(() => rename(part, path)).finally(() => rm(part, { force: true }))
}

type Asked = { readonly ids: string; readonly url: string | undefined }

async function exportIds(config: Config, path: string, { ids, url }: Asked, shell: Shell): Promise<void> {
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key that may export.')
  const client = openClient(url ?? originIn(config), config.apiKey)
  const word = `${config.serviceName}_id`
  const fields_to_export = recordFields.map((field) => (field === 'service_id' ? word : field))
  await using file = await open(path, 'w')
  let people = 0
  let asked = 0
  const { text } = await openSource(ids, shell)
  for await (const lines of batchesOf(text, 1, idsPerRequest)) {
    const external_ids = lines.map((line) => line.text)
    const { status, body } = await client.send('POST', '/users/export/ids', { external_ids, fields_to_export })
    if (status !== 201) throw new Failure('invalid', `refused with ${status}: ${body.message}`)
    const users = body.users as object[]
    await file.write(users.map((user) => `${JSON.stringify(user)}\n`).join(''))
    people += users.length
    asked += external_ids.length
    if (asked % noteEveryIds < external_ids.length) note(shell, `${asked} asked, ${people} written`)
  }
  note(shell, `${people} people written to ${path}; ${asked - people} ids are nobody's.`)
}
