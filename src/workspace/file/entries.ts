import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict, Failure, invalid, notFound } from '../../base/errors.ts'
import { contentTag, hasTag, refuseStale } from '../../base/http/etag.ts'
import type { Query, Request } from '../../base/http/route.ts'
import { recordAudit } from '../audit/record.ts'
import { getWorkspace } from '../settings/selected.ts'
import { lockConfig, raiseConfigVersion } from '../settings/store.ts'
import { type ApplyResult, applyFile, planFile } from './apply.ts'
import { checkFile, type WorkspaceFile } from './check-file.ts'
import type { ConfigEntry, ConfigSection } from './config-section.ts'
import type { ConfigChange } from './plan.ts'
import { refuseUsed } from './refuse-used.ts'

type Sections = readonly ConfigSection[]
type EntryReply = Record<string, unknown>

/** Reads the body of a request as a workspace file. Throws 400 when it is not an object. */
export function bodyToFile(sections: Sections, body: unknown): WorkspaceFile {
  return checkFile(body, '', () => undefined, sections)
}

/** Reads the body of a request as a file with this single entry. The paths of mistakes are those in the body. */
function entryToFile(sections: Sections, section: ConfigSection, body: unknown): WorkspaceFile {
  return checkFile({ [section.name]: [body] }, '', () => undefined, sections, `${section.name}[0]`)
}

/**
 * Applies the body of a request as a workspace file; `workspace` is the id in `?workspace=`. Throws 412 when `ifMatch` is not the tag of
 * what the file would change now.
 */
export function applyBody(
  call: Call,
  sections: Sections,
  body: unknown,
  workspace?: string,
  ifMatch?: string,
): Promise<ApplyResult> {
  const file = bodyToFile(sections, body)
  const fileAsPlanned = async (tx: Tx) => {
    if (ifMatch !== undefined && !hasTag(ifMatch, planTag(await planFile(tx, sections, file, workspace)))) {
      throw new Failure(
        'preconditionFailed',
        'The workspace has changed since the plan was made. Make the plan again, and look at what would change now.',
      )
    }
    return file
  }
  return applyFile(call, sections, fileAsPlanned, workspace)
}

/** Returns the tag of a plan. Notes do not count: they have numbers of people, which change all the time. */
export function planTag({ workspace, changes }: ApplyResult): string {
  return contentTag({ workspace, changes: changes.map(({ notes: _notes, ...change }) => change) })
}

/** Returns what `applyBody` would change. */
export function planBody(call: Call, sections: Sections, body: unknown, workspace?: string): Promise<ApplyResult> {
  return planFile(call.db, sections, bodyToFile(sections, body), workspace)
}

export async function listSectionEntries(
  call: Call,
  section: ConfigSection,
  workspace?: string,
): Promise<EntryReply[]> {
  const { workspace_id } = await getWorkspace(call.db, workspace)
  return (await section.list(call.db, workspace_id)).map((entry) => section.toReply(entry))
}

export async function getEntry(
  call: Call,
  section: ConfigSection,
  id: string,
  workspace?: string,
): Promise<EntryReply> {
  return section.toReply(await getStored(call.db, section, id, workspace))
}

/** Creates an entry. Throws 409 when its id or name is taken. */
export async function createEntry(
  call: Call,
  sections: Sections,
  section: ConfigSection,
  body: unknown,
  { workspace, query = {} }: { readonly workspace?: string | undefined; readonly query?: Query | undefined } = {},
): Promise<EntryReply> {
  // A body that is wrong is refused before the transaction.
  const given = entryToFile(sections, section, body)
  const file = async (tx: Tx) => {
    const prepared = await prepareWrite(tx, call, section, body, { workspace, query })
    return prepared === body ? given : entryToFile(sections, section, prepared)
  }
  const onlyNew = ([change]: readonly ConfigChange[]) => {
    if (change?.action === 'create') return
    throw conflict(`There is already one with this ${(body as EntryReply).id === undefined ? 'name' : 'id'}`)
  }
  const { changes, secrets } = await applyFile(call, sections, file, workspace, onlyNew)
  const entry = await getEntry(call, section, changes[0]!.id, workspace)
  return secrets[0] === undefined ? entry : { ...entry, [section.secret?.member ?? 'key']: secrets[0].key }
}

