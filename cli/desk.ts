import { createEntry, endEntry, listEntries } from '../src/admin/entries.ts'
import { members } from '../src/admin/members.ts'
import { type PeoplePage, readPeople } from '../src/admin/people.ts'
import type { Line } from '../src/admin/people-lines.ts'
import { type Restored, restorePeople } from '../src/admin/restore.ts'
import type { Call } from '../src/base/call.ts'
import type { Config } from '../src/base/config.ts'
import { FolderInUse } from '../src/base/db/folder-lock.ts'
import { Failure } from '../src/base/errors.ts'
import { bodyBytesMax } from '../src/base/http/body.ts'
import { type Applied, applyFile, planFile } from '../src/workspace/apply.ts'
import type { WorkspaceFile } from '../src/workspace/file.ts'
import { keysMember } from '../src/workspace/keys.ts'
import type { Member } from '../src/workspace/member.ts'
import { type Mistake, refused } from '../src/workspace/mistake.ts'
import { type Client, openClient, originIn } from './client.ts'
import { withCall } from './ground.ts'

type Shown = Record<string, unknown>

/** Where configuration and people are changed: the database itself, or the server that holds it. Both do the same. */
export type Desk = {
  apply(file: WorkspaceFile, plan: boolean, workspace?: string): Promise<Applied>
  list(member: Member, workspace?: string): Promise<Shown[]>
  createKey(key: Shown, workspace?: string): Promise<Shown>
  deleteKey(id: string, workspace?: string): Promise<void>
  /** Bytes that one line of people may have. */
  readonly lineBytesMax: number
  readPeople(after: string | undefined, workspace?: string): Promise<PeoplePage>
  writePeople(lines: readonly Line[], plan: boolean, workspace?: string): Promise<Restored>
}

/** Works on the database when nobody holds it, else through the running server; with `url` always through that server. */
export async function atDesk<T>(config: Config, url: string | undefined, work: (desk: Desk) => Promise<T>): Promise<T> {
  if (url !== undefined) return work(serverDesk(config, url, 'it is asked'))
  if (config.databaseUrl === undefined && config.dataDir === 'memory') {
    return work(serverDesk(config, originIn(config), 'EASEL_DATA=memory is inside the running server'))
  }
  try {
    return await withCall(config, (call) => work(databaseDesk(call)))
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    return work(serverDesk(config, originIn(config), `${config.dataDir} is in use by a running server`))
  }
}

function databaseDesk(call: Call): Desk {
  return {
    apply: (file, plan, workspace) =>
      plan ? planFile(call.db, members, file, workspace) : applyFile(call.db, call.clock, members, file, workspace),
    list: (member, workspace) => listEntries(call, member, workspace),
    createKey: (key, workspace) => createEntry(call, keysMember, key, workspace),
    deleteKey: (id, workspace) => endEntry(call, keysMember, id, workspace),
    lineBytesMax: Number.POSITIVE_INFINITY,
    readPeople: (after, workspace) => readPeople(call, after, workspace),
    writePeople: (lines, plan, workspace) => restorePeople(call, { lines }, plan, workspace),
  }
}

function serverDesk(config: Config, origin: string, why: string): Desk {
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
      return (await ask(client, 'POST', `/admin/apply${query}`, bodyOf(file), file)) as Applied
    },
    async list(member, workspace) {
      return (await ask(client, 'GET', `/admin/${member.path}${queryOf({ workspace })}`))[member.path] as Shown[]
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
  if (file && mistakes.length > 0) throw refused(file.source, mistakes, file.locate)
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
