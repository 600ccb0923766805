import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { byBucketAndId, type Person, person } from '../../people/identity/person.ts'
import { PersonRemoved, retryWhenRemoved } from '../../people/identity/retry-removed.ts'
import { lockUnmerged } from '../../people/profile/kept-people-store.ts'
import { noteEngaged } from '../../people/received/received-store.ts'
import { insertSignals, listWatchedNames } from '../../people/signals/signal-store.ts'
import {
  type EngagedMessage,
  type EngagementKind,
  type EngagementRow,
  findEngagedMessages,
  upsertEngagements,
} from './engagement-store.ts'

/** Something that was seen `count` times between two moments, epoch milliseconds of the business. */
export type ObservedEngagement = {
  readonly named: TokenTarget
  readonly kind: 'opened' | 'clicked' | 'unsubscribed'
  /** The place of the link in its message; -1 where there is none. */
  readonly link: number
  /** A machine gave itself away (`machine.ts`). */
  readonly isMachine: boolean
  readonly firstMs: number
  readonly lastMs: number
  readonly count: number
  /** The workspace of whoever tells it: a message of another one is not its business. Absent where the mail itself led here. */
  readonly workspace_id?: number | undefined
}

export type EngagementRules = {
  /** Nobody is so quick after a mail was taken: a machine was. 0 where the clock stands and this says nothing. */
  readonly promptMs: number
  /** Whether a workspace wants to know; everything when absent. */
  readonly tracks?: (workspace_id: number, kind: 'opened' | 'clicked') => boolean
  /** A new id of a signal; absent where nothing that flows may listen to is told. */
  readonly newId?: (bucket: number) => string
}

/**
 * Writes what was seen, in one transaction. Left out: messages that are not kept any more, and what the person or the workspace does not
 * want to be known, even when the mail went out before they said so.
 */
export async function recordEngagements(
  db: Db,
  noted: readonly ObservedEngagement[],
  parts: EngagementRules,
): Promise<void> {
  if (noted.length === 0) return
  await retryWhenRemoved(() => db.transaction((tx) => write(tx, noted, parts), { settings: shortLockTimeout }))
}

async function write(tx: Tx, noted: readonly ObservedEngagement[], parts: EngagementRules): Promise<void> {
  const found = await findEngagedMessages(
    tx,
    noted.map((each) => each.named),
  )
  const rows = engagementRows(noted, found, parts)
  const people = new Map<string, Person>(rows.map((row) => [row.person.profile_id, row.person]))
  if (people.size === 0) return
  const held = await lockUnmerged(tx, [...people.values()])
  if (held < people.size) throw new PersonRemoved('a profile was merged away or deleted')
  const fresh = await upsertEngagements(tx, rows)
  await insertEngagementSignals(
    tx,
    rows.filter((_, i) => fresh.has(i)),
    parts,
  )
}

/** Messages of canvases and campaigns: what their people had of them, and whoever listens, hears of each thing once. */
async function insertEngagementSignals(
  tx: Tx,
  fresh: readonly EngagementRow[],
  { newId }: EngagementRules,
): Promise<void> {
  const told = fresh.flatMap(({ kind, flow_id, firstMs, ...row }) => {
    if (flow_id === null || (kind !== 'opened' && kind !== 'clicked')) return []
    return [{ ...row, kind, flow_id, atUs: firstMs * 1000 }]
  })
  if (told.length === 0 || !newId) return
  await noteEngaged(tx, told)
  const heard = await listWatchedNames(tx, 'engagement')
  await insertSignals(
    tx,
    told.flatMap(({ person: { bucket, profile_id }, workspace_id, message_id, kind: name, flow_id, atUs }) => {
      if (!heard.some((each) => each.workspace_id === workspace_id && (each.name === '' || each.name === name)))
        return []
      const properties = JSON.stringify({ flow_id })
      const who = { bucket, profile_id, workspace_id, signal_id: newId(bucket) }
      return [{ ...who, kind: 'engagement', name, timeUs: atUs, atUs, properties, message_id } as const]
    }),
  )
}

/** What is written of what was seen, each key once, in key order. */
export function engagementRows(
  noted: readonly ObservedEngagement[],
  found: readonly EngagedMessage[],
  { promptMs, tracks = () => true }: EngagementRules,
): EngagementRow[] {
  const rows = new Map<string, EngagementRow>()
  for (const message of found) {
    const { named, link, firstMs, lastMs, count, workspace_id, ...seen } = noted[message.n - 1]!
    if (workspace_id !== undefined && workspace_id !== message.workspace_id) continue
    if (seen.kind !== 'unsubscribed' && (isUnwanted(seen.kind, message) || !tracks(message.workspace_id, seen.kind)))
      continue
    const kind = kindOf(seen, isPrompt(message, firstMs, promptMs))
    const { channel, workspace_id: whose, flow_id } = message
    const { message_id } = named
    const key = `${message.profile_id} ${message_id} ${kind} ${link}`
    const row = rows.get(key)
    if (!row) {
      const owner = person(message.bucket, message.profile_id)
      const about = { message_id, channel, kind, link, workspace_id: whose, flow_id }
      rows.set(key, { person: owner, ...about, firstMs, lastMs, count })
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

/** Of a message whose end is not written down yet the mail server may have known for a moment. */
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
