import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict, invalid, notFound } from '../../base/errors.ts'
import { members } from '../../members.ts'
import { recordAudit } from '../audit/record.ts'
import { lockVersion, raiseVersion } from '../settings/store.ts'
import { type Applied, applyFile, getWorkspace, planFile } from './apply.ts'
import type { Entry, Member } from './config-section.ts'
import { checkFile, type WorkspaceFile } from './file.ts'
import type { Change } from './plan.ts'

type Shown = Record<string, unknown>

/** A request's body as a workspace file. Throws a 400 with every mistake. */
export function fileOf(body: unknown): WorkspaceFile {
  return checkFile(body, '', () => undefined, members)
}

/** A request's body as a workspace file with nothing but this entry: its mistakes are named by their places in the body. Throws 400. */
function entryOf(member: Member, body: unknown): WorkspaceFile {
  return checkFile({ [member.name]: [body] }, '', () => undefined, members, `${member.name}[0]`)
}

/** Applies a request's body as a workspace file; `workspace` is the id from `?workspace=`. */
export function applyBody(call: Call, body: unknown, workspace?: string): Promise<Applied> {
  return applyFile(call, members, fileOf(body), workspace)
}

/** What `applyBody` would change. */
export function planBody(call: Call, body: unknown, workspace?: string): Promise<Applied> {
  return planFile(call.db, members, fileOf(body), workspace)
}

export async function listEntries(call: Call, member: Member, workspace?: string): Promise<Shown[]> {
  const { workspace_id } = await getWorkspace(call.db, workspace)
  return (await member.list(call.db, workspace_id)).map((entry) => member.shown(entry))
}

export async function getEntry(call: Call, member: Member, id: string, workspace?: string): Promise<Shown> {
  return member.shown(await getStored(call, member, id, workspace))
}

/** A new entry: a file with nothing else in it. Throws 409 when there is one with this id or name. */
export async function createEntry(call: Call, member: Member, body: unknown, workspace?: string): Promise<Shown> {
  const file = entryOf(member, body)
  const onlyNew = ([change]: readonly Change[]) => {
    if (change?.action === 'create') return
    throw conflict(`There is one with this ${(body as Shown).id === undefined ? 'name' : 'id'} already`)
  }
  const { changes, secrets } = await applyFile(call, members, file, workspace, onlyNew)
  const shown = await getEntry(call, member, changes[0]!.id, workspace)
  return secrets[0] === undefined ? shown : { ...shown, key: secrets[0].key }
}

/** Changes what the body names and leaves the rest. Throws 404. */
export async function updateEntry(
  call: Call,
  member: Member,
  id: string,
  body: unknown,
  workspace?: string,
): Promise<Shown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('The body must be an object')
  const stored = member.shown(await getStored(call, member, id, workspace))
  const names = Object.keys(member.shape.properties).filter((name) => name in stored)
  const known = Object.fromEntries(names.map((name) => [name, stored[name]]))
  if ('id' in body && body.id !== id) throw invalid('An id cannot be changed')
  await applyFile(call, members, entryOf(member, { ...known, ...body }), workspace)
  return getEntry(call, member, id, workspace)
}

/** Throws 404. */
export async function endEntry(call: Call, member: Member, id: string, workspace?: string): Promise<void> {
  await call.db.transaction(async (tx) => {
    await lockVersion(tx)
    const { workspace_id } = await getWorkspace(tx, workspace)
    const before = await findShown(tx, member, id, workspace_id)
    if (!(await member.end(tx, workspace_id, id, new Date(call.clock.now())))) throw missing(member, id)
    // Some are archived and stay in their list.
    const after = await findShown(tx, member, id, workspace_id)
    const action = `${member.one}.${after ? 'archive' : 'delete'}`
    const target = { kind: member.one, id, ...(before && { name: String(before.name) }) }
    await recordAudit(tx, call, { action, target, ...(before && { before }), ...(after && { after }), workspace_id })
    await raiseVersion(tx)
  })
}

async function findShown(tx: Tx, member: Member, id: string, workspace_id: number): Promise<Shown | undefined> {
  const found = (await member.list(tx, workspace_id)).find((entry) => entry.id === id)
  return found && member.shown(found)
}

async function getStored(call: Call, member: Member, id: string, workspace?: string): Promise<Entry> {
  const { workspace_id } = await getWorkspace(call.db, workspace)
  const found = (await member.list(call.db, workspace_id)).find((entry) => entry.id === id)
  if (!found) throw missing(member, id)
  return found
}

function missing(member: Member, id: string) {
  return notFound(`There is no ${member.one} ${JSON.stringify(id)}`)
}
