import { conflict } from '../../base/errors.ts'
import { generateToken, sha256 } from '../../base/ids.ts'
import type {
  ConfigEntry,
  ConfigSection,
  EntryResolution,
  GivenEntry,
  NewSecret,
} from '../../workspace/file/config-section.ts'
import { abilitiesForKey } from './key-abilities.ts'
import { type ApiKeyRow, deleteApiKey, insertApiKeys, listApiKeys } from './key-store.ts'
import { apiKeysMax, environmentKeyName, firstKeyName, KeyShape, StoredKey } from './schema.ts'

const keyStartChars = 12

/** An API key as config section entry. `key` is the text of a new key, until its hash is stored. */
export type KeyEntry = ConfigEntry & {
  readonly permissions: readonly string[]
  readonly allowed_ips: readonly string[]
  readonly strict: boolean
  readonly key_start?: string
  readonly key_hash?: Buffer
  readonly key?: string
  readonly created_at?: Date
  readonly last_used_at?: Date | null
}

/**
 * The section `api_keys`. A key never changes (contract, section 5), and a file that would change one is refused: a key that silently lost
 * a permission would break its caller, and a replaced text could not be given to the caller.
 */
export const keysSection: ConfigSection<KeyEntry> = {
  name: 'api_keys',
  path: 'keys',
  one: 'key',
  shape: KeyShape,
  stored: StoredKey,
  countMax: apiKeysMax,
  counts: () => true,
  list: listApiKeys,
  resolve: resolveKey,
  furtherAbilities: ({ permissions }) => abilitiesForKey(permissions),
  toReply: toReply,
  secret: { member: 'key', note: 'is not in this file; another installation makes a new key and shows it once' },
  // Every installation has these of its own.
  isWritten: ({ name }) => name !== environmentKeyName && name !== firstKeyName,
  insert: insertNewKeys,
  endSummary: 'Delete a key: it is refused everywhere within a second.',
  end: deleteApiKey,
}

/** Returns what is stored of a key: its hash, and the first characters, by which its holder recognises it. */
export function hashKey(key: string): { key_hash: Buffer; key_start: string } {
  return { key_hash: sha256(key), key_start: key.slice(0, Math.min(keyStartChars, Math.floor(key.length / 3))) }
}

function resolveKey(
  given: GivenEntry & { readonly id: string },
  before: KeyEntry | undefined,
): EntryResolution<KeyEntry> {
  const { id, name } = given
  const permissions = given.permissions as string[]
  const allowed_ips = given.allowed_ips as string[] | undefined
  const strict = given.strict as boolean | undefined
  const key = given.key as string | undefined
  if (before === undefined) {
    const entry = { id, name, permissions, allowed_ips: allowed_ips ?? [], strict: strict ?? false }
    return { entry: { ...entry, ...(key && { key }) } }
  }
  if (name !== before.name) return refuseChange('name', before)
  if (!sameSet(permissions, before.permissions)) return refuseChange('permissions', before)
  if (allowed_ips && !sameSet(allowed_ips, before.allowed_ips)) return refuseChange('allowed_ips', before)
  if (strict !== undefined && strict !== before.strict) return refuseChange('strict', before)
  if (key && !sha256(key).equals(before.key_hash!)) return refuseChange('key', before)
  return { entry: before }
}

function refuseChange(path: string, { id, name }: KeyEntry): EntryResolution<KeyEntry> {
  const message =
    `differs from key "${name}", and a key cannot be changed: give the new one another name and no id, ` +
    `and delete the old one when it is no longer used (easel keys delete ${id})`
  return { mistake: { path, message } }
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return new Set(a).symmetricDifference(new Set(b)).size === 0
}

function toReply({ id, name, permissions, allowed_ips, strict, key_start, created_at, last_used_at }: KeyEntry) {
  const used = last_used_at?.toISOString() ?? null
  const stored = created_at && { key_start, created_at: created_at.toISOString(), last_used_at: used }
  return { id, name, permissions, allowed_ips, strict, ...stored }
}

async function insertNewKeys(
  ...[tx, workspace_id, entries, at]: Parameters<ConfigSection<KeyEntry>['insert']>
): Promise<NewSecret[]> {
  const texts = entries.map((entry) => entry.key ?? generateToken('easel_key'))
  const rows = entries.map(
    (
      { id, name, permissions, allowed_ips, strict },
      i,
    ): Omit<ApiKeyRow, 'workspace_id' | 'created_at' | 'last_used_at'> => ({
      id,
      name,
      permissions: [...permissions],
      allowed_ips: [...allowed_ips],
      strict,
      ...hashKey(texts[i]!),
    }),
  )
  const written = await insertApiKeys(tx, workspace_id, rows, at)
  const refused = entries.find((entry) => !written.has(entry.id))
  if (refused) throw conflict(`api_keys: the id or the key of "${refused.name}" is in use already`)
  return entries.flatMap(({ id, name, key }, i) =>
    key === undefined ? [{ member: 'api_keys', id, name, key: texts[i]! }] : [],
  )
}