/** Changes the properties in the body and keeps the others. Throws 404, and 412 when `ifMatch` is not the tag of the answer to a read. */
export async function updateEntry(
  call: Call,
  sections: Sections,
  section: ConfigSection,
  id: string,
  body: unknown,
  {
    workspace,
    ifMatch,
    query = {},
  }: {
    readonly workspace?: string | undefined
    readonly ifMatch?: string | undefined
    readonly query?: Query | undefined
  },
): Promise<EntryReply> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('The body must be an object')
  if ('id' in body && body.id !== id) throw invalid('An id cannot be changed')
  const change = async (tx: Tx) => {
    const stored = section.toReply(await getStored(tx, section, id, workspace))
    refuseStale(ifMatch, { [section.one]: stored }, section.one)
    const names = Object.keys(section.shape.properties).filter((name) => name in stored)
    const known = Object.fromEntries(names.map((name) => [name, stored[name]]))
    const prepared = await prepareWrite(tx, call, section, { ...known, ...body, id }, { workspace, query })
    return entryToFile(sections, section, prepared)
  }
  await applyFile(call, sections, change, workspace)
  return getEntry(call, section, id, workspace)
}

/** Returns the entry to write. */
async function prepareWrite(
  tx: Tx,
  call: Call,
  { withWrite }: ConfigSection,
  body: unknown,
  { workspace, query }: { readonly workspace: string | undefined; readonly query: Query },
): Promise<unknown> {
  if (!withWrite || typeof body !== 'object' || body === null) return body
  const { workspace_id } = await getWorkspace(tx, workspace)
  return withWrite.prepare(tx, call, { workspace_id, given: body as EntryReply, query })
}

/** Deletes or archives an entry. Throws 404, and 409 while something uses it. `may`: what the caller may do; everything when absent. */
export async function endEntry(
  call: Call,
  sections: Sections,
  section: ConfigSection,
  id: string,
  { workspace, may }: { readonly workspace?: string | undefined; readonly may?: Request['may'] },
): Promise<void> {
  await call.db.transaction(async (tx) => {
    await lockConfig(tx)
    const { workspace_id } = await getWorkspace(tx, workspace)
    const before = await findReply(tx, section, id, workspace_id)
    await refuseUsed(tx, sections, { section, workspace_id, id }, may)
    if (!(await section.end(tx, workspace_id, id, new Date(call.clock.now())))) throw unknownEntry(section, id)
    // An archived entry stays in its list.
    const after = await findReply(tx, section, id, workspace_id)
    const action = `${section.one}.${after ? 'archive' : 'delete'}`
    const target = { kind: section.one, id, ...(before && { name: String(before.name) }) }
    await recordAudit(tx, call, { action, target, ...(before && { before }), ...(after && { after }), workspace_id })
    await raiseConfigVersion(tx)
  })
}

async function findReply(
  tx: Tx,
  section: ConfigSection,
  id: string,
  workspace_id: number,
): Promise<EntryReply | undefined> {
  const found = (await section.list(tx, workspace_id)).find((entry) => entry.id === id)
  return found && section.toReply(found)
}

async function getStored(tx: Tx, section: ConfigSection, id: string, workspace?: string): Promise<ConfigEntry> {
  const { workspace_id } = await getWorkspace(tx, workspace)
  const found = (await section.list(tx, workspace_id)).find((entry) => entry.id === id)
  if (!found) throw unknownEntry(section, id)
  return found
}

function unknownEntry(section: ConfigSection, id: string) {
  return notFound(`There is no ${section.one} ${JSON.stringify(id)}`)
}
