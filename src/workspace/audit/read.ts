import type { Call } from '../../base/call.ts'
import { invalid, notFound } from '../../base/errors.ts'
import { readInstant, readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { type AuditEntry, type AuditReply, auditPageDefault, auditPageMax, listedCharactersMax } from './schema.ts'
import { type AuditFilter, type AuditRow, findAuditRow, type KindAndId, listAuditRows } from './store.ts'

/** The public ids of workspaces by `workspace_id`. */
export type WorkspaceIds = ReadonlyMap<number, string>

const textCharactersMax = 500
const idMax = 2n ** 63n - 1n

/** Reads a page of audit rows that match the query, newest first. */
export async function readAudit({ db }: Call, query: Query, workspaces: WorkspaceIds): Promise<AuditReply> {
  const filter = readFilter(query, workspaces)
  const limit = readLimit(query, auditPageDefault, auditPageMax)
  const rows = await listAuditRows(db, filter, readCursor(query), limit + 1, listedCharactersMax)
  const page = rows.slice(0, limit)
  return {
    audit: page.map((row) => toAuditEntry(row, workspaces)),
    ...(rows.length > limit && { cursor: Buffer.from(page.at(-1)!.audit_id).toString('base64url') }),
  }
}

/** Reads one audit row with its complete `before` and `after`. Throws 404. */
export async function readAuditEntry(
  { db }: Call,
  id: string,
  workspaces: WorkspaceIds,
): Promise<{ entry: AuditEntry }> {
  const row = isId(id) ? await findAuditRow(db, id) : undefined
  if (!row) throw notFound(`There is no entry ${JSON.stringify(id)}`)
  return { entry: toAuditEntry(row, workspaces) }
}

function readFilter(query: Query, workspaces: WorkspaceIds): AuditFilter {
  return {
    workspace_id: readWorkspace(query, workspaces),
    actor: readKindAndId(query, 'actor'),
    target: readKindAndId(query, 'target'),
    action: readText(query, 'action'),
    kind: readText(query, 'kind'),
    request_id: readText(query, 'request_id')?.toLowerCase(),
    sinceMs: readInstant(query, 'since'),
    untilMs: readInstant(query, 'until'),
  }
}

function readWorkspace(query: Query, workspaces: WorkspaceIds): number | undefined {
  const given = readNonEmpty(query, 'workspace')
  if (given === undefined) return undefined
  const found = workspaces.entries().find(([, id]) => id === given)
  if (!found) throw notFound(`There is no workspace ${JSON.stringify(given)}`)
  return found[0]
}

/** Reads a kind such as `segment`, or a kind and an id such as `segment:spring`. */
function readKindAndId(query: Query, name: string): KindAndId | undefined {
  const given = readText(query, name)
  if (given === undefined) return undefined
  const at = given.indexOf(':')
  return at < 0 ? { kind: given, id: undefined } : { kind: given.slice(0, at), id: given.slice(at + 1) }
}

function readText(query: Query, name: string): string | undefined {
  const given = readNonEmpty(query, name)
  if (given !== undefined && (given.length > textCharactersMax || given.includes('\0') || !given.isWellFormed())) {
    throw invalid(`'${name}' must be a text of at most ${textCharactersMax} characters`)
  }
  return given
}

function readCursor(query: Query): string | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const id = Buffer.from(given, 'base64url').toString('latin1')
  if (!isId(id)) throw invalid("'cursor' is not valid")
  return id
}

function isId(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt(text) <= idMax
}

function toAuditEntry(row: AuditRow, workspaces: WorkspaceIds): AuditEntry {
  const { audit_id, kind, time, workspace_id, ip, request_id, action, before, after, is_cut } = row
  return {
    id: audit_id,
    kind,
    at: time.toISOString(),
    workspace: workspace_id === null ? null : (workspaces.get(workspace_id) ?? null),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    from: { ip, request_id },
    action,
    target: { kind: row.target_kind, id: row.target_id, name: row.target_name },
    before,
    after,
    ...(is_cut && { is_cut }),
  }
}
