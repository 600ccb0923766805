import type { BackupLine } from '../src/people/backup/backup-lines.ts'
import type { PeoplePage } from '../src/people/backup/read-backup.ts'
import type { RestoreReply } from '../src/people/backup/restore-people.ts'
import type { ApplyResult } from '../src/workspace/file/apply.ts'
import type { WorkspaceFile } from '../src/workspace/file/check-file.ts'

/** What a command does with the workspace. A plan is for a database that may not exist yet. */
export type AccessMode = 'write' | 'read' | 'plan'

export type JsonObject = Record<string, unknown>

export type NamedWorkspace = { readonly id: string; readonly name: string }

/** Access to configuration and people: through the database itself or through the server that uses it. Both do the same. */
export type AdminAccess = {
  apply(file: WorkspaceFile, plan: boolean, workspace?: string): Promise<ApplyResult>
  /** Returns the entries of a config section by its path under `/admin/`. */
  list(path: string, workspace?: string): Promise<JsonObject[]>
  /** Lists all workspaces; the first is the default workspace. */
  listWorkspaces(): Promise<NamedWorkspace[]>
  /** Returns the settings that were set. */
  readSettings(workspace?: string): Promise<JsonObject>
  createKey(key: JsonObject, workspace?: string): Promise<JsonObject>
  deleteKey(id: string, workspace?: string): Promise<void>
  /** The largest number of bytes in a line of people. */
  readonly lineBytesMax: number
  readPeople(after: string | undefined, workspace?: string): Promise<PeoplePage>
  writePeople(lines: readonly BackupLine[], plan: boolean, workspace?: string): Promise<RestoreReply>
}
