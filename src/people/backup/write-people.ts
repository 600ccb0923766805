import type { Tx } from '../../base/db/db.ts'
import { measureSubject, Tally } from '../../workspace/tallies/tally.ts'
import { insertTallyChange } from '../../workspace/tallies/tally-store.ts'
import { inheritEmailStates } from '../addresses/apply-states.ts'
import { type Cohort, cohortText } from '../cohorts/cohort-names.ts'
import { insertEvents } from '../feed/write-store.ts'
import {
  appendEvents,
  appendPurchases,
  type EventColumns,
  emptyEvents,
  emptyPurchases,
} from '../history/history-store.ts'
import { type ContactRow, insertContacts } from '../identity/contact-store.ts'
import { insertIdentifiers } from '../identity/identifier-store.ts'
import { bucketsOf, byBucketAndId, type HashAddress, type Person } from '../identity/person.ts'
import { addCustom } from '../profile/custom-store.ts'
import { deviceIdOfToken } from '../profile/push-token-store.ts'
import {
  type BackupRow,
  type BackupTable,
  type BackupValue,
  cohortMembers,
  confirmations,
  memberships,
  personTables,
  pushTokens,
  received,
  receivedSteps,
} from './backup-tables.ts'
import type { IncomingPerson, RestoredIdentifier } from './decide-restore.ts'
import type { PersonLine } from './parse-line.ts'
import { deleteParts, insertRestoredProfiles, insertRows, type RestoredRow, upsertParts } from './restore-store.ts'

/** The ids of names, products and apps. */
export type NameIds = Readonly<Record<'events' | 'products' | 'apps', ReadonlyMap<string, number>>>

export type RestoreWriting = {
  workspace_id: number
  stampUs: number
  newId(bucket: number): string
  hashAddress: HashAddress
  groups: ReadonlyMap<string, number>
  /** Flow ids, by the names in lines. */
  flows: ReadonlyMap<string, number>
  /** The numbers of cohorts, by `cohortText`. */
  cohorts: ReadonlyMap<string, number>
  /** The people that identifiers and tokens already name. */
  owners: ReadonlyMap<string, Person>
}

/** A person whose lines are written; `isNew` when the profile is inserted. */
export type WrittenPerson = IncomingPerson & { readonly isNew: boolean }

/**
 * Thrown when another transaction has written the same people. Because of its code, `base/db/retry.ts` tries again and then sees their
 * rows.
 */
class ConcurrentWrite extends Error {
  readonly code = '40001'
}

/** Writes people with all their data. Returns how many of their push tokens belong to other people. */
export async function writePeople(
  tx: Tx,
  people: readonly WrittenPerson[],
  numbers: NameIds,
  writing: RestoreWriting,
): Promise<number> {
  const newPeople = people.filter((each) => each.isNew).sort(byBucketAndId)
  const { free, taken } = tokensOf(newPeople, writing.owners)
  await reserve(tx, newPeople, free)
  await Promise.all([
    insertProfiles(tx, newPeople, writing),
    insertLists(tx, newPeople, free, writing),
    insertContacts(tx, contactsOf(newPeople)),
    writeParts(tx, people, writing),
    addCustom(tx, people.filter((each) => !each.isNew).map(moreCustom)),
    writeHistory(tx, people, numbers, writing),
  ])
  await inheritStates(tx, newPeople, writing)
  return taken
}

/** Removes push tokens that other people have. When two of these people have the same one, the first gets it. */
function tokensOf(newPeople: readonly WrittenPerson[], owners: RestoreWriting['owners']) {
  const free = new Map<string, { name: RestoredIdentifier; owner: Person }>()
  let taken = 0
  for (const { person, tokens } of newPeople) {
    for (const name of tokens) {
      if (owners.has(name.key) || free.has(name.key)) taken++
      else free.set(name.key, { name, owner: person })
    }
  }
  return { free, taken }
}

type FreeTokens = ReturnType<typeof tokensOf>['free']

