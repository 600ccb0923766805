import { readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { isCatalogName } from '../src/content/catalogs/read-items.ts'
import { itemsPerRequestMax } from '../src/content/catalogs/schema.ts'
import {
  type CatalogColumn,
  type CatalogField,
  type CatalogItem,
  guessFields,
  type ItemLine,
  itemLine,
  mapCatalogColumns,
} from './catalog-columns.ts'
import { type Client, openClient, originIn } from './client.ts'
import { note, type Outcome, type Shell, UsageError, type Verb } from './command.ts'
import type { CsvRecord } from './csv.ts'
import { type CsvTable, openCsvTable } from './csv-table.ts'
import { type FileRun, openFileRun, outcomeOf } from './file-run.ts'
import { encodingOption, lineOption, repeatedOption, urlOption } from './options.ts'
import { formatCount } from './progress.ts'
import { openSource, type Source } from './source.ts'

/** The most lines from which the types of new fields are guessed. */
const guessedLinesMax = 1_000
/** The most values of a column in a preview, and the most characters of each. */
const samplesMax = 3
const sampleCharactersMax = 40

type Options = {
  readonly create?: boolean
  readonly plan?: boolean
  readonly map?: readonly string[]
  readonly from?: number
  readonly encoding?: string
  readonly url?: string
}

export const catalogVerb: Verb<Options> = {
  description: `Write the items of a CSV file to a catalog. Each line is an item: new items are created, existing ones replaced, all
others kept. The first line has the headers. An empty cell is an absent value. Numbers, booleans and times are converted to the types of
their fields; objects, arrays and coordinates are JSON. Lines that cannot be used are reported with their number, and the others are
written. The same file can be written again.`,
  notes: `The command uses the server with EASEL_API_KEY, which needs catalogs.get and catalogs.replace_items, and
catalogs.create with --create.`,
  define: (command) => {
    command
      .argument('<name>', 'the name of the catalog')
      .argument('<file>', 'the CSV file; may be compressed with gzip; - is standard input')
      .option('--create', 'create the catalog if it does not exist, with a field for each column and guessed types')
      .option(
        '--plan',
        'write nothing; print the columns with their fields and examples, and every line that cannot be used',
      )
      .addOption(
        repeatedOption(
          '--map <map>',
          'the fields of columns, HEADER=FIELD separated by commas, such as "Key=id,Note=-"; - ignores a column; any other column is the ' +
            'field with the name of its header',
        ),
      )
      .addOption(lineOption())
      .addOption(encodingOption())
      .addOption(urlOption())
  },
  async run([name, path], options, shell) {
    if (!isCatalogName(name!))
      throw new UsageError('the name of a catalog has letters, digits, hyphens and underscores.')
    const { create = false, plan = false, map = [], from = 1, encoding, url } = options
    const config = readConfig(shell.env)
    if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key that may write catalogs.')
    const client = openClient(url ?? originIn(config), config.apiKey)
    const source = await openSource(path!, shell, encoding)
    const table = await openCsvTable(source.text, map)
    const { columns, rows } = await columnsFor(name!, table, { client, shell }, { create, plan })
    const filling = { shell, client, name: name!, run: openFileRun(shell, 'items', from), source }
    const lines = linesIn(rows, columns)
    return (plan ? preview(columns, lines, filling) : fill(lines, filling)).finally(filling.run.close)
  },
}

type FillJob = { shell: Shell; client: Client; name: string; run: FileRun; source: Source }

type CatalogContext = { readonly client: Client; readonly shell: Shell }
type FillOptions = { readonly create: boolean; readonly plan: boolean }

/** Maps the columns to fields of the catalog, which is created with `create`. */
async function columnsFor(
  name: string,
  { headers, given, rows }: CsvTable,
  { client, shell }: CatalogContext,
  { create, plan }: FillOptions,
) {
  const known = await findFields(name, client)
  if (known === undefined && !create) throw new UsageError(`there is no catalog ${name}; --create creates it.`)
  const samples = known === undefined ? await take(rows, guessedLinesMax) : []
  const fields = known ?? guessFields(headers, given, samples)
  if (typeof fields === 'string') throw new UsageError(fields)
  const columns = mapCatalogColumns(headers, given, fields)
  if (typeof columns === 'string') throw new UsageError(columns)
  if (known === undefined && !plan) {
    await request(client, 'POST', '/catalogs', { catalogs: [{ name, description: '', fields }] })
    note(shell, `+ catalogs ${name}`)
  }
  return { columns, rows: joined(samples, rows) }
}

async function findFields(name: string, client: Client): Promise<readonly CatalogField[] | undefined> {
  const { catalogs } = await request(client, 'GET', '/catalogs')
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

/** Writes the items of a file in batches in which no id occurs twice. */
async function fill(lines: AsyncIterable<ItemLine>, filling: FillJob): Promise<Outcome> {
  const { run, source, shell } = filling
  let batch = new Map<string, { number: number; item: CatalogItem }>()
  let count = 0
  let last = run.next - 1
  const send = async (next: number): Promise<void> => {
    if (batch.size > 0) await sendBatch(batch, filling)
    await run.done(batch.size, next, source.share())
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
  await run.close()
  const written = count - run.refused
  note(shell, `${formatCount(written)} of ${formatCount(count)} lines written, ${formatCount(run.refused)} refused.`)
  return outcomeOf(run, { written })
}

type Refusal = { readonly message: string; readonly parameter_values: readonly unknown[] }

/** Sends a batch. Reports the items that the server refuses and sends the others again without them. */
async function sendBatch(
  batch: Map<string, { number: number; item: CatalogItem }>,
  { client, name, run }: FillJob,
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

/** Describes what would be written, without sending it. */
async function preview(
  columns: readonly CatalogColumn[],
  lines: AsyncIterable<ItemLine>,
  { run }: FillJob,
): Promise<Outcome> {
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
      const sample = value === undefined ? '' : JSON.stringify(value).slice(0, sampleCharactersMax)
      if (sample !== '' && samples[i]!.length < samplesMax && !samples[i]!.includes(sample)) samples[i]!.push(sample)
    }
  }
  run.ended = true
  await run.close()
  const width = Math.max(...columns.map(({ header }) => header.length))
  const texts = columns.map(({ header, field }, i) => {
    const target = field === undefined ? 'ignored' : `${field.name} (${field.type})`
    return `  ${header.padEnd(width)}  ${target.padEnd(width + 10)}  ${samples[i]!.join(' ')}`.trimEnd()
  })
  const total = `${formatCount(count)} lines, ${formatCount(run.refused)} of them cannot be used.`
  const mapped = columns.map(({ header, field }, i) => ({ header, field: field ?? null, examples: samples[i]! }))
  return outcomeOf(run, { columns: mapped, lines: count }, [...texts, total].join('\n'))
}

async function request(client: Client, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await client.send(method, path, body)
  if (answer.status >= 300) throw refused(client, answer.status, answer.body)
  return answer.body
}

function refused({ origin }: Client, status: number, body: Record<string, unknown>): Failure {
  const [first] = (body.errors ?? []) as Refusal[]
  return new Failure('invalid', `the server at ${origin} answered ${status}: ${first?.message ?? body.message}`)
}
