import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { idleTimeout, nestedLoopsOnly } from '../../base/db/transaction-settings.ts'
import { conflict } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import type { CatalogServices } from '../../content/catalogs/locked-catalog.ts'
import { writeItems } from '../../content/catalogs/write-items.ts'
import { blockAddresses } from '../../people/addresses/block-addresses.ts'
import { restorePeople } from '../../people/backup/restore-people.ts'
import { type AcceptServices, acceptItems } from '../../people/merge/accept-items.ts'
import { Watched } from '../../people/signals/signals.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { applyFile } from '../../workspace/file/apply.ts'
import type { ConfigSection } from '../../workspace/file/config-section.ts'
import { bodyToFile } from '../../workspace/file/entries.ts'
import type { ConfigChange } from '../../workspace/file/plan.ts'
import { getWorkspace } from '../../workspace/settings/selected.ts'
import { listWorkspaces } from '../../workspace/settings/store.ts'
import { openWorkspaces } from '../../workspace/settings/workspaces.ts'
import { importTraffic } from '../../workspace/traffic/import-traffic.ts'
import type { PageServices } from '../expansion/pages.ts'
import { findFlow } from '../flows/find-flows.ts'
import { acceptOrder } from '../orders/accept-order.ts'
import { type History, type HistoryServices, playHistory, sendingOf } from './history.ts'
import { PastClock, within } from './past.ts'
import { type DemoPerson, dayMs, historyDays, makePeople } from './people.ts'
import { Random } from './random.ts'
import { type DemoReply, isThere } from './schema.ts'
import { listByExternalId } from './store.ts'
import { requestsOf } from './traffic.ts'
import { catalogItems, demoFile, demoId, demoName, flowIds } from './workspace-file.ts'

export type DemoServices = CatalogServices &
  AcceptServices &
  Pick<PageServices, 'hashAddress' | 'serviceName' | 'newId' | 'graphs'> & {
    readonly configSections: readonly ConfigSection[]
    readonly wakeups: Wakeups
  }

/** Chance of what mail servers and people do with mails; the people have a seed of their own. */
const historySeed = 1_848
const trafficSeed = 1_849
/** The people who get a mail when the demo is loaded. */
const lastSendCount = 120
const scheduledDays = 3
const blockedCount = 2
const mergedCount = 3

/**
 * Makes the workspace of the demo, in one transaction: after a crash there is nothing of it, and the next call makes it. Throws 409 when
 * there is one.
 */
export async function loadDemo(call: Call, services: DemoServices): Promise<DemoReply> {
  if ((await listWorkspaces(call.db)).some(({ id }) => id === demoId)) throw conflict(isThere)
  const nowMs = call.clock.now()
  const people = makePeople(nowMs)
  return call.db.transaction((tx) => write(tx, call, people, services), {
    settings: [...nestedLoopsOnly, idleTimeout],
  })
}

async function write(tx: Tx, given: Call, people: readonly DemoPerson[], services: DemoServices): Promise<DemoReply> {
  const db = within(tx, given.db)
  const nowMs = given.clock.now()
  await makeWorkspace({ ...given, db }, nowMs, services)
  const { workspace_id } = await getWorkspace(tx, demoId)
  const call = { ...given, db, workspace_id }
  await writeItems(call, services, {
    ...{ catalog_name: 'products', kind: 'create', several: true },
    request: { items: catalogItems, refusals: [] },
  })
  await importPeople(call, people)
  const persons = await listByExternalId(tx, workspace_id)
  const past = new PastClock(given.clock, nowMs)
  // The caches of the service know the workspace when it is committed.
  const workspaces = await openWorkspaces({ keep: async (load) => ({ current: await load(db) }) })
  const history: History = { workspace_id, nowMs, people, persons, random: new Random(historySeed) }
  const pastServices: HistoryServices = {
    ...services,
    ...{ db, clock: past, workspaces, watched: new Watched() },
    settingsOf: (id) => workspaces.get(id).settings,
  }
  await playHistory(tx, history, pastServices)
  await leaveWork(tx, call, people, services)
  const machineMs = given.clock.elapsed()
  const requests = requestsOf(people, new Random(trafficSeed), nowMs, machineMs - nowMs)
  await importTraffic(tx, workspace_id, requests, machineMs)
  return record(tx, call, people)
}

