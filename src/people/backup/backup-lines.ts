import type { AddressStateRow, BackupProfile, PersonTableRow } from './backup-store.ts'
import {
  addressStateColumns,
  type BackupRow,
  type BackupTable,
  type BackupValue,
  eventColumns,
  memberships,
  personTables,
  personText,
  profileColumns,
  purchaseColumns,
  received,
  receivedSteps,
} from './backup-tables.ts'
import type { HistoryKind, HistoryRow } from './history-page-store.ts'
import { formatRow } from './line-rows.ts'

/** One line of an export of people: the head, somebody or a part of somebody, or states of addresses. */
export type BackupLine = Readonly<Record<string, unknown>>

/** The version of the form of the lines. */
export const linesVersion = 1

/** Bytes of custom attributes, or of properties, in one line; a request of 4 MB holds any line. */
export const lineBytesMax = 750_000
/** Events and purchases in one line. */
export const lineRowsMax = 1_000

/** Everything of a page's people but the history, by table and by profile_id. */
export type LineSource = {
  rows: ReadonlyMap<string, ReadonlyMap<string, PersonTableRow[]>>
  states: ReadonlyMap<string, readonly (AddressStateRow & { kind: string })[]>
  /** The ids that groups are known by outside, by their numbers. */
  groups: ReadonlyMap<number, string>
  /** The same of canvases and campaigns. */
  flows: ReadonlyMap<number, string>
}

/** What a person's first line says beside custom attributes and history. */
export function personLine(profile: BackupProfile, { rows, states, groups, flows }: LineSource): BackupLine {
  const line: Record<string, unknown> = {
    person: personText(profile.profile_id),
    profile: formatRow(profileColumns, profile),
  }
  for (const table of personTables) {
    const own = rows.get(table.table)?.get(profile.profile_id) ?? []
    if (own.length === 0) continue
    line[table.member] = shownRows(table, own)
  }
  const own = states.get(profile.profile_id) ?? []
  if (own.length > 0) line.address_states = inOrder(own.map(stated))
  return line

  function shownRows(table: BackupTable, own: readonly BackupRow[]): BackupLine[] {
    const { columns } = table
    if (table === memberships) {
      return inOrder(own.map((row) => ({ ...formatRow(columns, row), group_id: groups.get(row.group_id as number) })))
    }
    if (table === received || table === receivedSteps) {
      return inOrder(own.map((row) => ({ ...formatRow(columns, row), flow_id: flows.get(row.flow_id as number) })))
    }
    return own.map((row) => formatRow(columns, row))
  }
  function stated(row: BackupRow & { group_id: number }): BackupLine {
    const { group_id } = row
    return formatRow(addressStateColumns, { ...row, group_id: groups.get(group_id) ?? null })
  }
}

/** Numbers of groups and flows differ from installation to installation, and so would their order. */
function inOrder(lines: readonly BackupLine[]): BackupLine[] {
  const key = ({ kind = '', group_id = '', flow_id = '', step = '' }: BackupLine) =>
    `${kind} ${group_id} ${flow_id} ${step}`
  return lines.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

const members = { event: 'events', purchase: 'purchases' } as const
const columns = { event: eventColumns, purchase: purchaseColumns }

/** Events or purchases as a member of a line; nothing when there are none. */
export function historyMember(kind: HistoryKind, rows: readonly HistoryRow[]): BackupLine {
  if (rows.length === 0) return {}
  const shown = rows.map(({ properties, ...row }) => {
    const value: BackupValue = properties === null ? null : JSON.parse(properties)
    return formatRow(columns[kind], { ...row, properties: value })
  })
  return { [members[kind]]: shown }
}

/** Custom attributes in pieces that have at most `lineBytesMax` bytes or a single attribute; one piece when there are none. */
export function customPieces(custom: Readonly<Record<string, unknown>>): BackupLine[] {
  const pieces: Record<string, unknown>[] = [{}]
  let room = lineBytesMax
  for (const [key, value] of Object.entries(custom)) {
    const bytes = Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(key)
    if (bytes > room && room < lineBytesMax) {
      pieces.push({})
      room = lineBytesMax
    }
    pieces.at(-1)![key] = value
    room -= bytes
  }
  return pieces
}
