import { parseArgs } from 'node:util'
import { readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { isCatalogName } from '../src/content/catalogs/read-items.ts'
import { itemsPerRequestMax } from '../src/content/catalogs/schema.ts'
import {
  type CatalogColumn,
  type CatalogField,
  type CatalogItem,
  columnsIn,
  guessFields,
  type ItemLine,
  itemLine,
} from './catalog-sheet.ts'
import { type Client, openClient, originIn } from './client.ts'
import type { CsvRecord } from './csv.ts'
import { written } from './progress.ts'
import { openRun, type Run } from './run.ts'
import { hintFor, openTable, type Table } from './sheet.ts'
import { openSource, type Source } from './source.ts'
import { note, type Shell, say, UsageError, type Verb } from './verb.ts'

/** Lines looked at to tell the types of fields that are to be made. */
const guessedLinesMax = 1_000
/** Values of a column shown in a preview, and characters of each. */
const samplesMax = 3
const sampleCharactersMax = 40

export const catalogVerb: Verb = {
  usage: `Usage: npm run easel -- catalog NAME FILE.csv [--create] [--plan] [--map MAP] [--from LINE] [--url URL]

Writes an item a line into the catalog NAME: those that are new are made, those that are there are replaced, all others
stay. The first line of FILE has the headers; - is standard input, and what is compressed with gzip is read as well.
An empty cell is a value that is not there. Numbers, true and false and times are read as their fields want them;
objects, arrays and places are JSON. Lines that cannot be used are told with their number, and the rest goes on; the same
file may be sent again.

Sends to the server with EASEL_API_KEY, which needs catalogs.get and catalogs.replace_items; with --create also
catalogs.create.

  --create     make the catalog when it is not there, with a field for each column; its type fits the first lines
  --plan       write nothing: columns with their fields and examples, and every line that cannot be used
  --map MAP    what columns become, HEADER=FIELD with commas between, for example "Key=id,Note=-"; - is for nothing. A
               header that is not named becomes the field of its name. May be given several times
  --from LINE  go on with this line, as a stop has told
  --url URL    the server; HOST and PORT of the environment when absent`,
  run,
}

type Filling = { shell: Shell; client: Client; name: string; run: Run; source: Source }

async function run(args: readonly string[], shell: Shell): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      create: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
      map: { type: 'string', multiple: true, default: [] },
      from: { type: 'string', default: '1' },
      url: { type: 'string' },
    },
  })
  const [name, path, ...more] = positionals
  if (name === undefined || path === undefined || more.length > 0)
    throw new UsageError('catalog takes a name and one file.')
  if (!isCatalogName(name)) throw new UsageError('a catalog has a name of letters, digits, hyphens and underscores.')
  if (!/^[1-9]\d{0,14}$/.test(values.from)) throw new UsageError('--from takes the number of a line.')
  const config = readConfig(shell.env)
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key that may write catalogs.')
  const client = openClient(values.url ?? originIn(config), config.apiKey)
  const source = await openSource(path, shell)
  const table = await openTable(source.text, values.map)
  const { columns, rows } = await columnsFor(name, table, { client, shell }, values)
  const filling = { shell, client, name, run: openRun(shell, 'items', Number(values.from)), source }
  const lines = linesIn(rows, columns)
  await (values.plan ? preview(columns, lines, filling) : fill(lines, filling)).finally(filling.run.close)
  return filling.run.ended && filling.run.refused === 0 ? 0 : 1
}

type Place = { readonly client: Client; readonly shell: Shell }
type Wish = { readonly create: boolean; readonly plan: boolean }

/** The columns as fields of the catalog, which is made when that is wanted. */
async function columnsFor(name: string, { headers, given, rows }: Table, place: Place, { create, plan }: Wish) {
  const { client, shell } = place
  const known = await findFields(name, client)
  if (known === undefined && !create) throw new UsageError(`there is no catalog ${name}; --create makes it.`)
  const samples = known === undefined ? await take(rows, guessedLinesMax) : []
  const fields = known ?? guessFields(headers, given, samples)
  if (typeof fields === 'string') throw new UsageError(`${fields}${hintFor(headers)}`)
  const columns = columnsIn(headers, given, fields)
  if (typeof columns === 'string') throw new UsageError(`${columns}${hintFor(headers)}`)
  if (known === undefined && !plan) {
    await ask(client, 'POST', '/catalogs', { catalogs: [{ name, description: '', fields }] })
    note(shell, `+ catalogs ${name}`)
  }
  return { columns, rows: joined(samples, rows) }
}

