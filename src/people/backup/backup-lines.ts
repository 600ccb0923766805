import { parseJson } from '../../base/parse-json.ts'
import { type Cohort, cohortText } from '../cohorts/cohort-names.ts'
import type { AddressStateRow, BackupProfile, PersonTableRow } from './backup-store.ts'
import {
  addressStateColumns,
  type BackupRow,
  type BackupTable,
  type BackupValue,
  cohortMembers,
  confirmations,
  eventColumns,
  memberships,
  personTables,
  profileColumns,
  purchaseColumns,
  received,
  receivedSteps,
} from './backup-tables.ts'
import type { HistoryKind, HistoryRow } from './history-page-store.ts'
import { formatRow } from './line-rows.ts'
import { personText } from './person-text.ts'

/** A line of a backup: the header, a person or a part of one, or states of addresses. */
export type BackupLine = Readonly<Record<string, unknown>>

/** The version of the format of lines. */
export const linesVersion = 1

/** The largest size of custom attributes, or of properties, in one line, so that every line fits into a request of 4 MB. */
export const lineBytesMax = 750_000
/** The largest number of events and purchases in one line. */
export const lineRowsMax = 1_000

/** The data that the lines of a page need besides profiles and history: rows by table and by `profile_id`. */
export type LineSource = {
  rows: ReadonlyMap<string, ReadonlyMap<string, PersonTableRow[]>>
  states: ReadonlyMap<string, readonly (AddressStateRow & { kind: string })[]>
  /** Ids of the interface, by `group_id`. */
  groups: ReadonlyMap<number, string>
  /** `canvas:<id>` or `campaign:<id>`, by `flow_id`. */
  flows: ReadonlyMap<number, string>
  /** The names of cohorts, by `cohort_id`. */
  cohorts: ReadonlyMap<number, Cohort>
}

/** Returns the first line of a person, without custom attributes and history. */
export function personLine(profile: BackupProfile, { rows, states, groups, flows, cohorts }: LineSource): BackupLine {
  const line: Record<string, unknown> = {
    person: personText(profile.profile_id),
    profile: formatRow(profileColumns, profile),
  }
  for (const table of personTables) {
    const own = rows.get(table.table)?.get(profile.profile_id) ?? []
    if (own.length === 0) continue
    line[table.member] = formatRows(table, own)
  }
  const own = states.get(profile.profile_id) ?? []
  if (own.length > 0) line.address_states = inOrder(own.map(formatState))
  return line

  function formatRows(table: BackupTable, own: readonly BackupRow[]): BackupLine[] {
    const { columns } = table
    if (table === memberships || table === confirmations) {
      return inOrder(own.map((row) => ({ ...formatRow(columns, row), group_id: groups.get(row.group_id as number) })))
    }
    if (table === cohortMembers) {
      return own
        .map((row) => ({ ...formatRow(columns, row), cohort_id: cohorts.get(row.cohort_id as number)! }))
        .sort((a, b) => (cohortText(a.cohort_id) < cohortText(b.cohort_id) ? -1 : 1))
    }
    if (table === received || table === receivedSteps) {
      return inOrder(own.map((row) => ({ ...formatRow(columns, row), flow_id: flows.get(row.flow_id as number) })))
    }
    return own.map((row) => formatRow(columns, row))
  }
  function formatState(row: BackupRow & { group_id: number }): BackupLine {
    const { group_id } = row
    return formatRow(addressStateColumns, { ...row, group_id: groups.get(group_id) ?? null })
  }
}

/** Sorts by ids of the interface, because the numbers of groups and flows differ between installations. */
function inOrder(lines: readonly BackupLine[]): BackupLine[] {
  const key = ({ kind = '', group_id = '', flow_id = '', step = '' }: BackupLine) =>
    `${kind} ${group_id} ${flow_id} ${step}`
  return lines.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}

const members = { event: 'events', purchase: 'purchases' } as const
const columns = { event: eventColumns, purchase: purchaseColumns }

/** Returns events or purchases as a member of a line; an empty object when there are none. */
export function historyMember(kind: HistoryKind, rows: readonly HistoryRow[]): BackupLine {
  if (rows.length === 0) return {}
  const formatted = rows.map(({ properties, ...row }) => {
    const value: BackupValue = properties === null ? null : (parseJson(properties) as BackupValue)
    return formatRow(columns[kind], { ...row, properties: value })
  })
  return { [members[kind]]: formatted }
}

/** Splits custom attributes into pieces of at most `lineBytesMax` bytes, or of a single attribute. Returns at least one piece. */
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
