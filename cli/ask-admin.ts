import { type Config, readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import type { WorkspaceFile } from '../src/workspace/file/check-file.ts'
import { type Mistake, mistakesToFailure } from '../src/workspace/settings/mistake.ts'
import type { JsonObject } from './admin-access.ts'
import { type Client, openClient, originIn } from './client.ts'
import { type Shell, UsageError } from './command.ts'

/** Returns a client with the admin token, for verbs that need a running server. */
export function openAdminClient(shell: Shell, url: string | undefined, timeoutMs?: number): Client {
  const config = readConfig(shell.env)
  const origin = url ?? originIn(config)
  if (config.adminToken === undefined)
    throw new UsageError(`EASEL_ADMIN_TOKEN must be set to the admin token of the server at ${origin}.`)
  return openClient(origin, config.adminToken, 0, timeoutMs)
}

/** Returns the admin token for the server at `origin`. Throws with `why` it is needed when none is set. */
export function adminTokenOf({ adminToken }: Config, origin: string, why: string): string {
  if (adminToken !== undefined) return adminToken
  throw new Failure(
    'conflict',
    `${why}: set EASEL_ADMIN_TOKEN to the admin token of the server at ${origin}, or stop that server first`,
  )
}

/** Sends a request with the admin token. Throws a refusal, with the mistakes of `file` when it was about one. */
export async function askAdmin(
  client: Client,
  method: string,
  path: string,
  body?: unknown,
  file?: WorkspaceFile,
): Promise<JsonObject> {
  const answer = await client.send(method, path, body)
  if (answer.status < 300) return answer.body
  const { message = `the server at ${client.origin} answered ${answer.status}`, errors = [] } = answer.body
  const mistakes = errors as Mistake[]
  if (file && mistakes.length > 0) throw mistakesToFailure(file.source, mistakes, file.locate)
  throw new Failure(
    'invalid',
    answer.status === 401 ? `${message}: EASEL_ADMIN_TOKEN is not the admin token of this server` : String(message),
    { errors: mistakes },
  )
}

export function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