async function findFields(name: string, client: Client): Promise<readonly CatalogField[] | undefined> {
  const { catalogs } = await ask(client, 'GET', '/catalogs')
  return (catalogs as { name: string; fields: CatalogField[] }[]).find((each) => each.name === name)?.fields
}

async function take(rows: AsyncGenerator<CsvRecord>, count: number): Promise<CsvRecord[]> {
  const taken: CsvRecord[] = []
  while (taken.length < count) {
    const next = await rows.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}

async function* joined(first: readonly CsvRecord[], rest: AsyncGenerator<CsvRecord>): AsyncGenerator<CsvRecord> {
  yield* first
  yield* rest
}

async function* linesIn(rows: AsyncIterable<CsvRecord>, columns: readonly CatalogColumn[]): AsyncGenerator<ItemLine> {
  for await (const row of rows) yield itemLine(columns, row)
}

/** Writes everything of a file in batches, each with an id at most once. */
async function fill(lines: AsyncIterable<ItemLine>, filling: Filling): Promise<void> {
  const { run, source, shell } = filling
  let batch = new Map<string, { number: number; item: CatalogItem }>()
  let count = 0
  let last = run.next - 1
  const send = async (next: number): Promise<void> => {
    if (batch.size > 0) await sendBatch(batch, filling)
    run.done(batch.size, next, source.share())
    batch = new Map()
  }
  for await (const line of lines) {
    if (line.number < run.next) continue
    if (batch.size === itemsPerRequestMax || (line.problem === undefined && batch.has(line.item.id))) {
      await send(line.number)
      if (run.stopping) break
    }
    count++
    last = line.number
    if (line.problem === undefined) batch.set(line.item.id, line)
    else run.refuse(line.number, line.problem)
  }
  if (!run.stopping) {
    await send(last + 1)
    run.ended = true
  }
  run.close()
  note(shell, `${written(count - run.refused)} of ${written(count)} lines written, ${written(run.refused)} refused.`)
}

type Refusal = { readonly message: string; readonly parameter_values: readonly unknown[] }

/** Sends a batch; items that the server refuses are told, and the others sent without them. */
async function sendBatch(
  batch: Map<string, { number: number; item: CatalogItem }>,
  { client, name, run }: Filling,
): Promise<void> {
  while (batch.size > 0) {
    const items = [...batch.values()].map(({ item }) => item)
    const { status, body } = await client.send('PUT', `/catalogs/${name}/items`, { items })
    if (status === 202) return
    const refusals = status === 400 ? ((body.errors ?? []) as Refusal[]) : []
    const before = batch.size
    for (const { message, parameter_values: about } of refusals) {
      const line = batch.get(String(about[0]))
      if (line === undefined) continue
      run.refuse(line.number, message)
      batch.delete(line.item.id)
    }
    if (batch.size === before) throw refused(client, status, body)
  }
}

/** Says what a file would become, and sends nothing. */
async function preview(columns: readonly CatalogColumn[], lines: AsyncIterable<ItemLine>, { run, shell }: Filling) {
  const samples = columns.map((): string[] => [])
  let count = 0
  for await (const line of lines) {
    if (line.number < run.next) continue
    count++
    if (line.problem !== undefined) {
      run.refuse(line.number, line.problem)
      continue
    }
    for (const [i, { field }] of columns.entries()) {
      const value = field === undefined ? undefined : line.item[field.name]
      const shown = value === undefined ? '' : JSON.stringify(value).slice(0, sampleCharactersMax)
      if (shown !== '' && samples[i]!.length < samplesMax && !samples[i]!.includes(shown)) samples[i]!.push(shown)
    }
  }
  run.ended = true
  run.close()
  const width = Math.max(...columns.map(({ header }) => header.length))
  for (const [i, { header, field }] of columns.entries()) {
    const target = field === undefined ? 'left out' : `${field.name} (${field.type})`
    say(shell, `  ${header.padEnd(width)}  ${target.padEnd(width + 10)}  ${samples[i]!.join(' ')}`.trimEnd())
  }
  say(shell, `${written(count)} lines, ${written(run.refused)} of them cannot be used.`)
}

async function ask(client: Client, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await client.send(method, path, body)
  if (answer.status >= 300) throw refused(client, answer.status, answer.body)
  return answer.body
}

function refused({ origin }: Client, status: number, body: Record<string, unknown>): Failure {
  const [first] = (body.errors ?? []) as Refusal[]
  return new Failure('invalid', `the server at ${origin} answered ${status}: ${first?.message ?? body.message}`)
}
