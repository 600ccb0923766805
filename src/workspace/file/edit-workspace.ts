import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict } from '../../base/errors.ts'
import { refuseStale } from '../../base/http/etag.ts'
import { getWorkspace } from '../settings/selected.ts'
import { completeSettings, type Settings, type SettingsGiven } from '../settings/settings.ts'
import { listWorkspaces } from '../settings/store.ts'
import { applyFile } from './apply.ts'
import type { ConfigSection } from './config-section.ts'
import { applyBody, bodyToFile } from './entries.ts'
import type { ConfigChange } from './plan.ts'

type Sections = readonly ConfigSection[]
type NamedWorkspace = { id: string; name: string }

/** Lists all workspaces, oldest first; the first is the default workspace. */
export async function readWorkspaces({ db }: Call): Promise<{ workspaces: NamedWorkspace[] }> {
  return { workspaces: (await listWorkspaces(db)).map(({ id, name }) => ({ id, name })) }
}

/** Creates a workspace. Throws 409 when its id or name is taken. */
export async function createWorkspace(
  call: Call,
  sections: Sections,
  body: unknown,
): Promise<{ workspace: NamedWorkspace }> {
  const onlyNew = ([change]: readonly ConfigChange[]) => {
    if (change?.action !== 'create') throw conflict('There is a workspace with this id or name already')
  }
  const file = bodyToFile(sections, { workspace: body })
  const { workspace } = await applyFile(call, sections, file, undefined, onlyNew)
  return { workspace }
}

/**
 * Renames a workspace. Throws 409 when another workspace has the name: accounts and files refer to workspaces by name, so an
 * administrator of one workspace must not take the name of another.
 */
export async function renameWorkspace(
  call: Call,
  sections: Sections,
  body: unknown,
  workspace?: string,
): Promise<{ workspace: NamedWorkspace }> {
  const { id } = await getWorkspace(call.db, workspace)
  const { name } = (body ?? {}) as { name?: unknown }
  const isTaken = (await listWorkspaces(call.db)).some((other) => other.id !== id && other.name === name)
  if (isTaken) throw conflict('There is a workspace with this name already')
  const applied = await applyBody(call, sections, { workspace: { ...(body as object), id } })
  return { workspace: applied.workspace }
}

/** Reads the settings in effect, and those that were set. */
export async function readSettings(
  call: Call,
  workspace?: string,
): Promise<{ settings: Settings; set: SettingsGiven }> {
  return settingsIn(call.db, workspace)
}

async function settingsIn(tx: Tx, workspace?: string): Promise<{ settings: Settings; set: SettingsGiven }> {
  const { settings } = await getWorkspace(tx, workspace)
  return { settings: completeSettings(settings), set: settings }
}

/**
 * Changes the settings in the body; `null` resets one to its default. Throws 412 when `ifMatch` is not the tag of the answer to a read.
 */
export async function updateSettings(
  call: Call,
  sections: Sections,
  body: unknown,
  workspace?: string,
  ifMatch?: string,
) {
  const change = async (tx: Tx) => {
    refuseStale(ifMatch, await settingsIn(tx, workspace), 'settings')
    return bodyToFile(sections, { settings: body })
  }
  await applyFile(call, sections, change, workspace)
  return readSettings(call, workspace)
}
