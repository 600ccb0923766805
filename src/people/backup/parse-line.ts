import { parseCustomDate } from '../../base/dates.ts'
import { bucketCount } from '../../base/db/buckets.ts'
import type { TimedCohort } from '../cohorts/cohort-store.ts'
import { isCleanText, isLong, isObject } from '../values/values.ts'
import { linesVersion } from './backup-lines.ts'
import {
  addressStateColumns,
  type BackupColumns,
  type BackupRow,
  type BackupValue,
  eventColumns,
  headCohorts,
  isStorable,
  personTables,
  profileColumns,
  purchaseColumns,
} from './backup-tables.ts'
import { readRow, readRows } from './line-rows.ts'
import { readPersonText } from './person-text.ts'

/** A person, or a part of one. */
export type PersonLine = {
  readonly kind: 'person'
  /** Absent for a person who gets a new id. */
  readonly profile_id?: string
  readonly part: number
  readonly more: boolean
  /** In the first part only. Without an id, the moments and the random bucket may be null. */
  readonly profile: BackupRow | undefined
  readonly custom: Readonly<Record<string, BackupValue>>
  /** Epoch milliseconds of custom values that are dates. */
  readonly typed: Readonly<Record<string, number>>
  /** By table. */
  readonly rows: ReadonlyMap<string, readonly BackupRow[]>
  readonly states: readonly BackupRow[]
  readonly events: readonly BackupRow[]
  readonly purchases: readonly BackupRow[]
}

/** States of hashed addresses; `key` identifies the secret of the hashes (`hashingKey`). */
export type StatesLine = { readonly kind: 'states'; readonly key: string; readonly states: readonly BackupRow[] }

/** The head. Those of older backups have no cohorts. */
export type HeadLine = { readonly kind: 'head'; readonly cohorts: readonly TimedCohort[] }

export type ParsedLine = PersonLine | StatesLine | HeadLine

const partMax = 1_000_000

/** Returns the columns of a person without an id, with defaults for missing values. */
const newPersonColumns: BackupColumns = {
  ...profileColumns,
  random_bucket: { ...profileColumns.random_bucket!, blank: null },
  created_at: { ...profileColumns.created_at!, blank: null },
  updated_at: { ...profileColumns.updated_at!, blank: null },
}

const hiddenColumns: BackupColumns = {
  ...addressStateColumns,
  bucket: {
    type: 'int4',
    read: (value) =>
      Number.isInteger(value) && Number(value) >= 0 && Number(value) < bucketCount ? Number(value) : undefined,
  },
  hash: {
    type: 'text',
    read: (value) => (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? value : undefined),
  },
}

/** Parses a line of a backup. Returns a text when it cannot be imported. */
export function parseLine(line: unknown): ParsedLine | string {
  if (!isObject(line)) return 'is not an object'
  if (line.easel !== undefined) {
    return line.easel === 'people' && line.version === linesVersion ? parseHead(line) : 'is of another version'
  }
  if (line.person !== undefined || line.profile !== undefined) return parsePerson(line)
  if (line.address_states !== undefined) return parseStates(line)
  return 'is neither a person nor states of addresses'
}

function parseHead({ cohorts = [] }: Record<string, unknown>): HeadLine | string {
  const rows = readRows(headCohorts.columns, headCohorts.key, cohorts)
  return typeof rows === 'string' ? `cohorts${rows}` : { kind: 'head', cohorts: rows as unknown as TimedCohort[] }
}

function parseStates({ key, address_states }: Record<string, unknown>): StatesLine | string {
  if (typeof key !== 'string') return 'key is not valid'
  const states = readRows(hiddenColumns, [], address_states)
  return typeof states === 'string' ? `address_states${states}` : { kind: 'states', key, states }
}

function parsePerson(line: Record<string, unknown>): PersonLine | string {
  const profile_id = readPersonText(line.person)
  if (line.person !== undefined && profile_id === undefined) return 'person is not valid'
  const { part = 1, more = false } = line
  if (typeof part !== 'number' || !Number.isInteger(part) || part < 1 || part > partMax) return 'part is not valid'
  if (typeof more !== 'boolean') return 'more is not valid'
  if (profile_id === undefined && (part > 1 || more))
    return 'person is missing: only a person with an id can have several parts'
  if ((part === 1) !== (line.profile !== undefined)) return 'profile must be in the first part and in no other'
  const profile =
    part === 1 ? readRow(profile_id === undefined ? newPersonColumns : profileColumns, line.profile) : undefined
  if (typeof profile === 'string') return `profile${profile}`
  const custom = readCustom(line.custom_attributes ?? {})
  if (typeof custom === 'string') return custom
  const rows = new Map<string, readonly BackupRow[]>()
  for (const { table, member, columns, key } of personTables) {
    if (line[member] === undefined) continue
    if (part > 1) return `${member} must be in the first part`
    const own = readRows(columns, key, line[member])
    if (typeof own === 'string') return `${member}${own}`
    rows.set(table, own)
  }
  const lists = { address_states: addressStateColumns, events: eventColumns, purchases: purchaseColumns }
  const read: Record<string, readonly BackupRow[]> = {}
  for (const [member, columns] of Object.entries(lists)) {
    const own = readRows(columns, [], line[member] ?? [])
    if (typeof own === 'string') return `${member}${own}`
    read[member] = own
  }
  return {
    kind: 'person',
    ...(profile_id !== undefined && { profile_id }),
    part,
    more,
    profile,
    custom,
    typed: typedOf(custom),
    rows,
    states: read.address_states!,
    events: read.events!,
    purchases: read.purchases!,
  }
}

function readCustom(custom: unknown): Readonly<Record<string, BackupValue>> | string {
  if (!isObject(custom)) return 'custom_attributes is not an object'
  for (const [key, value] of Object.entries(custom)) {
    if (key === '' || isLong(key) || !isCleanText(key) || value === null || !isStorable(value)) {
      return `custom_attributes.${key.slice(0, 255)} is not valid`
    }
  }
  return custom as Readonly<Record<string, BackupValue>>
}

function typedOf(custom: Readonly<Record<string, BackupValue>>): Record<string, number> {
  const typed: Record<string, number> = {}
  for (const [key, value] of Object.entries(custom)) {
    const ms = typeof value === 'string' ? parseCustomDate(value) : undefined
    if (ms !== undefined) typed[key] = ms
  }
  return typed
}
