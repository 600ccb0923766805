import type { Tx } from '../../base/db/db.ts'
import { newUuid } from '../../base/ids.ts'
import type { Person } from '../../people/identity/person.ts'
import { lockDueEntries, lockEntries } from '../entries/entry-store.ts'
import { openPages, type PageServices } from '../expansion/pages.ts'
import { findFlow } from '../flows/find-flows.ts'
import type { Flow, Graph } from '../flows/flow.ts'
import { findActWindows, type PersonAct, recordConversions } from '../journeys/conversions.ts'
import { enterPeople } from '../journeys/enter-people.ts'
import { moveEntries } from '../journeys/move-entries.ts'
import { listOpenEntriesOf } from '../journeys/signal-store.ts'
import { messageClasses } from '../messages/message.ts'
import { acceptOrder } from '../orders/accept-order.ts'
import type { Sending } from '../orders/sending.ts'
import { claimSlotOf } from '../orders/slot-store.ts'
import { deliverDue, type PastServices } from './deliver.ts'
import type { PastClock } from './past.ts'
import { type DemoPerson, dayMs, historyDays } from './people.ts'
import type { Random } from './random.ts'
import { reactTo } from './react.ts'
import { flowIds } from './workspace-file.ts'

const hourMs = 3_600_000
/** How often what people did moves their journeys through the cart canvas, and since when it runs. */
const cartEveryMs = 3 * hourMs
const cartDays = 8
/** How often the shop calls the welcome canvas, and since when. */
const welcomeEveryMs = 4 * dayMs
const welcomeDays = 44
/** Days before now on which campaigns were sent. */
const newsletterDays = [85, 57, 29, 1.2]
const saleDays = [34, 31.9]
const winBackDays = 5
/** UTC. */
const sendHour = 9
const leaseMs = 60_000
const batchMax = 1_000

export type HistoryServices = PastServices & PageServices & { readonly clock: PastClock }

export type History = {
  readonly workspace_id: number
  readonly nowMs: number
  readonly people: readonly DemoPerson[]
  readonly persons: ReadonlyMap<string, Person>
  readonly random: Random
}

/** An instant of the past, and what happens then besides the steps that are due. */
type Instant = { readonly atMs: number; readonly act?: (tx: Tx) => Promise<void> }

/** Plays the history of the flows, one instant after the other, by the verbs that the workers use. */
export async function playHistory(tx: Tx, history: History, services: HistoryServices): Promise<void> {
  const { people, persons, workspace_id, nowMs, random } = history
  const { clock } = services
  const byProfile = new Map(
    people.flatMap((one) => {
      const person = persons.get(one.external_id)
      return person ? [[person.profile_id, one] as const] : []
    }),
  )
  for (const { atMs, act } of await instantsOf(tx, history, services)) {
    clock.set(atMs)
    await moveDue(tx, workspace_id, services)
    await act?.(tx)
    const sent = await deliverDue(tx, workspace_id, byProfile, random, services)
    await reactTo(sent, workspace_id, nowMs, random, services)
  }
  clock.set(nowMs)
  await convert(tx, history, services)
}

async function instantsOf(tx: Tx, history: History, services: HistoryServices): Promise<Instant[]> {
  const { workspace_id, nowMs } = history
  const flowOf = async (kind: 'canvas' | 'campaign', id: string) => {
    const flow = await findFlow(tx, workspace_id, kind, id)
    if (!flow) throw new Error(`the demo has no ${kind} ${id}`)
    return { flow, graph: await services.graphs.get(tx, flow.flow_id, flow.version) }
  }
  const [newsletter, sale, winBack] = [
    await flowOf('campaign', flowIds.newsletter),
    await flowOf('campaign', flowIds.sale),
    await flowOf('campaign', flowIds.winBack),
  ]
  const campaign = (target: FlowAndGraph) => (days: number) => ({
    atMs: morningOf(nowMs - days * dayMs),
    act: (at: Tx) => send(at, workspace_id, target, undefined, services),
  })
  const instants: Instant[] = [
    ...newsletterDays.map(campaign(newsletter)),
    ...saleDays.map(campaign(sale)),
    campaign(winBack)(winBackDays),
    ...welcomeInstants(history, await flowOf('canvas', flowIds.welcome), services),
    ...cartInstants(history, await flowOf('canvas', flowIds.cart), services),
  ]
  return instants.sort((a, b) => a.atMs - b.atMs)
}

/** Returns the time of day at which the shop sends mail, on the day of an instant. */
function morningOf(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs + sendHour * hourMs
}

type FlowAndGraph = { readonly flow: Flow; readonly graph: Graph }

/** Sends a flow now: the order is accepted, its slot claimed and expanded in the same transaction. */
async function send(
  tx: Tx,
  workspace_id: number,
  { flow, graph }: FlowAndGraph,
  recipients: Sending['recipients'],
  services: HistoryServices,
): Promise<void> {
  const { clock } = services
  const { flow_id, kind, id } = flow
  const accepted = await acceptOrder(
    tx,
    { workspace_id, clock },
    {
      sending: sendingOf({ flow_id, kind, id }, graph, recipients),
      class: flow.class,
    },
  )
  const claimed = await claimSlotOf(tx, accepted.dispatch_id, newUuid(), clock.elapsed() + leaseMs)
  const pages = await openPages(claimed, services)
  while (await pages.next());
}

