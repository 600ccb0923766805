import type { Config } from '../src/base/config.ts'
import { bodyBytesMax } from '../src/base/http/body.ts'
import type { PeoplePage } from '../src/people/backup/read-backup.ts'
import type { RestoreReply } from '../src/people/backup/restore-people.ts'
import type { ApplyResult } from '../src/workspace/file/apply.ts'
import type { AdminAccess, JsonObject, NamedWorkspace } from './admin-access.ts'
import { adminTokenOf, askAdmin, queryOf } from './ask-admin.ts'
import { openClient } from './client.ts'

/** Returns access through the server at `origin`. `why` is the reason for the error when no admin token is set. */
export function serverAccess(config: Config, origin: string, why: string): AdminAccess {
  const token = adminTokenOf(config, origin, why)
  const client = openClient(origin, token, 0)
  // Reading people, and writing the same people again, changes nothing, so these requests are retried.
  const retryingClient = openClient(origin, token)
  return {
    async apply(file, plan, workspace) {
      const query = queryOf({ workspace, plan: plan ? 'true' : undefined })
      return (await askAdmin(client, 'POST', `/admin/apply${query}`, file.given, file)) as ApplyResult
    },
    async list(path, workspace) {
      return (await askAdmin(client, 'GET', `/admin/${path}${queryOf({ workspace })}`))[path] as JsonObject[]
    },
    async listWorkspaces() {
      return (await askAdmin(client, 'GET', '/admin/workspace')).workspaces as NamedWorkspace[]
    },
    async readSettings(workspace) {
      return (await askAdmin(client, 'GET', `/admin/settings${queryOf({ workspace })}`)).set as JsonObject
    },
    async createKey(key, workspace) {
      return (await askAdmin(client, 'POST', `/admin/keys${queryOf({ workspace })}`, key)).key as JsonObject
    },
    async deleteKey(id, workspace) {
      await askAdmin(client, 'DELETE', `/admin/keys/${encodeURIComponent(id)}${queryOf({ workspace })}`)
    },
    lineBytesMax: bodyBytesMax - Buffer.byteLength('{"lines":[]}'),
    async readPeople(after, workspace) {
      return (await askAdmin(retryingClient, 'GET', `/admin/people${queryOf({ workspace, after })}`)) as PeoplePage
    },
    async writePeople(lines, plan, workspace) {
      const query = queryOf({ workspace, plan: plan ? 'true' : undefined })
      return (await askAdmin(retryingClient, 'POST', `/admin/people${query}`, { lines })) as RestoreReply
    },
  }
}
