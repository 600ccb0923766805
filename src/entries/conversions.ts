import type { Tx } from '../base/db/db.ts'
import { holdPeople } from '../engagement/engagement-store.ts'
import { flowsById } from '../flows/find.ts'
import type { Conversion } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { happens } from '../flows/trigger.ts'
import type { ReceivedRow } from '../ledger/received.ts'
import { listReceived, lockReceived, noteConverted } from '../ledger/received-store.ts'
import { Departed } from '../profiles/departed.ts'
import { byBucketAndId, type Person } from '../profiles/ref.ts'
import type { Signal } from './entry.ts'
import { addRevenue } from './signal-store.ts'

/** Something that somebody did; `amount`: price times quantity of a purchase; `flow_id`: that of the message they engaged with. */
export type Done = {
  readonly person: Person
  readonly workspace_id: number
  readonly signal: Signal
  readonly amount: number | null
  readonly flow_id: number | undefined
}

/** A conversion that was made. */
type Converted = {
  readonly person: Person
  readonly workspace_id: number
  readonly flow_id: number
  readonly names: string[]
}

/** Writes down the conversions that were made and the revenue that came of them, each purchase once. */
export async function noteConversions(tx: Tx, done: readonly Done[], graphs: Graphs): Promise<void> {
  const acts = done.filter(({ signal }) => signal.kind !== 'attribute')
  if (acts.length === 0) return
  const people = new Map(acts.map(({ person }) => [person.profile_id, person]))
  const rows = await listReceived(tx, [...people.values()])
  const windows = Map.groupBy(rows.filter(isOpen), ({ profile_id }) => profile_id)
  if (windows.size === 0) return
  const conversions = await conversionsOf(tx, [...windows.values()].flat(), graphs)
  const converted = acts.flatMap((each) => madeBy(each, windows.get(each.person.profile_id) ?? [], conversions))
  const revenue = revenueOf(acts, windows)
  await hold(
    tx,
    [...converted, ...revenue].map(({ person }) => person),
  )
  await lockReceived(tx, converted)
  await noteConverted(tx, converted)
  await addRevenue(tx, revenue)
}

/** Keeps people from being merged or deleted until the transaction ends. Throws `Departed` when one of them was by now. */
export async function hold(tx: Tx, people: readonly Person[]): Promise<void> {
  const each = new Map(people.map((person) => [person.profile_id, person]))
  if (each.size === 0) return
  const held = await holdPeople(tx, [...each.values()])
  if (held < each.size) throw new Departed('somebody to whom something happened is somebody else by now')
}

type Window = ReceivedRow & { last_received_at: Date; converting_until: Date }

function isOpen(row: ReceivedRow): row is Window {
  return row.last_received_at !== null && row.converting_until !== null
}

/** What counts as a conversion of each flow: what its current version says. */
async function conversionsOf(
  tx: Tx,
  windows: readonly Window[],
  graphs: Graphs,
): Promise<ReadonlyMap<number, readonly Conversion[]>> {
  const flows = await flowsById(
    tx,
    windows.map(({ flow_id }) => flow_id),
  )
  const found = new Map<number, readonly Conversion[]>()
  for (const { flow_id, version } of flows.values()) {
    found.set(flow_id, (await graphs.graphOf(tx, flow_id, version)).conversions)
  }
  return found
}

/** The conversions that something is, of the flows in whose windows it happened. Pure. */
export function madeBy(
  { person, workspace_id, signal, flow_id }: Done,
  windows: readonly Window[],
  conversions: ReadonlyMap<number, readonly Conversion[]>,
): Converted[] {
  return windows.flatMap((window) => {
    if (!isWithin(signal, window) || (signal.kind === 'engagement' && flow_id !== window.flow_id)) return []
    const passedMs = signal.timeMs - window.last_received_at.getTime()
    const names = (conversions.get(window.flow_id) ?? [])
      .filter(({ on, withinMs }) => passedMs <= withinMs && happens(on, signal, null))
      .map(({ name }) => name)
    return names.length > 0 ? [{ person, workspace_id, flow_id: window.flow_id, names }] : []
  })
}

/** A purchase brings revenue once, however many flows it lies in the windows of. Each person once, in lock order. */
function revenueOf(done: readonly Done[], windows: ReadonlyMap<string, readonly Window[]>) {
  const sums = new Map<string, { person: Person; amount: number }>()
  for (const { person, signal, amount } of done) {
    if (signal.kind !== 'purchase' || amount === null) continue
    if (!windows.get(person.profile_id)?.some((window) => isWithin(signal, window))) continue
    const before = sums.get(person.profile_id)?.amount ?? 0
    sums.set(person.profile_id, { person, amount: before + amount })
  }
  return [...sums.values()].sort(byBucketAndId)
}

/** When it happened counts, not when it was told. */
function isWithin({ timeMs }: Signal, { last_received_at, converting_until }: Window): boolean {
  return timeMs >= last_received_at.getTime() && timeMs <= converting_until.getTime()
}
