import type { Tx } from '../../base/db/db.ts'
import { summarizeEvents, summarizePurchases } from '../history/history-store.ts'
import type { Person } from '../identity/person.ts'
import { listAliases, listAppUse, listCardClicks, listDevices, listPushTokens } from '../profile/read-store.ts'
import { listReceived, listReceivedSteps } from '../received/received-store.ts'

/** Rows of people in one table, by `profile_id`. */
type ByPerson<Row> = ReadonlyMap<string, readonly Row[]>

/** The export fields that need these rows, and how to read them. `sinceUs` limits events and purchases. */
type RowReader<Row> = {
  readonly fields: readonly string[]
  read(tx: Tx, people: readonly Person[], sinceUs: number): Promise<ByPerson<Row>>
}

/** The data of a record besides the columns of the profile. */
const readers = {
  aliases: { fields: ['user_aliases'], read: grouped(listAliases) },
  pushTokens: { fields: ['push_tokens'], read: grouped(listPushTokens) },
  appUse: { fields: ['apps', 'uninstalled_at'], read: grouped(listAppUse) },
  devices: { fields: ['devices'], read: grouped(listDevices) },
  cardClicks: { fields: ['cards_clicked'], read: grouped(listCardClicks) },
  events: { fields: ['custom_events'], read: summarizeEvents },
  purchases: { fields: ['purchases'], read: summarizePurchases },
  received: { fields: ['campaigns_received', 'canvases_received'], read: grouped(listReceived) },
  receivedSteps: { fields: ['canvases_received'], read: grouped(listReceivedSteps) },
} as const satisfies Record<string, RowReader<unknown>>

type Readers = typeof readers
export type RowKind = keyof Readers
export type RowOf<Kind extends RowKind> = Readers[Kind] extends RowReader<infer Row> ? Row : never

/** The rows of each kind. They are empty when no requested field needs them. */
export type PersonRows = { readonly [Kind in RowKind]: ByPerson<RowOf<Kind>> }

const rowKinds = Object.keys(readers) as RowKind[]
const none: ByPerson<never> = new Map()

export const noRows: PersonRows = Object.fromEntries(rowKinds.map((kind) => [kind, none])) as Record<
  RowKind,
  ByPerson<never>
>

/** Reads the kinds of rows that these fields need. The statements are sent together. */
export async function readPersonRows(
  tx: Tx,
  people: readonly Person[],
  fields: ReadonlySet<string>,
  sinceUs: number,
): Promise<PersonRows> {
  const needed = rowKinds.filter((kind) => readers[kind].fields.some((field) => fields.has(field)))
  const read = await Promise.all(needed.map((kind) => readers[kind].read(tx, people, sinceUs)))
  return { ...noRows, ...Object.fromEntries(needed.map((kind, i) => [kind, read[i]])) }
}

function grouped<Row extends { profile_id: string }>(list: (tx: Tx, people: readonly Person[]) => Promise<Row[]>) {
  return async (tx: Tx, people: readonly Person[]): Promise<ByPerson<Row>> =>
    Map.groupBy(await list(tx, people), (row) => row.profile_id)
}
