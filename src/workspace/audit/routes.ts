import type { Call } from '../../base/call.ts'
import { defineTagged } from '../../base/http/etag.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { listWorkspaces } from '../settings/store.ts'
import { readAudit, readAuditEntry, type WorkspaceIds } from './read.ts'
import { AuditOneReply, AuditQuery, AuditReply } from './schema.ts'

const admin = { permission: 'admin', ability: 'audit.read', errors: 'standard', method: 'GET' } as const
const path = '/admin/audit'

/** The audit can only be read: there is no route to change or delete a row. */
export const auditRoutes: readonly Route[] = [
  defineRoute({
    ...admin,
    path,
    summary: 'List administrative changes with their authors, newest first.',
    query: AuditQuery,
    reply: { 200: AuditReply },
    handle: async (call, { query }) => readAudit(call, query, await readWorkspaceIds(call)),
  }),
  defineTagged({
    ...admin,
    path: `${path}/{id}`,
    summary: 'Read one administrative change with all recorded data.',
    reply: { 200: AuditOneReply },
    handle: async (call, { params }) => readAuditEntry(call, params.id!, await readWorkspaceIds(call)),
  }),
]

async function readWorkspaceIds({ db }: Call): Promise<WorkspaceIds> {
  return new Map((await listWorkspaces(db)).map(({ workspace_id, id }) => [workspace_id, id]))
}
