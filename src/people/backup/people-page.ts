import { listAllGroups } from '../../workspace/settings/store.ts'
import { formatToken, hashToken } from '../addresses/message-token.ts'
import { listCohorts } from '../cohorts/cohort-store.ts'
import { addressOf } from '../identity/identifier.ts'
import { bucketsOf, type Person } from '../identity/person.ts'
import { listFlowIds } from '../received/flow-outline-store.ts'
import type { BackupPage, BackupReading } from './address-states-page.ts'
import { peopleAfter, startOfName } from './backup-cursor.ts'
import { type BackupLine, customPieces, historyMember, type LineSource, personLine } from './backup-lines.ts'
import {
  type BackupProfile,
  type HistorySource,
  listAddressStates,
  listBackupProfiles,
  listRows,
  type PersonTableRow,
} from './backup-store.ts'
import { confirmations, flowText, linkHashesMax, personTables } from './backup-tables.ts'
import { type HistoryKind, listHistory } from './history-page-store.ts'
import { personText } from './person-text.ts'

/** Returns a line for each person, with all data. `sources` are numbered like the people. */
export async function personLines(
  reading: BackupReading,
  people: readonly Person[],
  sources: readonly HistorySource[],
): Promise<BackupLine[]> {
  if (people.length === 0) return []
  const history = (kind: HistoryKind) =>
    listHistory(reading.tx, kind, sources).then((rows) => Map.groupBy(rows, ({ n }) => n))
  const [{ profiles, source }, events, purchases] = await Promise.all([
    readLineSource(reading, people),
    history('event'),
    history('purchase'),
  ])
  const numbers = new Map(people.map(({ profile_id }, n) => [profile_id, n]))
  return profiles.map((profile) => {
    const n = numbers.get(profile.profile_id)!
    return {
      ...personLine(profile, source),
      ...customMember(profile.custom),
      ...historyMember('event', events.get(n) ?? []),
      ...historyMember('purchase', purchases.get(n) ?? []),
    }
  })
}

/** Splits a person who does not fit into a line: lines with custom attributes first, then pages with the history. */
export async function splitPerson(reading: BackupReading, one: Person, hasHistory: boolean): Promise<BackupPage> {
  const { profiles, source } = await readLineSource(reading, [one])
  const { profile_id } = one
  const lines = profiles.flatMap((profile) => {
    const pieces = customPieces(profile.custom)
    return pieces.map((piece, i): BackupLine => {
      const more = hasHistory || i < pieces.length - 1
      const start = i === 0 ? personLine(profile, source) : { person: personText(profile_id) }
      return { ...start, ...((more || i > 0) && { part: i + 1 }), ...(more && { more }), ...customMember(piece) }
    })
  })
  if (!hasHistory || lines.length === 0) return { lines, next: peopleAfter(profile_id, 1) }
  return { lines, next: { stage: 'history', profile_id, part: lines.length + 1, at: startOfName('event') } }
}

function customMember(custom: BackupLine): BackupLine {
  return Object.keys(custom).length === 0 ? {} : { custom_attributes: custom }
}

async function readLineSource(
  { tx, workspace: { workspace_id }, hashAddress, secret }: BackupReading,
  people: readonly Person[],
): Promise<{ profiles: BackupProfile[]; source: LineSource }> {
  const [profiles, groups, flows, cohorts, ...lists] = await Promise.all([
    listBackupProfiles(tx, people),
    listAllGroups(tx),
    listFlowIds(tx, workspace_id),
    listCohorts(tx, workspace_id),
    ...personTables.map((table) => listRows(tx, table, people)),
  ])
  const addresses = profiles.flatMap((profile) =>
    (['email', 'phone'] as const).flatMap((kind) => {
      const plain = addressOf(profile, kind)
      if (plain === null) return []
      const { bucket } = bucketsOf(workspace_id, kind, plain)
      const value = hashAddress(workspace_id, kind, plain)
      return [{ bucket, workspace_id, kind, value, profile_id: profile.profile_id }]
    }),
  )
  const states = (await listAddressStates(tx, addresses)).map((state) => ({ ...addresses[state.n]!, ...state }))
  const byPerson = lists.map((rows, i) => {
    const own = personTables[i] === confirmations ? rows.map((row) => withLinkHash(row, secret)) : rows
    return Map.groupBy(own, ({ profile_id }) => profile_id)
  })
  const source: LineSource = {
    rows: new Map(personTables.map(({ table }, i) => [table, byPerson[i]!])),
    states: Map.groupBy(states, ({ profile_id }) => profile_id),
    groups: new Map(groups.map(({ group_id, id }) => [group_id, id])),
    flows: new Map(flows.map((flow) => [flow.flow_id, flowText(flow)])),
    cohorts: new Map(cohorts.map(({ cohort_id, ...names }) => [cohort_id, names])),
  }
  return { profiles, source }
}

/** Adds the hash of the link that this installation has sent, by which another one recognizes it. It does not show the link. */
function withLinkHash(row: PersonTableRow, secret: Buffer): PersonTableRow {
  const { profile_id, confirmation_id, keyword } = row
  if (keyword !== null) return row
  const token = formatToken({ profile_id, message_id: String(confirmation_id) }, 'confirmation', secret)
  const hashes = new Set([hashToken(token), ...(row.link_hashes as readonly string[])])
  return { ...row, link_hashes: [...hashes].slice(0, linkHashesMax) }
}