async function reserve(tx: Tx, newPeople: readonly WrittenPerson[], tokens: FreeTokens): Promise<void> {
  const wanted = [
    ...newPeople.flatMap(({ person, names }) => names.map((name) => ({ ...name, owner: person }))),
    ...[...tokens.values()].map(({ name, owner }) => ({ ...name, owner })),
  ]
  wanted.sort((a, b) => a.bucket - b.bucket || (a.key < b.key ? -1 : 1))
  const reserved = await insertIdentifiers(tx, wanted)
  if (reserved.size < wanted.length) throw new ConcurrentWrite('an identifier was given to another person meanwhile')
}

async function insertProfiles(
  tx: Tx,
  newPeople: readonly WrittenPerson[],
  { workspace_id, stampUs }: RestoreWriting,
): Promise<void> {
  const rows = newPeople.map(({ person, lines, names, addresses }): RestoredRow => {
    const profile = lines[0]!.line.profile!
    const place = () => {
      const { kind, value } = names[0] ?? addresses[0]!
      return bucketsOf(workspace_id, kind, value)
    }
    const row = {
      ...profile,
      workspace_id,
      random_bucket: profile.random_bucket ?? place().random_bucket,
      created_at: profile.created_at ?? stampUs,
      updated_at: profile.updated_at ?? stampUs,
      custom: merged(lines, ({ custom }) => custom),
      typed: merged(lines, ({ typed }) => typed),
    }
    return { person, row }
  })
  if ((await insertRestoredProfiles(tx, rows)) < rows.length)
    throw new ConcurrentWrite('a person was inserted meanwhile')
  await insertEvents(
    tx,
    rows.map(({ person }) => ({ type: 'person.created', workspace_id, person, key: person.profile_id, stampUs })),
  )
}

function merged(lines: IncomingPerson['lines'], read: (line: PersonLine) => BackupRow): BackupRow {
  return Object.assign({}, ...lines.map(({ line }) => read(line)))
}

/** Inserts rows with the workspace, which the table has and lines do not. */
function insertInWorkspace(
  tx: Tx,
  table: BackupTable,
  rows: readonly RestoredRow[],
  workspace_id: number,
): Promise<void> {
  const columns = { workspace_id: { type: 'int4', read: () => undefined } as const, ...table.columns }
  const own = rows.map(({ person, row }) => ({ person, row: { ...row, workspace_id } }))
  return insertRows(tx, { ...table, columns }, own)
}

async function insertLists(
  tx: Tx,
  newPeople: readonly WrittenPerson[],
  tokens: FreeTokens,
  writing: RestoreWriting,
): Promise<void> {
  const { groups, flows, cohorts, workspace_id } = writing
  const statements = personTables.map((table) => {
    const rows = newPeople.flatMap(({ person, lines }) => {
      const own = lines[0]!.line.rows.get(table.table) ?? []
      return own.map((row): RestoredRow => ({ person, row }))
    })
    if (table === memberships) return insertRows(tx, table, withIds(rows, 'group_id', groups))
    if (table === cohortMembers) return insertRows(tx, table, withIds(rows, 'cohort_id', cohorts, cohortName))
    if (table === receivedSteps) return insertRows(tx, table, withIds(rows, 'flow_id', flows))
    if (table === received) return insertInWorkspace(tx, table, withIds(rows, 'flow_id', flows), workspace_id)
    if (table === confirmations) return insertInWorkspace(tx, table, withIds(rows, 'group_id', groups), workspace_id)
    return insertRows(tx, table, table === pushTokens ? [...tokens.values()].map(withDevice) : rows)
  })
  await Promise.all(statements)
}

function withDevice({ name: { row, value }, owner }: { name: RestoredIdentifier; owner: Person }): RestoredRow {
  return { person: owner, row: { ...row, device_id: row!.device_id ?? deviceIdOfToken(value) } }
}

/** Replaces the id of a line by the number of a column. Omits rows with unknown ids. */
function withIds(
  rows: readonly RestoredRow[],
  column: 'group_id' | 'flow_id' | 'cohort_id',
  numbers: ReadonlyMap<string, number>,
  nameOf: (value: BackupValue) => string = String,
): RestoredRow[] {
  return rows.flatMap(({ person, row }) => {
    const number = numbers.get(nameOf(row[column]!))
    return number === undefined ? [] : [{ person, row: { ...row, [column]: number } }]
  })
}

