import { parseArgs } from 'node:util'
import { readConfig } from '../src/base/config.ts'
import { everyPermission } from '../src/base/http/permissions.ts'
import type { AdminAccess } from './admin-access.ts'
import { type Command, note, type Shell, say, UsageError } from './command.ts'
import { withAdminAccess } from './with-admin-access.ts'

export const keysCommand: Command = {
  usage: `Usage: npm run easel -- keys list
       npm run easel -- keys create NAME --permission users.track [--permission ...] [--ip 10.0.0.0/8 ...]
       npm run easel -- keys create NAME --all [--strict]
       npm run easel -- keys delete ID

A new key is printed once and stored only as a hash. A deleted key is refused everywhere within a second.

  --permission P   a permission of the key; may be repeated
  --all            every permission
  --ip ADDRESS     an address or a network from which the key may be used; may be repeated; by default all
  --strict         refuse objects of which a part would not be kept
  --workspace ID   the workspace of the key; by default the default workspace
  --url URL        use the server at this URL instead of the database

Without --url the command opens the database of the environment. When a running server uses that database, the command
uses this server at HOST and PORT, with EASEL_ADMIN_TOKEN.`,
  run,
}

type KeysContext = { access: AdminAccess; shell: Shell }

type Options = { permission: string[]; all: boolean; ip: string[]; strict: boolean; workspace?: string }

async function run(args: readonly string[], shell: Shell): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      permission: { type: 'string', multiple: true, default: [] },
      all: { type: 'boolean', default: false },
      ip: { type: 'string', multiple: true, default: [] },
      strict: { type: 'boolean', default: false },
      workspace: { type: 'string' },
      url: { type: 'string' },
    },
  })
  const [action = '', ...names] = positionals
  const work = { list, create, delete: remove }[action]
  if (!work) throw new UsageError('keys takes list, create or delete.')
  await withAdminAccess(shell, readConfig(shell.env), values.url, (access) => work({ access, shell }, names, values))
  return 0
}

async function list({ access, shell }: KeysContext, names: readonly string[], { workspace }: Options): Promise<void> {
  if (names.length > 0) throw new UsageError('keys list takes nothing else.')
  const keys = await access.list('keys', workspace)
  const rows = keys.map(({ id, name, key_start, permissions, allowed_ips, last_used_at }) => {
    const from = (allowed_ips as string[]).join(' ')
    return [
      id,
      name,
      `${key_start}...`,
      (permissions as string[]).join(' '),
      from || 'anywhere',
      last_used_at ?? 'never',
    ].map(String)
  })
  say(shell, tableOf([['ID', 'NAME', 'BEGINS', 'PERMISSIONS', 'FROM', 'LAST USED'], ...rows]))
}

async function create(
  { access, shell }: KeysContext,
  names: readonly string[],
  { permission, all, ip, strict, workspace }: Options,
): Promise<void> {
  const [name, ...more] = names
  if (name === undefined || more.length > 0) throw new UsageError('keys create takes one name.')
  if (all === permission.length > 0) throw new UsageError('keys create takes --permission, or --all.')
  const permissions = all ? [everyPermission] : permission
  const made = await access.createKey({ name, permissions, allowed_ips: ip, strict }, workspace)
  note(shell, `Key "${name}" (${made.id}) was created. It is shown this once:`)
  say(shell, String(made.key))
}

async function remove({ access, shell }: KeysContext, names: readonly string[], { workspace }: Options): Promise<void> {
  const [id, ...more] = names
  if (id === undefined || more.length > 0) throw new UsageError('keys delete takes one id; "keys list" shows them.')
  await access.deleteKey(id, workspace)
  note(shell, `Key ${id} was deleted.`)
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
