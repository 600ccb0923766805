import { keysSection } from '../src/accounts/keys/config-section.ts'
import type { Call } from '../src/base/call.ts'
import type { Config } from '../src/base/config.ts'
import { configSections } from '../src/config-sections.ts'
import { readBackup } from '../src/people/backup/read-backup.ts'
import { restorePeople } from '../src/people/backup/restore-people.ts'
import { applyFile, planFile } from '../src/workspace/file/apply.ts'
import { readSettings, readWorkspaces } from '../src/workspace/file/edit-workspace.ts'
import { createEntry, endEntry, listSectionEntries } from '../src/workspace/file/entries.ts'
import type { AccessMode, AdminAccess } from './admin-access.ts'
import type { Shell } from './command.ts'
import { withCall, withReadingCall } from './database.ts'

/** Runs `work` on the database of the environment, created and migrated only to write. Throws `FolderInUse` when a server uses it. */
export function withDatabaseAccess<T>(
  shell: Shell,
  config: Config,
  work: (access: AdminAccess) => Promise<T>,
  mode: AccessMode,
): Promise<T> {
  const withAccess = (call: Call) => work(databaseAccess(call))
  if (mode === 'write') return withCall(shell, config, withAccess)
  return withReadingCall(shell, config, mode === 'plan', withAccess)
}

function databaseAccess(call: Call): AdminAccess {
  return {
    apply: (file, plan, workspace) =>
      plan ? planFile(call.db, configSections, file, workspace) : applyFile(call, configSections, file, workspace),
    list: (path, workspace) =>
      listSectionEntries(call, configSections.find((section) => section.path === path)!, workspace),
    listWorkspaces: async () => (await readWorkspaces(call)).workspaces,
    readSettings: async (workspace) => (await readSettings(call, workspace)).set,
    createKey: (key, workspace) => createEntry(call, configSections, keysSection, key, { workspace }),
    deleteKey: (id, workspace) => endEntry(call, configSections, keysSection, id, { workspace }),
    lineBytesMax: Number.POSITIVE_INFINITY,
    readPeople: (after, workspace) => readBackup(call, after, workspace),
    writePeople: (lines, plan, workspace) => restorePeople(call, { lines }, plan, workspace),
  }
}
