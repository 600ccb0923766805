import { readConfig } from '../src/base/config.ts'
import { everyPermission } from '../src/base/http/permissions.ts'
import type { AccessMode, AdminAccess } from './admin-access.ts'
import { note, type Shell, UsageError, type Verb, type VerbGroup } from './command.ts'
import { adminAccessNotes, repeatedOption, urlOption, workspaceOption } from './options.ts'
import { tableOf } from './table.ts'
import { withAdminAccess } from './with-admin-access.ts'

type Options = { readonly workspace?: string; readonly url?: string }
type CreateOptions = Options & {
  readonly permission?: readonly string[]
  readonly all?: boolean
  readonly ip?: readonly string[]
  readonly strict?: boolean
}

function withKeys<T>(
  shell: Shell,
  { url }: Options,
  work: (access: AdminAccess) => Promise<T>,
  mode: AccessMode = 'write',
): Promise<T> {
  return withAdminAccess(shell, readConfig(shell.env), url, work, mode)
}

const list: Verb<Options> = {
  description: 'List the API keys of a workspace.',
  notes: adminAccessNotes,
  define: (command) => {
    command.addOption(workspaceOption()).addOption(urlOption())
  },
  async run(_, options, shell) {
    const keys = await withKeys(shell, options, (access) => access.list('keys', options.workspace), 'read')
    const rows = keys.map(({ id, name, key_start, permissions, allowed_ips, last_used_at }) => {
      const from = (allowed_ips as string[]).join(' ')
      const allowed = (permissions as string[]).join(' ')
      return [id, name, `${key_start}...`, allowed, from || 'anywhere', last_used_at ?? 'never'].map(String)
    })
    return { result: { keys }, text: tableOf([['ID', 'NAME', 'BEGINS', 'PERMISSIONS', 'FROM', 'LAST USED'], ...rows]) }
  },
}

const create: Verb<CreateOptions> = {
  description: 'Create an API key. It is printed once and stored only as a hash.',
  notes: adminAccessNotes,
  define: (command) => {
    command
      .argument('<name>', 'the name of the key')
      .addOption(repeatedOption('--permission <permission>', 'a permission of the key, such as users.track'))
      .option('--all', 'every permission')
      .addOption(repeatedOption('--ip <address>', 'an address or a network from which it may be used; by default all'))
      .option('--strict', 'refuse objects of which a part would not be kept')
      .addOption(workspaceOption())
      .addOption(urlOption())
  },
  async run([name], options, shell) {
    const { permission = [], all = false, ip = [], strict = false, workspace } = options
    if (all === permission.length > 0) throw new UsageError('keys create takes --permission, or --all.')
    const permissions = all ? [everyPermission] : permission
    const key = { name, permissions, allowed_ips: ip, strict }
    const created = await withKeys(shell, options, (access) => access.createKey(key, workspace))
    note(shell, `Key "${name}" (${created.id}) was created. It is shown this once:`)
    return { result: { key: created }, text: String(created.key) }
  },
}

const remove: Verb<Options> = {
  description: 'Delete an API key. It is refused everywhere within a second.',
  notes: adminAccessNotes,
  define: (command) => {
    command.argument('<id>', 'the id of the key, as keys list shows it')
    command.addOption(workspaceOption()).addOption(urlOption())
  },
  async run([id], options, shell) {
    await withKeys(shell, options, (access) => access.deleteKey(id!, options.workspace))
    note(shell, `Key ${id} was deleted.`)
    return { result: { deleted: id } }
  },
}

const resetAdmin: Verb = {
  description: 'Replace a lost admin token. The old one is refused from then on, also by a running server.',
  notes: 'The command opens the data directory or the database of the environment, and needs no token.',
  async run(_, __, shell) {
    const { resetAdminToken } = await import('./reset-admin.ts')
    const admin_token = await resetAdminToken(shell, readConfig(shell.env))
    const noteAboutServers = 'A server that is started with EASEL_ADMIN_TOKEN does not use it.'
    note(shell, `The admin token was replaced. It is shown this once. ${noteAboutServers}`)
    return { result: { admin_token }, text: admin_token }
  },
}

export const keysVerbs: VerbGroup = {
  description: 'List, create and delete API keys, and replace a lost admin token.',
  verbs: { list, create, delete: remove, 'reset-admin': resetAdmin },
}
