import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Failure } from '../src/base/errors.ts'
import { configSections } from '../src/config-sections.ts'
import { parseFile } from '../src/workspace/file/parse.ts'
import { mistakesToFailure } from '../src/workspace/settings/mistake.ts'
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
  await ask(admin, '/admin/workspace', { id, name: id })
  const query = `?workspace=${encodeURIComponent(id)}`
  const key = { name: 'Emulator', permissions: ['*'], allowed_ips: [] }
  const made = await ask(admin, `/admin/keys${query}`, key)
  return { id, api_key: String((made.key as { key: string }).key) }
}

async function applyFile(admin: Client, path: string): Promise<void> {
  const file = parseFile(await readFile(path, 'utf8'), path, configSections)
  if (file.mistakes.length > 0) throw mistakesToFailure(file.source, file.mistakes, file.locate)
  const { parse } = await import('yaml')
  await ask(admin, '/admin/apply', parse(await readFile(path, 'utf8')))
}

async function trackFile(client: Client, path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  let attributes: unknown[] = []
  for (const [i, line] of lines.entries()) {
    if (line.trim() !== '') {
      const object = parsed(line, `${path}:${i + 1}`)
      const isRequest = ['attributes', 'events', 'purchases'].some((name) => Array.isArray(object[name]))
      if (isRequest) await track(client, object, `${path}:${i + 1}`)
      else attributes.push(object)
    }
    if (attributes.length === batch || (i === lines.length - 1 && attributes.length > 0)) {
      await track(client, { attributes }, `${path}, up to line ${i + 1}`)
      attributes = []
    }
  }
}

async function track(client: Client, body: object, at: string): Promise<void> {
  const answer = await client.send('POST', '/users/track', body)
  const [error] = (answer.body.errors ?? []) as { input_array: string; index: number; type: string }[]
  if (answer.status === 201 && !error) return
  const text = error ? `${error.input_array}[${error.index}]: ${error.type}` : String(answer.body.message)
  throw new Failure('invalid', `${at}: ${text}`)
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

async function ask(client: Client, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await client.send('POST', path, body)
  if (answer.status < 300) return answer.body
  const errors = answer.body.errors as readonly unknown[] | undefined
  throw new Failure('invalid', String(answer.body.message), errors ? { errors } : {})
}
