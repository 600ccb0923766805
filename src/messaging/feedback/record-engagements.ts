import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { byBucketAndId, type Person, person } from '../../people/identity/person.ts'
import { PersonRemoved, retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import { lockUnmerged } from '../../people/profile/kept-people-store.ts'
import { recordEngaged } from '../../people/received/received-store.ts'
import { insertSignals, listWatchedNames } from '../../people/signals/signal-store.ts'
import { FlowTally } from '../flows/flow-tally.ts'
import {
  type EngagedMessage,
  type EngagementKind,
  type EngagementRow,
  findEngagedMessages,
  listClickedBefore,
  upsertEngagements,
} from './engagement-store.ts'

/** An engagement that was observed `count` times between two instants, epoch milliseconds of business time. */
export type ObservedEngagement = {
  readonly target: TokenTarget
  readonly kind: 'opened' | 'clicked' | 'unsubscribed'
  /** The index of the link in its message; -1 if it is not a click on a link. */
  readonly link: number
  /** The request came from a machine (`machine-engagement.ts`). */
  readonly isMachine: boolean
  readonly firstMs: number
  readonly lastMs: number
  readonly count: number
  /** The workspace whose webhook reported it. Messages of other workspaces are ignored. Absent for a link or pixel of Easel. */
  readonly workspace_id?: number | undefined
}

export type EngagementRules = {
  /** Engagements within this time after the mail was accepted are those of machines. 0 with a virtual clock, whose times say nothing. */
  readonly promptMs: number
  /** Whether a workspace tracks a kind; if absent, every kind is tracked. */
  readonly tracks?: (workspace_id: number, kind: 'opened' | 'clicked') => boolean
  /** Makes the time of events, epoch microseconds. If absent, it is that of the last engagement. */
  readonly stamp?: () => number
  /** Makes the id of a signal. If absent, no signals are written. */
  readonly newId?: (bucket: number) => string
}

/**
 * Records engagements in one transaction. Skips messages that were deleted, and kinds that the person or the workspace does not track now,
 * even if they did when the mail was sent.
 */
export async function recordEngagements(
  db: Db,
  observed: readonly ObservedEngagement[],
  rules: EngagementRules,
): Promise<void> {
  if (observed.length === 0) return
  await retryWhenRemoved(() => db.transaction((tx) => write(tx, observed, rules), { settings: shortLockTimeout }))
}

async function write(tx: Tx, observed: readonly ObservedEngagement[], rules: EngagementRules): Promise<void> {
  const found = await findEngagedMessages(
    tx,
    observed.map((each) => each.target),
  )
  const rows = engagementRows(observed, found, rules)
  const people = new Map<string, Person>(rows.map((row) => [row.person.profile_id, row.person]))
  if (people.size === 0) return
  const lockedCount = await lockUnmerged(tx, [...people.values()])
  if (lockedCount < people.size) throw new PersonRemoved('a profile was merged away or deleted')
  const clicks = rows.filter(({ kind, flow_id }) => kind === 'clicked' && flow_id !== null)
  const clickedBefore = await listClickedBefore(tx, clicks)
  const lastUs = Math.max(...rows.map(({ lastMs }) => lastMs * 1000))
  const fresh = await upsertEngagements(tx, rows, rules.stamp?.() ?? lastUs)
  await countEngagements(tx, rows, fresh, clickedBefore)
  await insertEngagementSignals(
    tx,
    rows.filter((_, i) => fresh.has(i)),
    rules,
  )
}

/** Counts what people did with messages of canvases and campaigns, not what machines did. */
async function countEngagements(
  tx: Tx,
  rows: readonly EngagementRow[],
  fresh: ReadonlySet<number>,
  clickedBefore: ReadonlySet<string>,
): Promise<void> {
  const tally = new FlowTally()
  const clicked = new Set(clickedBefore)
  for (const [i, { kind, count, firstMs, flow_id, message_id, ...row }] of rows.entries()) {
    if (flow_id === null) continue
    const flow = { ...row, flow_id }
    const atUs = firstMs * 1000
    if (kind === 'opened') {
      tally.count(flow, 'opens', atUs, count)
      if (fresh.has(i)) tally.count(flow, 'unique_opens', atUs)
    } else if (kind === 'clicked') {
      tally.count(flow, 'clicks', atUs, count)
      if (!clicked.has(message_id)) tally.count(flow, 'unique_clicks', atUs)
      clicked.add(message_id)
    } else if (kind === 'unsubscribed' && fresh.has(i)) tally.count(flow, 'unsubscribes', atUs)
  }
  await tally.write(tx)
}

/** Writes the statistics of flows and the signals for first engagements with messages of canvases and campaigns. */
async function insertEngagementSignals(
  tx: Tx,
  fresh: readonly EngagementRow[],
  { newId }: EngagementRules,
): Promise<void> {
  const engagements = fresh.flatMap(({ kind, flow_id, firstMs, ...row }) => {
    if (flow_id === null || (kind !== 'opened' && kind !== 'clicked')) return []
    return [{ ...row, kind, flow_id, atUs: firstMs * 1000 }]
  })
  if (engagements.length === 0 || !newId) return
  await recordEngaged(tx, engagements)
  const watched = await listWatchedNames(tx, 'engagement')
  await insertSignals(
    tx,
    engagements.flatMap(({ person: { bucket, profile_id }, workspace_id, message_id, kind: name, flow_id, atUs }) => {
      if (!watched.some((each) => each.workspace_id === workspace_id && (each.name === '' || each.name === name)))
        return []
      const properties = JSON.stringify({ flow_id })
      const ids = { bucket, profile_id, workspace_id, signal_id: newId(bucket), message_id }
      return [{ ...ids, kind: 'engagement', name, timeUs: atUs, atUs, properties } as const]
    }),
  )
}

/** Returns the rows to write, each key once, in the order of keys. */
export function engagementRows(
  observed: readonly ObservedEngagement[],
  found: readonly EngagedMessage[],
  { promptMs, tracks = () => true }: EngagementRules,
): EngagementRow[] {
  const rows = new Map<string, EngagementRow>()
  for (const message of found) {
    const { target, link, firstMs, lastMs, count, workspace_id, ...engagement } = observed[message.n - 1]!
    if (workspace_id !== undefined && workspace_id !== message.workspace_id) continue
    if (
      engagement.kind !== 'unsubscribed' &&
      (isUnwanted(engagement.kind, message) || !tracks(message.workspace_id, engagement.kind))
    )
      continue
    const kind = kindOf(engagement, isPrompt(message, firstMs, promptMs))
    const { channel, workspace_id: owner_id, flow_id, variant, step, send_id } = message
    const { message_id } = target
    const key = `${message.profile_id} ${message_id} ${kind} ${link}`
    const row = rows.get(key)
    if (!row) {
      const owner = person(message.bucket, message.profile_id)
      const columns = { message_id, channel, kind, link, workspace_id: owner_id, flow_id, variant, step, send_id }
      rows.set(key, { person: owner, ...columns, firstMs, lastMs, count })
      continue
    }
    row.firstMs = Math.min(row.firstMs, firstMs)
    row.lastMs = Math.max(row.lastMs, lastMs)
    row.count += count
  }
  return [...rows.values()].sort(inKeyOrder)
}

function isUnwanted(kind: 'opened' | 'clicked', message: EngagedMessage): boolean {
  return kind === 'opened' ? message.email_open_tracking_disabled : message.email_click_tracking_disabled
}

/** Returns whether an engagement is too soon for a person. While a message is handed over, the mail server may just have accepted it. */
function isPrompt({ state, ended_at }: EngagedMessage, atMs: number, promptMs: number): boolean {
  if (promptMs === 0) return false
  return state === 'handed_over' || (state === 'accepted' && ended_at !== null && atMs < ended_at.getTime() + promptMs)
}

function kindOf({ kind, isMachine }: Pick<ObservedEngagement, 'kind' | 'isMachine'>, prompt: boolean): EngagementKind {
  return kind === 'unsubscribed' || !(isMachine || prompt) ? kind : `machine_${kind}`
}

function inKeyOrder(a: EngagementRow, b: EngagementRow): number {
  if (a.person.key !== b.person.key) return byBucketAndId(a, b)
  const [one, other] = [BigInt(a.message_id), BigInt(b.message_id)]
  if (one !== other) return one < other ? -1 : 1
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1
  return a.link - b.link
}
