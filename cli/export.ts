import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { sourcedFields } from '../src/users/record.ts'
import { openClient, originIn } from './client.ts'
import { batchesOf } from './lines.ts'
import { note, UsageError, type Verb } from './verb.ts'

/** The interface's own limit. Specification 8. */
const idsPerRequest = 50
const noteEveryIds = 5000

export const exportVerb: Verb = {
  summary: 'write people to a file, one JSON object a line',
  usage: `Usage: npm run easel -- export FILE --ids IDS [--url URL]

Writes the record of each person whose external_id stands in the file IDS, one a line, as POST /users/export/ids
answers it. Asks the running server with EASEL_API_KEY, which needs users.export.ids. Ids that nobody has are counted.

  --ids IDS   external_ids, one a line
  --url URL   the server; HOST and PORT of the environment when absent`,
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ids: { type: 'string' }, url: { type: 'string' } },
  })
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0 || values.ids === undefined)
    throw new UsageError('export takes a file and --ids.')
  const config = readConfig()
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key that may export.')
  const client = openClient(values.url ?? originIn(config), config.apiKey)
  const word = `${config.serviceName}_id`
  const fields_to_export = sourcedFields.map((field) => (field === 'service_id' ? word : field))
  await using file = await open(path, 'w')
  let written = 0
  let asked = 0
  for await (const lines of batchesOf(values.ids, 1, idsPerRequest)) {
    const external_ids = lines.map(({ text }) => text)
    const { status, body } = await client.send('POST', '/users/export/ids', { external_ids, fields_to_export })
    if (status !== 201) throw new Failure('invalid', `refused with ${status}: ${body.message}`)
    const users = body.users as object[]
    await file.write(users.map((user) => `${JSON.stringify(user)}\n`).join(''))
    written += users.length
    asked += external_ids.length
    if (asked % noteEveryIds < external_ids.length) note(`${asked} asked, ${written} written`)
  }
  note(`${written} people written to ${path}; ${asked - written} ids are nobody's.`)
  return 0
}
