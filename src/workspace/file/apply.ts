import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { newUuid } from '../../base/ids.ts'
import { type NewAuditEntry as AuditEntry, recordAudit } from '../audit/record.ts'
import { mistakesToFailure } from '../settings/mistake.ts'
import { getWorkspace } from '../settings/selected.ts'
import {
  insertWorkspace,
  listWorkspaces,
  lockConfig,
  raiseConfigVersion,
  updateWorkspace,
  type WorkspaceRow,
} from '../settings/store.ts'
import type { WorkspaceFile } from './check-file.ts'
import type { ConfigEntry, ConfigSection, NewSecret } from './config-section.ts'
import { type ConfigChange, type CurrentConfig, type Plan, plan } from './plan.ts'

export type ApplyResult = {
  workspace: { id: string; name: string }
  /** Empty when the workspace already matches the file. */
  changes: ConfigChange[]
  /** Keys that were generated. This is the only time that they are shown. */
  secrets: NewSecret[]
}

/** The part of a call that a write of configuration needs. */
export type WriteCall = Pick<Call, 'db' | 'clock' | 'actor'>

/** Makes a file from what is stored. It is called when no other write of configuration can come between. */
export type ReadFile = (tx: Tx) => Promise<WorkspaceFile>

/**
 * Applies a file to a workspace in one transaction. Entries and settings that are not in the file do not change. A file without head
 * applies to `workspace` (an id), or to the default workspace. Throws 400 with every mistake, 404 when `workspace` does not exist, and what
 * `checkChanges` throws. `createdMs`: what is new was created then; the audit has the time of the call.
 */
export async function applyFile(
  call: WriteCall,
  sections: readonly ConfigSection[],
  given: WorkspaceFile | ReadFile,
  workspace?: string,
  checkChanges: (changes: readonly ConfigChange[]) => void = () => undefined,
  createdMs = call.clock.now(),
): Promise<ApplyResult> {
  return call.db.transaction(async (tx) => {
    await lockConfig(tx)
    const file = typeof given === 'function' ? await given(tx) : given
    const stored = await findTarget(tx, file, workspace)
    const planned = planOrThrow(sections, await readCurrent(tx, sections, stored), file, newUuid)
    checkChanges(planned.changes)
    const { id, name } = planned.head
    if (planned.changes.length === 0) return { workspace: { id, name }, changes: [], secrets: [] }
    const { workspace_id, secrets } = await writePlan(tx, stored, planned, new Date(createdMs))
    await recordAudit(tx, call, ...planned.changes.map((change) => toAuditEntry(change, sections, workspace_id)))
    await raiseConfigVersion(tx)
    return { workspace: { id, name }, changes: planned.changes, secrets }
  })
}

/** Returns what `applyFile` would change. Ids that it would generate are `new 1`, `new 2`, ... */
export async function planFile(
  db: Tx,
  sections: readonly ConfigSection[],
  file: WorkspaceFile,
  workspace?: string,
): Promise<ApplyResult> {
  const stored = await findTarget(db, file, workspace)
  let generated = 0
  const planned = planOrThrow(sections, await readCurrent(db, sections, stored), file, () => `new ${++generated}`)
  return { workspace: planned.head, changes: await withNotes(db, planned), secrets: [] }
}

/** Adds the notes of the config sections to the changes of a plan. */
async function withNotes(tx: Tx, { changes, steps }: Plan): Promise<ConfigChange[]> {
  const noted = [...changes]
  for (const { section, create, update } of steps) {
    const onUpdate = update.length > 0 ? await section.notesOnUpdate?.(tx, update) : undefined
    const onCreate = create.flatMap((entry) => {
      const lines = section.notesOnCreate?.(entry) ?? []
      return lines.length > 0 ? [[entry.id, lines] as const] : []
    })
    const notes = new Map([...(onUpdate ?? []), ...onCreate])
    for (const [i, change] of noted.entries()) {
      const own = change.member === section.name ? notes.get(change.id) : undefined
      if (own) noted[i] = { ...change, notes: own }
    }
  }
  return noted
}

/** Returns the workspace to which the file applies; undefined when the file creates a new one. */
async function findTarget(tx: Tx, file: WorkspaceFile, workspace?: string): Promise<WorkspaceRow | undefined> {
  const { head } = file
  if (head === undefined) return getWorkspace(tx, workspace)
  if (workspace !== undefined && head.id !== workspace) {
    const message = `must be ${workspace}, as in ?workspace=, or be absent`
    throw mistakesToFailure(file.source, [{ path: 'workspace.id', message }], file.locate)
  }
  const all = await listWorkspaces(tx)
  if (head.id !== undefined) return all.find((one) => one.id === head.id)
  const [found, ...others] = all.filter((one) => one.name === head.name)
  if (others.length === 0) return found
  const message = `is the name of ${others.length + 1} workspaces; give the id`
  throw mistakesToFailure(file.source, [{ path: 'workspace.name', message }], file.locate)
}

async function readCurrent(
  tx: Tx,
  sections: readonly ConfigSection[],
  stored: WorkspaceRow | undefined,
): Promise<CurrentConfig> {
  if (!stored) return { settings: {}, entries: new Map() }
  const entries = new Map<string, readonly ConfigEntry[]>()
  for (const section of sections) entries.set(section.name, await section.list(tx, stored.workspace_id))
  return { workspace: { id: stored.id, name: stored.name }, settings: stored.settings, entries }
}

function planOrThrow(
  sections: readonly ConfigSection[],
  current: CurrentConfig,
  file: WorkspaceFile,
  newId: () => string,
): Plan {
  const planned = plan(sections, current, file, newId)
  if (planned.mistakes.length > 0) throw mistakesToFailure(file.source, planned.mistakes, file.locate, file.entry)
  return planned
}

async function writePlan(
  tx: Tx,
  stored: WorkspaceRow | undefined,
  planned: Plan,
  at: Date,
): Promise<{ workspace_id: number; secrets: NewSecret[] }> {
  const { head, settings, steps } = planned
  const workspace_id = stored?.workspace_id ?? (await insertWorkspace(tx, head.id, head.name, at))
  await updateWorkspace(tx, workspace_id, head.name, settings)
  const secrets: NewSecret[] = []
  for (const { section, create, update } of steps) {
    // Updates come first: a new entry may take a name that an update frees.
    if (update.length > 0) await section.update?.(tx, workspace_id, update, at)
    if (create.length > 0) secrets.push(...(await section.insert(tx, workspace_id, create, at)))
  }
  return { workspace_id, secrets }
}

function toAuditEntry(change: ConfigChange, sections: readonly ConfigSection[], workspace_id: number): AuditEntry {
  const { member, id, name, action, before, after } = change
  if (member === 'settings') {
    const values = { before: { value: before }, after: { value: after } }
    return { action: 'setting.update', target: { kind: 'setting', id: name }, ...values, workspace_id }
  }
  const kind = sections.find((each) => each.name === member)?.one ?? member
  return {
    action: `${kind}.${action}`,
    target: { kind, id, name },
    ...(before !== null && { before: before as object }),
    ...(after !== null && { after: after as object }),
    workspace_id,
  }
}