/** Returns what an order of the interface for a flow sends. */
export function sendingOf(
  { flow_id, kind, id }: Pick<Flow, 'flow_id' | 'kind' | 'id'>,
  graph: Graph,
  recipients?: Sending['recipients'],
): Sending {
  return {
    ...(recipients && { recipients }),
    broadcast: recipients === undefined,
    recipient_subscription_state: graph.wanted,
    override_frequency_capping: false,
    flow: { flow_id, kind, id, by: 'api' },
  }
}

function welcomeInstants(history: History, target: FlowAndGraph, services: HistoryServices): Instant[] {
  const { nowMs, people, workspace_id } = history
  const firstMs = morningOf(nowMs - welcomeDays * dayMs)
  const count = Math.floor((nowMs - firstMs) / welcomeEveryMs)
  const calls = Array.from({ length: count + 1 }, (_, i) => firstMs + i * welcomeEveryMs)
  const instants = calls.map((atMs): Instant => {
    const signedUp = people.filter(({ createdMs }) => createdMs > atMs - welcomeEveryMs && createdMs <= atMs)
    const recipients = signedUp.map(({ external_id }) => ({ external_user_id: external_id }))
    return { atMs, act: (tx) => send(tx, workspace_id, target, recipients, services) }
  })
  // The steps of these journeys are due three days, and then ten days, after a call.
  const later = calls.flatMap((atMs) => [3, 10].map((days): Instant => ({ atMs: atMs + days * dayMs })))
  return [...instants, ...later].filter(({ atMs }) => atMs < nowMs)
}

function cartInstants(history: History, target: FlowAndGraph, services: HistoryServices): Instant[] {
  const { nowMs } = history
  const count = Math.floor((cartDays * dayMs) / cartEveryMs)
  return Array.from({ length: count }, (_, i): Instant => {
    const atMs = nowMs - (count - i - 1) * cartEveryMs - 1
    return { atMs, act: (tx) => followCarts(tx, history, target, atMs - cartEveryMs, services) }
  })
}

/** Lets people leave the cart canvas who have ordered since the last instant, and those enter who have filled a cart. */
async function followCarts(
  tx: Tx,
  history: History,
  { flow, graph }: FlowAndGraph,
  fromMs: number,
  services: HistoryServices,
): Promise<void> {
  const nowMs = services.clock.now()
  const acts = actsBetween(history, fromMs, nowMs)
  const orders = acts.filter(({ signal }) => signal.name === 'order_placed')
  const ordered = new Map(orders.map((act) => [act.person.profile_id, act]))
  if (orders.length > 0) {
    const open = await listOpenEntriesOf(
      tx,
      [...ordered.values()].map(({ person }) => person),
    )
    const entries = await lockEntries(
      tx,
      open.filter(({ flow_id }) => flow_id === flow.flow_id),
    )
    await moveEntries(
      tx,
      entries.map((entry) => ({ entry, happening: { kind: 'signal', signal: ordered.get(entry.profile_id)!.signal } })),
      services,
    )
  }
  // Who has ordered after filling the cart since the last instant has left nothing behind.
  const carts = acts.filter(({ signal, person }) => {
    const order = ordered.get(person.profile_id)
    return signal.name === 'cart_updated' && (order === undefined || order.signal.timeMs < signal.timeMs)
  })
  const entering = new Map(carts.map((act) => [act.person.profile_id, act]))
  await enterPeople(
    tx,
    { flow, graph, dispatch_id: null, nowMs },
    [...entering.values()].map(({ person, signal }) => {
      return { person, event: signal.properties, happenedMs: signal.timeMs }
    }),
    services,
  )
}

/** Returns the events of a span of time as what workers get of them. */
function actsBetween({ people, persons, workspace_id }: History, fromMs: number, toMs: number): PersonAct[] {
  return people.flatMap(({ external_id, events }) => {
    const person = persons.get(external_id)
    if (!person) return []
    return events.flatMap(({ timeMs, name, properties = {} }): PersonAct[] => {
      if (timeMs <= fromMs || timeMs > toMs) return []
      const signal = { kind: 'event', name, timeMs, atMs: timeMs, properties } as const
      return [{ person, workspace_id, signal, amount: null, flow_id: undefined }]
    })
  })
}

/** Moves the entries that are due. */
async function moveDue(tx: Tx, workspace_id: number, services: HistoryServices): Promise<void> {
  const lanes = messageClasses.map((kind) => ({ workspace_id, class: kind, count: batchMax }))
  const entries = await lockDueEntries(tx, lanes, { fromMs: 0, nowMs: services.clock.now() })
  await moveEntries(
    tx,
    entries.map((entry) => ({ entry, happening: { kind: 'due' } })),
    services,
  )
}

/** Counts the orders that followed messages. */
async function convert(tx: Tx, history: History, services: HistoryServices): Promise<void> {
  const acts = actsBetween(history, history.nowMs - historyDays * dayMs, history.nowMs)
  const orders = acts.filter(({ signal }) => signal.name === 'order_placed')
  const windows = await findActWindows(tx, orders)
  await recordConversions(tx, [...windows.values()], (versions) => services.graphs.getAll(tx, versions))
}
