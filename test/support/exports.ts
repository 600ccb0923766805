import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import type { Item } from './people.ts'

/** Returns a segment of the people whose custom attribute `name` is `value`. */
export function segmentOf(id: string, name: string, value: string | number, comparison = 'equals'): Item {
  return { id, name: id, audience: { custom_attribute: { custom_attribute_name: name, comparison, value } } }
}

/** Returns the path and query of a link: tests listen on another origin than the links have. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** Returns the names of export files. Each must have a file with the ids of its people. */
export function objectsAmong(names: readonly string[]): string[] {
  const objects = names.filter((name) => !name.endsWith('.ids'))
  assert.deepEqual(names.toSorted(), [...objects, ...objects.map((name) => `${name}.ids`)].toSorted())
  return objects
}

export type Download = { readonly status: number; readonly headers: Headers; readonly bytes: Buffer }

/** Downloads a link from the service that listens at `origin`. */
export async function download(origin: string, url: string): Promise<Download> {
  const response = await fetch(origin + pathOf(url))
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** Returns the lines of each file of an export, by its name. */
export function filesIn(bytes: Buffer, format: 'zip' | 'gzip' = 'zip'): Record<string, Item[]> {
  if (format === 'gzip') return { all: linesIn(gunzipSync(bytes)) }
  return Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, file]) => [name, linesIn(Buffer.from(file))]))
}

function linesIn(file: Buffer): Item[] {
  const text = file.toString()
  assert.ok(text === '' || text.endsWith('\n'), 'a file ends with its last line')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** An export in the form of `GET /admin/exports`. */
export type Entry = {
  readonly object_prefix: string
  readonly segment_id: string
  readonly state: string
  readonly people: number
  readonly people_in_all: number | null
  readonly files: number
  readonly bytes: number
  readonly failure: string | null
  readonly url: string | null
  readonly callback: {
    readonly state: string | null
    readonly attempts: number
    readonly failure: string | null
  } | null
  readonly [member: string]: unknown
}

const overMsMax = 240_000
/** Each poll costs time that the export needs, so polls get rarer. */
const pauseMsMax = 160

/** Waits until the export of this answer has ended and its callback was called. `read` returns a page of exports. */
export async function overOf(object_prefix: string, read: () => Promise<readonly Entry[]>): Promise<Entry> {
  const givenUpAt = performance.now() + overMsMax
  for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    const entry = (await read()).find((each) => each.object_prefix === object_prefix)
    assert.ok(entry, 'the export is listed')
    const isOver = entry.state === 'done' || entry.state === 'failed'
    if (isOver && entry.callback?.state !== 'waiting') return entry
    assert.ok(performance.now() < givenUpAt, `an export ends in time: ${JSON.stringify(entry)}`)
    await new Promise((resume) => setTimeout(resume, pauseMs))
  }
}

export type Called = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Item }

/** Starts a server for callbacks on a free port. Its next answers have the given statuses, then 200. */
export async function openListener() {
  const calls: Called[] = []
  const statuses: number[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat((await Array.fromAsync(request)) as Buffer[]).toString()
    calls.push({ path: `${request.method} ${request.url}`, headers: request.headers, body: JSON.parse(body) })
    response.writeHead(statuses.shift() ?? 200).end('thanks')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    port,
    calls,
    /** The statuses of the next answers. */
    answer: (...next: number[]) => statuses.push(...next),
    to: (path: string) => calls.filter((call) => call.path === `POST ${path}`),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
