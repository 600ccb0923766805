import type { Config } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { bodyBytesMax } from '../src/base/http/body.ts'
import type { PeoplePage } from '../src/people/backup/people.ts'
import type { Restored } from '../src/people/backup/restore.ts'
import type { ApplyResult } from '../src/workspace/file/apply.ts'
import type { WorkspaceFile } from '../src/workspace/file/check-file.ts'
import { type Mistake, mistakesToFailure } from '../src/workspace/settings/mistake.ts'
import { type Client, openClient } from './client.ts'
import type { Desk, Shown } from './desk.ts'

/** Asks the server at `origin`; `why` says to somebody without a token what it is needed for. */
export function serverDesk(config: Config, origin: string, why: string): Desk {
  if (config.adminToken === undefined) {
    throw new Failure(
      'conflict',
      `${why}: set EASEL_ADMIN_TOKEN to its admin token, and it is asked at ${origin}; or stop it first`,
    )
  }
  const client = openClient(origin, config.adminToken, 0)
  // Reading changes nothing, and the same people again neither: a busy or restarting server is asked again.
  const patient = openClient(origin, config.adminToken)
  return {
    async apply(file, plan, workspace) {
      const query = queryOf({ workspace, plan: plan ? 'true' : undefined })
      return (await ask(client, 'POST', `/admin/apply${query}`, bodyOf(file), file)) as ApplyResult
    },
    async list(path, workspace) {
      return (await ask(client, 'GET', `/admin/${path}${queryOf({ workspace })}`))[path] as Shown[]
    },
    async createKey(key, workspace) {
      return (await ask(client, 'POST', `/admin/keys${queryOf({ workspace })}`, key)).key as Shown
    },
    async deleteKey(id, workspace) {
      await ask(client, 'DELETE', `/admin/keys/${encodeURIComponent(id)}${queryOf({ workspace })}`)
    },
    lineBytesMax: bodyBytesMax - Buffer.byteLength('{"lines":[]}'),
    async readPeople(after, workspace) {
      return (await ask(patient, 'GET', `/admin/people${queryOf({ workspace, after })}`)) as PeoplePage
    },
    async writePeople(lines, plan, workspace) {
      const query = queryOf({ workspace, plan: plan ? 'true' : undefined })
      return (await ask(patient, 'POST', `/admin/people${query}`, { lines })) as Restored
    },
  }
}

async function ask(client: Client, method: string, path: string, body?: unknown, file?: WorkspaceFile): Promise<Shown> {
  const answer = await client.send(method, path, body)
  if (answer.status < 300) return answer.body
  const { message = `the server at ${client.origin} answered ${answer.status}`, errors = [] } = answer.body
  const mistakes = errors as Mistake[]
  if (file && mistakes.length > 0) throw mistakesToFailure(file.source, mistakes, file.locate)
  throw new Failure(
    'invalid',
    answer.status === 401 ? `${message}: EASEL_ADMIN_TOKEN is not its token` : String(message),
    {
      errors: mistakes,
    },
  )
}

/** A file that has been read, as the body of a request. */
function bodyOf({ head, settings, unset, entries }: WorkspaceFile): Shown {
  const cleared = Object.fromEntries(unset.map((name) => [name, null]))
  return { ...(head && { workspace: head }), settings: { ...settings, ...cleared }, ...Object.fromEntries(entries) }
}

function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
