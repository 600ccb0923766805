import type { Config } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { bodyBytesMax } from '../src/base/http/body.ts'
import type { PeoplePage } from '../src/people/backup/read-backup.ts'
import type { RestoreReply } from '../src/people/backup/restore-people.ts'
import type { ApplyResult } from '../src/workspace/file/apply.ts'
import type { WorkspaceFile } from '../src/workspace/file/check-file.ts'
import { type Mistake, mistakesToFailure } from '../src/workspace/settings/mistake.ts'
import type { AdminAccess, JsonObject } from './admin-access.ts'
import { type Client, openClient } from './client.ts'

/** Returns access through the server at `origin`. `why` is the reason for the error when no admin token is set. */
export function serverAccess(config: Config, origin: string, why: string): AdminAccess {
  if (config.adminToken === undefined) {
    throw new Failure(
      'conflict',
      `${why}: set EASEL_ADMIN_TOKEN to the admin token of the server at ${origin}, or stop that server first`,
    )
  }
  const client = openClient(origin, config.adminToken, 0)
  // Reading people, and writing the same people again, changes nothing, so these requests are retried.
  const retryingClient = openClient(origin, config.adminToken)
  return {
    async apply(file, plan, workspace) {
      const query = queryOf({ workspace, plan: plan ? 'true' : undefined })
      return (await request(client, 'POST', `/admin/apply${query}`, bodyOf(file), file)) as ApplyResult
    },
    async list(path, workspace) {
      return (await request(client, 'GET', `/admin/${path}${queryOf({ workspace })}`))[path] as JsonObject[]
    },
    async createKey(key, workspace) {
      return (await request(client, 'POST', `/admin/keys${queryOf({ workspace })}`, key)).key as JsonObject
    },
    async deleteKey(id, workspace) {
      await request(client, 'DELETE', `/admin/keys/${encodeURIComponent(id)}${queryOf({ workspace })}`)
    },
    lineBytesMax: bodyBytesMax - Buffer.byteLength('{"lines":[]}'),
    async readPeople(after, workspace) {
      return (await request(retryingClient, 'GET', `/admin/people${queryOf({ workspace, after })}`)) as PeoplePage
    },
    async writePeople(lines, plan, workspace) {
      const query = queryOf({ workspace, plan: plan ? 'true' : undefined })
      return (await request(retryingClient, 'POST', `/admin/people${query}`, { lines })) as RestoreReply
    },
  }
}

async function request(
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
    {
      errors: mistakes,
    },
  )
}

/** Returns a parsed workspace file as the body of a request. */
function bodyOf({ head, settings, unset, entries }: WorkspaceFile): JsonObject {
  const cleared = Object.fromEntries(unset.map((name) => [name, null]))
  return { ...(head && { workspace: head }), settings: { ...settings, ...cleared }, ...Object.fromEntries(entries) }
}

function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
