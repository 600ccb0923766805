import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Failure } from '../src/base/errors.ts'
import { configSections } from '../src/config-sections.ts'
import { inputArrays } from '../src/people/intake/split-track.ts'
import { parseFile } from '../src/workspace/file/parse.ts'
import { mistakesToFailure } from '../src/workspace/settings/mistake.ts'
import { askAdmin } from './ask-admin.ts'
import { type Client, openClient } from './client.ts'
import { UsageError } from './command.ts'

/** Objects of one request to users/track. */
const batch = 50

export type Seeding = {
  readonly url: string
  readonly api_key: string
  readonly admin_token: string
  /** Ids of workspaces to create. */
  readonly workspaces: readonly string[]
  readonly files: readonly string[]
}

export type SeededWorkspace = { readonly id: string; readonly api_key: string }

/** Creates workspaces and applies files, over the interface. Returns the workspaces with their keys. */
export async function seedEmulator({
  url,
  api_key,
  admin_token,
  workspaces,
  files,
}: Seeding): Promise<SeededWorkspace[]> {
  const admin = openClient(url, admin_token)
  const created: SeededWorkspace[] = []
  for (const id of workspaces) created.push(await createWorkspace(admin, id))
  for (const file of files) {
    if (/\.(ya?ml|json)$/i.test(file)) await applyFile(admin, file)
    else if (extname(file).toLowerCase() === '.jsonl') await trackFile(openClient(url, api_key), file)
    else throw new UsageError(`--seed: ${file} must be a workspace file (.yaml, .yml, .json) or people (.jsonl)`)
  }
  return created
}

/** Creates a workspace with a key that may do everything. */
async function createWorkspace(admin: Client, id: string): Promise<SeededWorkspace> {
  await askAdmin(admin, 'POST', '/admin/workspace', { id, name: id })
  const query = `?workspace=${encodeURIComponent(id)}`
  const key = { name: 'Emulator', permissions: ['*'], allowed_ips: [] }
  const made = await askAdmin(admin, 'POST', `/admin/keys${query}`, key)
  return { id, api_key: String((made.key as { key: string }).key) }
}

async function applyFile(admin: Client, path: string): Promise<void> {
  const file = parseFile(await readFile(path, 'utf8'), path, configSections)
  if (file.mistakes.length > 0) throw mistakesToFailure(file.source, file.mistakes, file.locate)
  await askAdmin(admin, 'POST', '/admin/apply', file.given, file)
}

async function trackFile(client: Client, path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  let attributes: unknown[] = []
  /** Where each of them stands. */
  let places: string[] = []
  for (const [i, line] of lines.entries()) {
    const place = `${path}:${i + 1}`
    if (line.trim() !== '') {
      const object = parsed(line, place)
      const isRequest = inputArrays.some((name) => Array.isArray(object[name]))
      if (isRequest)
        await track(client, object, place, ({ input_array, index }) => `${place}: ${input_array}[${index}]`)
      else {
        attributes.push(object)
        places.push(place)
      }
    }
    if (attributes.length === batch || (i === lines.length - 1 && attributes.length > 0)) {
      const sent = places
      await track(client, { attributes }, `${path}, up to line ${i + 1}`, ({ index }) => sent[index] ?? path)
      attributes = []
      places = []
    }
  }
}

type TrackError = { readonly input_array: string; readonly index: number; readonly type: string }

/** Sends a request to users/track. Throws when it is refused, which stands `at`, or one of its objects, which `placeOf` finds. */
async function track(client: Client, body: object, at: string, placeOf: (error: TrackError) => string): Promise<void> {
  const answer = await client.send('POST', '/users/track', body)
  const [error] = (answer.body.errors ?? []) as readonly TrackError[]
  if (error) throw new Failure('invalid', `${placeOf(error)}: ${error.type}`)
  if (answer.status !== 201) throw new Failure('invalid', `${at}: ${answer.body.message}`)
}

function parsed(line: string, at: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // The error below names the line.
  }
  throw new Failure('invalid', `${at}: the line must be a JSON object`)
}
