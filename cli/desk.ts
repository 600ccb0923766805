import type { PeoplePage } from '../src/people/backup/people.ts'
import type { Line } from '../src/people/backup/people-lines.ts'
import type { Restored } from '../src/people/backup/restore.ts'
import type { ApplyResult } from '../src/workspace/file/apply.ts'
import type { WorkspaceFile } from '../src/workspace/file/check-file.ts'

export type Shown = Record<string, unknown>

/** Where configuration and people are changed: the database itself, or the server that holds it. Both do the same. */
export type Desk = {
  apply(file: WorkspaceFile, plan: boolean, workspace?: string): Promise<ApplyResult>
  /** The entries of a list of the workspace file, by its path under `/admin/`. */
  list(path: string, workspace?: string): Promise<Shown[]>
  createKey(key: Shown, workspace?: string): Promise<Shown>
  deleteKey(id: string, workspace?: string): Promise<void>
  /** Bytes that one line of people may have. */
  readonly lineBytesMax: number
  readPeople(after: string | undefined, workspace?: string): Promise<PeoplePage>
  writePeople(lines: readonly Line[], plan: boolean, workspace?: string): Promise<Restored>
}