function cohortName(value: BackupValue): string {
  return cohortText(value as Cohort)
}

function contactsOf(newPeople: readonly WrittenPerson[]): ContactRow[] {
  const rows = newPeople.flatMap(({ person, addresses }) =>
    addresses.map(({ bucket, workspace_id, kind, value }) => {
      return { bucket, workspace_id, kind: kind as ContactRow['kind'], value, owner: person }
    }),
  )
  return rows.sort((a, b) => a.bucket - b.bucket || (a.value < b.value ? -1 : 1))
}

/** Stores the last part of incomplete people, and deletes it for complete ones. */
async function writeParts(tx: Tx, people: readonly WrittenPerson[], { stampUs }: RestoreWriting): Promise<void> {
  const last = people.map(({ person, lines }) => ({ person, ...lines.at(-1)!.line })).sort(byBucketAndId)
  const open = last.filter(({ more }) => more)
  await upsertParts(tx, open, stampUs)
  await deleteParts(
    tx,
    people.filter(({ isNew, lines }) => !isNew && !lines.at(-1)!.line.more).map(({ person }) => person),
  )
}

function moreCustom({ person, lines }: WrittenPerson) {
  const custom = merged(lines, (line) => line.custom)
  return { person, custom: JSON.stringify(custom), typed: JSON.stringify(merged(lines, (line) => line.typed)) }
}

async function writeHistory(
  tx: Tx,
  people: readonly WrittenPerson[],
  { events: names, products, apps }: NameIds,
  { workspace_id, stampUs }: RestoreWriting,
): Promise<void> {
  const events = emptyEvents()
  const purchases = emptyPurchases()
  const tally = new Tally()
  const append = (columns: EventColumns, person: Person, name: number, { time, app_id, properties }: BackupRow) => {
    columns.bucket.push(person.bucket)
    columns.profile.push(person.key)
    columns.name.push(name)
    columns.app.push(typeof app_id === 'string' ? apps.get(app_id)! : null)
    columns.timeUs.push(time as number)
    columns.properties.push(properties === null ? null : JSON.stringify(properties as BackupValue))
  }
  const count = ({ app, timeUs }: EventColumns, subject: number | string, quantity?: number, amount?: number) =>
    tally.add(subject, app.at(-1)!, timeUs.at(-1)!, quantity, amount)
  for (const { person, lines, isNew } of people) {
    if (isNew)
      tally.add(
        measureSubject(workspace_id, 'new_users'),
        null,
        (lines[0]!.line.profile!.created_at as number | null) ?? stampUs,
      )
    for (const { line } of lines) {
      for (const row of line.events) {
        const name = names.get(row.name as string)!
        append(events, person, name, row)
        count(events, name)
      }
      for (const row of line.purchases) {
        const product = products.get(row.product_id as string)!
        const [price, quantity] = [row.price as number, row.quantity as number]
        append(purchases, person, product, row)
        purchases.price.push(price)
        purchases.currency.push(row.currency as string)
        purchases.quantity.push(quantity)
        for (const subject of [product, measureSubject(workspace_id, 'purchases')])
          count(purchases, subject, quantity, price * quantity)
      }
    }
  }
  await Promise.all([appendEvents(tx, events), appendPurchases(tx, purchases), insertTallyChange(tx, tally)])
}

/** Gives new owners of an address its states that are later than their own. */
async function inheritStates(
  tx: Tx,
  newPeople: readonly WrittenPerson[],
  { workspace_id, hashAddress, newId }: RestoreWriting,
): Promise<void> {
  const arrivals = contactsOf(newPeople).filter(({ kind }) => kind === 'email')
  const hidden = arrivals.map((each) => ({ ...each, hidden: hashAddress(workspace_id, 'email', each.value) }))
  await inheritEmailStates(tx, hidden, { newId })
}
