import type { Db, Tx } from '../../base/db/db.ts'
import { newUuid } from '../../base/ids.ts'
import { claimMessages, listDueMessageLanes } from '../messages/claim-store.ts'
import { type Capacity, fairShares } from '../messages/fair-shares.ts'
import { isEntryMessage, type Lane, type LeasedMessage, messageClasses } from '../messages/message.ts'
import { endFor } from '../messages/outcome.ts'
import type { EmailSending } from '../orders/sending.ts'
import { judgeCaps } from './caps.ts'
import { type Concluded, type ConcludeParts, conclude } from './conclude.ts'
import { judgeStanding, readStandings, type Standings } from './eligibility.ts'
import { aboutOf, contentOf } from './flow-standing.ts'
import { domainOf, type Item } from './item.ts'
import { type Level, perSecondOf, Queues } from './rates.ts'
import { listSendings } from './standing-store.ts'
import { place } from './throttle.ts'

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
export function openClaiming(parts: ClaimParts): (room: Capacity, mayClaim: (lane: Lane) => boolean) => Promise<Claim> {
  const { db, clock, leaseMs } = parts
  const known = new Map<string, EmailSending>()
  const queues = new Queues()
  const levels: readonly Level[] = parts.isLimited ? ['flow', 'domain', 'transport'] : ['flow']
  let turn = 0
  let found = false
  return async (room, mayClaim) => {
    const nowMs = clock.now()
    const workspaceIds = parts.workspaceIds()
    // Looking without finding costs no transaction; where there was something there is likely more.
    const isLikely = found && workspaceIds.length === 1
    const due = (isLikely ? lanesOf(workspaceIds[0]!) : await listDueMessageLanes(db, workspaceIds, nowMs)).filter(
      mayClaim,
    )
    found = false
    const shares = fairShares(due, room, turn++)
    if (shares.length === 0) return nothing
    return db.transaction(async (tx) => {
      const untilMs = clock.elapsed() + leaseMs
      const messages = await claimMessages(tx, shares, { lease: newUuid(), nowMs, untilMs })
      found = messages.length > 0
      if (!found) return nothing
      const { items, concluded } = await admit(tx, messages, known, nowMs, parts)
      const { going, waiting } = await place(tx, items, levels, queues, parts)
      return { items: going, concluded: await conclude(tx, [...concluded, ...waiting], parts) }
    })
  }
}

function lanesOf(workspace_id: number): Lane[] {
  return messageClasses.map((kind) => ({ workspace_id, class: kind }))
}

/** Who may get theirs, by what holds now. */
async function admit(
  tx: Tx,
  messages: readonly LeasedMessage[],
  known: Map<string, EmailSending>,
  nowMs: number,
  parts: ClaimParts,
): Promise<Claim> {
  const standings = await readStandings(tx, messages, parts, true)
  const sendings = await sendingsOf(tx, messages, standings, known)
  const items: Item[] = []
  const concluded: Concluded[] = []
  for (const message of messages) {
    const item = itemOf(message, standings, sendings)
    const outcome = item
      ? judgeStanding(item, standings, nowMs, parts)
      : endFor({ reason: 'cancelled', rule: 'what it was to say is gone' })
    if (outcome) concluded.push({ message, outcome })
    else items.push(item!)
  }
  const { left, capped } = await judgeCaps(tx, items, nowMs, parts)
  return { items: left, concluded: [...concluded, ...capped] }
}

/** Undefined when what it was to say is gone. */
function itemOf(
  message: LeasedMessage,
  { standings, flows }: Standings,
  sendings: ReadonlyMap<string, EmailSending>,
): Item | undefined {
  const standing = standings.get(message.message_id)!
  const address = standing.email ?? ''
  const { email_open_tracking_disabled, email_click_tracking_disabled } = standing
  const tracking = { opens: !email_open_tracking_disabled, clicks: !email_click_tracking_disabled }
  const who = { message, address, domain: domainOf(address), tracking }
  if (!isEntryMessage(message)) {
    const sending = sendings.get(message.cause)
    return sending && { ...who, sending, order: message.cause }
  }
  const flow = flows.get(message.message_id)
  const sending = flow && contentOf(message, flow)
  if (!sending) return undefined
  const order = `${message.flow_id}/${message.flow_version}/${message.step}`
  return { ...who, sending, order, about: aboutOf(message, flow), rate: perSecondOf(flow.graph.rate) }
}

/** What is sent, by dispatch; read anew when the dispatch has changed. */
async function sendingsOf(
  tx: Tx,
  messages: readonly LeasedMessage[],
  { standings }: Standings,
  known: Map<string, EmailSending>,
): Promise<Map<string, EmailSending>> {
  const ordered = messages.filter((message) => !isEntryMessage(message))
  const versions = new Map(
    ordered.map(({ cause, message_id }) => [cause, `${cause} ${standings.get(message_id)?.dispatch_version}`]),
  )
  const missing = [...versions].flatMap(([cause, version]) => (known.has(version) ? [] : [cause]))
  const loaded = missing.length === 0 ? new Map<string, EmailSending>() : await listSendings(tx, missing)
  const sendings = new Map<string, EmailSending>()
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