async function makeWorkspace(call: Call, nowMs: number, { configSections }: DemoServices): Promise<void> {
  const onlyNew = ([change]: readonly ConfigChange[]) => {
    if (change?.action !== 'create') throw conflict(isThere)
  }
  const createdMs = nowMs - (historyDays + 2) * dayMs
  await applyFile(call, configSections, bodyToFile(configSections, demoFile), undefined, onlyNew, createdMs)
}

async function importPeople(call: Call, people: readonly DemoPerson[]): Promise<void> {
  const { left_out } = await restorePeople(call, { lines: people.map(({ line }) => line) }, false, demoId)
  if (left_out.length > 0) throw new Error(`a person of the demo could not be imported: ${left_out[0]!.reason}`)
}

/** Leaves work for the workers: a mail to some people now, the next newsletter, and addresses that an operator has blocked. */
async function leaveWork(tx: Tx, call: Call, people: readonly DemoPerson[], services: DemoServices): Promise<void> {
  const { workspace_id, clock } = call
  const { graphs, hashAddress } = services
  const orderOf = async (id: string) => {
    const flow = await findFlow(tx, workspace_id, 'campaign', id)
    if (!flow) throw new Error(`the demo has no campaign ${id}`)
    return { sending: sendingOf(flow, await graphs.get(tx, flow.flow_id, flow.version)), class: flow.class }
  }
  const winBack = await orderOf(flowIds.winBack)
  // Readers of the newsletter have reached the frequency cap.
  const others = people.filter(({ readsNewsletter }) => !readsNewsletter).slice(0, lastSendCount)
  const recipients = others.map(({ external_id }) => ({ external_user_id: external_id }))
  await acceptOrder(tx, call, { ...winBack, sending: { ...winBack.sending, recipients, broadcast: false } })
  const date = new Date(clock.now() + scheduledDays * dayMs).toISOString().slice(0, 'yyyy-MM-dd'.length)
  const local = `${date}T10:00:00.000`
  const schedule = { time: `${date}T10:00:00Z`, in_local_time: true, at_optimal_time: false, local }
  await acceptOrder(tx, call, {
    ...(await orderOf(flowIds.newsletter)),
    schedule: { ...schedule, at_ms: Date.parse(`${local}Z`) },
  })
  // People who came a second time without their address.
  const twice = people.filter(({ email }) => email === undefined).slice(-2 * mergedCount)
  const merges = Array.from({ length: mergedCount }, (_, i) => {
    const [who, into] = twice.slice(2 * i).map(({ external_id: value }) => ({ kind: 'external_id' as const, value }))
    return { who: who!, into: into! }
  })
  await acceptItems(call, newUuid(), 'merge', merges, services)
  const emails = people.flatMap(({ email }) => email ?? []).slice(-blockedCount)
  await blockAddresses(call, { email: emails }, { hashAddress })
}

async function record(tx: Tx, call: Call, people: readonly DemoPerson[]): Promise<DemoReply> {
  const events = people.reduce((sum, one) => sum + one.events.length, 0)
  const purchases = people.reduce((sum, one) => sum + one.purchases.length, 0)
  const counts = { people: people.length, events, purchases }
  await recordAudit(tx, call, {
    action: 'workspace.demo',
    target: { kind: 'workspace', id: demoId, name: demoName },
    after: counts,
    workspace_id: call.workspace_id,
  })
  const sentence = `The workspace ${demoId} has ${people.length} people and ${historyDays} days of a shop. Look at it in the dashboard.`
  return { workspace: { id: demoId, name: demoName }, ...counts, sentence }
}
