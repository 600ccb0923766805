import type { Db, Tx } from '../base/db/db.ts'
import { newUuid } from '../base/ids.ts'
import { judgeStanding, readStandings } from './admit.ts'
import { claimQueued, listDue, listSendings, type Standing } from './claim-store.ts'
import { type Concluded, type ConcludeParts, conclude } from './conclude.ts'
import { domainOf, type Item } from './item.ts'
import type { Leased } from './leased.ts'
import { grantRoom } from './rate-store.ts'
import { capOf, type Level, Queues, wishesOf } from './rates.ts'
import { classes, type Delivered } from './sending.ts'
import { type Lane, type Room, sharesOf } from './shares.ts'
import { ended, placed } from './verdict.ts'

export type ClaimParts = ConcludeParts & {
  readonly db: Db
  readonly leaseMs: number
  /** The inbox has room for everything. */
  readonly isLimited: boolean
  workspaceIds(): readonly number[]
}

/** What a claim brought: messages to make mails of, and those that it has ended or put off. */
export type Claim = { readonly items: readonly Item[]; readonly concluded: readonly Concluded[] }

const nothing: Claim = { items: [], concluded: [] }
/** Orders to send that are kept in memory; a large one is a megabyte. */
const sendingsMax = 32

/**
 * Claims messages that are due. In the same transaction it is decided who may not get theirs, as of now, and who has to wait because
 * mail would go out too fast.
 */
export function openClaiming(parts: ClaimParts): (room: Room, mayClaim: (lane: Lane) => boolean) => Promise<Claim> {
  const { db, clock, leaseMs } = parts
  const known = new Map<string, Delivered>()
  const queues = new Queues()
  let turn = 0
  let found = false
  return async (room, mayClaim) => {
    const nowMs = clock.now()
    const workspaceIds = parts.workspaceIds()
    // Looking without finding costs no transaction; where there was something there is likely more.
    const isLikely = found && workspaceIds.length === 1
    const due = (isLikely ? lanesOf(workspaceIds[0]!) : await listDue(db, workspaceIds, nowMs)).filter(mayClaim)
    found = false
    const shares = sharesOf(due, room, turn++)
    if (shares.length === 0) return nothing
    return db.transaction(async (tx) => {
      const untilMs = clock.elapsed() + leaseMs
      const messages = await claimQueued(tx, shares, { lease: newUuid(), nowMs, untilMs })
      found = messages.length > 0
      if (!found) return nothing
      const { items, concluded } = await admit(tx, messages, known, nowMs)
      const { going, waiting } = parts.isLimited ? await place(tx, items, queues, parts) : { going: items, waiting: [] }
      return { items: going, concluded: await conclude(tx, [...concluded, ...waiting], parts) }
    })
  }
}

function lanesOf(workspace_id: number): Lane[] {
  return classes.map((kind) => ({ workspace_id, class: kind }))
}

/** Who may get theirs, by what holds now. */
async function admit(
  tx: Tx,
  messages: readonly Leased[],
  known: Map<string, Delivered>,
  nowMs: number,
): Promise<{ items: Item[]; concluded: Concluded[] }> {
  const { standings, stopped } = await readStandings(tx, messages)
  const sendings = await sendingsOf(tx, messages, standings, known)
  const items: Item[] = []
  const concluded: Concluded[] = []
  for (const message of messages) {
    const standing = standings.get(message.message_id)!
    const sending = sendings.get(message.cause)
    const verdict = sending
      ? judgeStanding(message, standing, stopped, sending.recipient_subscription_state, nowMs)
      : ended({ reason: 'cancelled', rule: 'the dispatch is gone' })
    if (verdict) concluded.push({ message, verdict })
    else items.push(itemOf(message, standing, sending!))
  }
  return { items, concluded }
}

function itemOf(message: Leased, standing: Standing, sending: Delivered): Item {
  const address = standing.email!
  const { email_open_tracking_disabled, email_click_tracking_disabled } = standing
  const tracking = { opens: !email_open_tracking_disabled, clicks: !email_click_tracking_disabled }
  return { message, address, domain: domainOf(address), tracking, sending }
}

/** What is sent, by dispatch; read anew when the dispatch has changed. */
async function sendingsOf(
  tx: Tx,
  messages: readonly Leased[],
  standings: ReadonlyMap<string, Standing>,
  known: Map<string, Delivered>,
): Promise<Map<string, Delivered>> {
  const versions = new Map(
    messages.map(({ cause, message_id }) => [cause, `${cause} ${standings.get(message_id)?.dispatch_version}`]),
  )
  const missing = [...versions].flatMap(([cause, version]) => (known.has(version) ? [] : [cause]))
  const loaded = missing.length === 0 ? new Map<string, Delivered>() : await listSendings(tx, missing)
  const sendings = new Map<string, Delivered>()
  for (const [cause, version] of versions) {
    const sending = known.get(version) ?? loaded.get(cause)
    if (!sending) continue
    sendings.set(cause, sending)
    known.delete(version)
    known.set(version, sending)
  }
  for (const version of [...known.keys()].slice(0, -sendingsMax)) known.delete(version)
  return sendings
}

/** Who goes now, and who asks again later on: first among the mail to the same domain, then among all mail. */
async function place(
  tx: Tx,
  items: readonly Item[],
  queues: Queues,
  parts: ClaimParts,
): Promise<{ going: readonly Item[]; waiting: Concluded[] }> {
  let going = items.toSorted((a, b) => classes.indexOf(a.message.class) - classes.indexOf(b.message.class))
  const waiting: Concluded[] = []
  for (const level of ['domain', 'transport'] as const) {
    const room = roomBefore[level]
    const asking = going.filter(({ message }) => message.room <= room)
    const placesMs = await placesAt(tx, asking, level, queues, parts)
    const late = new Set<Item>()
    for (const [i, item] of asking.entries()) {
      const placeMs = placesMs[i]
      if (placeMs === undefined) continue
      late.add(item)
      waiting.push({ message: item.message, verdict: placed(item.message, placeMs, room) })
    }
    going = going.filter((item) => !late.has(item))
  }
  return { going, waiting }
}

/** The room that messages have when they ask for that of a level: who waits for the transport alone does not ask for its domain again. */
const roomBefore: Readonly<Record<Level, number>> = { domain: 0, transport: 1 }

async function placesAt(
  tx: Tx,
  items: readonly Item[],
  level: Level,
  queues: Queues,
  parts: ClaimParts,
): Promise<(number | undefined)[]> {
  const workspaces = new Map(
    items.map(({ message }) => [parts.transportOf(message.workspace_id), message.workspace_id]),
  )
  const wanting = items.map(({ message, domain }) => {
    return { transport: parts.transportOf(message.workspace_id), domain, class: message.class }
  })
  const wishes = wishesOf(wanting, level).map((wish) => ({
    ...wish,
    cap: capOf(parts.ratesOf(workspaces.get(wish.transport)!), wish.domain),
  }))
  // Nobody complains about a transport as a whole: it is only as slow as it is set.
  const limited = level === 'domain' ? wishes : wishes.filter(({ cap }) => cap !== undefined)
  const nowMs = parts.clock.now()
  return queues.placesOf(wanting, level, await grantRoom(tx, limited, nowMs), nowMs)
}
