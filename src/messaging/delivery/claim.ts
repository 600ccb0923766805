import type { Db, Tx } from '../../base/db/db.ts'
import { keyLookupsOnly } from '../../base/db/transaction-settings.ts'
import { newHiddenId } from '../../base/ids.ts'
import { channelOf } from '../channels/channels.ts'
import { claimMessages, claimSuspects, listDueMessageLanes, listDueSuspects } from '../messages/claim-store.ts'
import { type Capacity, fairShares, withOwnShares } from '../messages/fair-shares.ts'
import {
  isEntryMessage,
  type LeasedMessage,
  type MessageLane,
  messageClasses,
  type Queue,
} from '../messages/message.ts'
import { endFor } from '../messages/outcome.ts'
import { contentSending, type Sending } from '../orders/sending.ts'
import { applyCaps } from './caps.ts'
import type { DeliveryItem } from './delivery-item.ts'
import { decideEligibility, type Eligibility, readEligibility } from './eligibility.ts'
import { listSendings } from './eligibility-store.ts'
import { liquidContext, stepSending } from './entry-eligibility.ts'
import type { Pipeline } from './pipeline.ts'
import { perSecondOf, type RateLevel, ThrottleQueues } from './rates.ts'
import { chooseSuspects } from './suspects.ts'
import { throttle } from './throttle.ts'
import { type DeliveryResult, type ResultServices, writeResults } from './write-results.ts'

export type ClaimServices = ResultServices & {
  readonly db: Db
  readonly leaseMs: number
  /** Whether messages go to a server. The rates of channels do not apply to the inbox. */
  readonly toServer: boolean
  /** Returns what this deliverer delivers. */
  queues(): readonly Queue[]
}

/** The result of a claim: messages to prepare, and messages that it ended or postponed. */
export type Claim = { readonly items: readonly DeliveryItem[]; readonly concluded: readonly DeliveryResult[] }

const nothing: Claim = { items: [], concluded: [] }
/** Contents of orders that are kept in memory; a large one has a megabyte. */
const sendingsMax = 32
/** How often suspects are looked for while there are none. */
const suspectsEveryMs = 1_000
/** While messages are found, other lanes are looked at this often. */
const lanesEveryMs = 500

/** What the pipeline holds, as far as it decides what is claimed. */
export type HeldMessages = Pick<Pipeline, 'mayClaim' | 'ownShare' | 'suspects'>

/**
 * Returns a function that claims messages that are due, and some that have ended the process before. The same transaction checks
 * eligibility as of now, and postpones messages that exceed a rate.
 */
export function openClaims(services: ClaimServices): (room: Capacity, held: HeldMessages) => Promise<Claim> {
  const { db, clock, leaseMs } = services
  const known = new Map<string, Sending>()
  const throttled = new ThrottleQueues()
  const levels: readonly RateLevel[] = services.toServer ? ['flow', 'domain', 'transport'] : ['flow']
  let turn = 0
  let found: readonly Queue[] = []
  let lanesAtMs = 0
  let suspectsAtMs = 0
  async function findSuspects(queues: readonly Queue[], nowMs: number, preparing: readonly LeasedMessage[]) {
    if (clock.elapsed() < suspectsAtMs) return []
    const suspects = await listDueSuspects(db, queues, nowMs)
    if (suspects.length === 0) suspectsAtMs = clock.elapsed() + suspectsEveryMs
    return chooseSuspects(suspects, preparing)
  }
  /** Returns the lane that probably has more, since the last claim found messages there only; undefined when it is time to look at all. */
  function likelyLanes(all: readonly Queue[]): MessageLane[] | undefined {
    const [last, other] = found
    const isLikely = last && !other && all.every(({ workspace_id }) => workspace_id === last.workspace_id)
    return isLikely && (all.length === 1 || clock.elapsed() < lanesAtMs) ? lanesOf(last) : undefined
  }
  async function findLanes(all: readonly Queue[], nowMs: number): Promise<MessageLane[]> {
    lanesAtMs = clock.elapsed() + lanesEveryMs
    return listDueMessageLanes(db, all, nowMs)
  }
  return async function claim(room, held): Promise<Claim> {
    const nowMs = clock.now()
    const queues = services.queues()
    if (queues.length === 0) return nothing
    // An empty queue must not cost a transaction. While marketing mail has no capacity, there is probably nothing to claim.
    const likely = room.marketing === 0 ? undefined : likelyLanes(queues)
    const due = (likely ?? (await findLanes(queues, nowMs))).filter((lane) => held.mayClaim(lane))
    const shares = withOwnShares<MessageLane>(fairShares(due, room, turn++), due, (lane) => held.ownShare(lane))
    const suspects = await findSuspects(queues, nowMs, held.suspects())
    if (shares.length + suspects.length === 0) return nothing
    found = []
    const work = async (tx: Tx): Promise<Claim> => {
      const untilMs = clock.elapsed() + leaseMs
      const lease = newHiddenId()
      const usual = shares.length === 0 ? [] : await claimMessages(tx, shares, { lease, nowMs, untilMs })
      found = queuesOf(usual)
      const messages =
        suspects.length === 0 ? usual : [...usual, ...(await claimSuspects(tx, suspects, { lease, untilMs }))]
      if (messages.length === 0) return nothing
      const { items, concluded } = await checkEligibility(tx, messages, known, nowMs, services)
      const { passed, waiting } = await throttle(tx, items, levels, throttled, services)
      return { items: passed, concluded: await writeResults(tx, [...concluded, ...waiting], services) }
    }
    const claimed = await db.transaction(work, { settings: keyLookupsOnly })
    // There was no more, but another channel may have some.
    return claimed === nothing && likely && queues.length > 1 ? claim(room, held) : claimed
  }
}

function lanesOf({ workspace_id, channel }: Queue): MessageLane[] {
  return messageClasses.map((kind) => ({ workspace_id, channel, class: kind }))
}

/** Returns the queues of some messages, each once. */
function queuesOf(messages: readonly LeasedMessage[]): Queue[] {
  const byQueue = Map.groupBy(messages, ({ workspace_id, channel }) => `${workspace_id} ${channel}`)
  return [...byQueue.values()].map(([first]) => first!)
}

/** Splits claimed messages by eligibility as of now. */
async function checkEligibility(
  tx: Tx,
  messages: readonly LeasedMessage[],
  known: Map<string, Sending>,
  nowMs: number,
  services: ClaimServices,
): Promise<Claim> {
  const eligibility = await readEligibility(tx, messages, services, true)
  const sendings = await loadSendings(tx, messages, eligibility, known)
  const items: DeliveryItem[] = []
  const concluded: DeliveryResult[] = []
  for (const message of messages) {
    const item = deliveryItem(message, eligibility, sendings)
    const outcome = item
      ? decideEligibility(item, eligibility, nowMs, services)
      : endFor({ reason: 'cancelled', rule: 'its content was deleted' })
    if (outcome) concluded.push({ message, outcome })
    else items.push(item!)
  }
  const { left, capped } = await applyCaps(tx, items, nowMs, services)
  return { items: left, concluded: [...concluded, ...capped] }
}

/** Returns undefined when the content of the message was deleted. */
function deliveryItem(
  message: LeasedMessage,
  { rows, flows }: Eligibility,
  sendings: ReadonlyMap<string, Sending>,
): DeliveryItem | undefined {
  const row = rows.get(message.message_id)!
  const { consent, domainOf } = channelOf(message.channel)
  const address = consent.addressOf(row) ?? ''
  const common = { message, address, domain: domainOf(address), tracking: consent.trackingOf(row) }
  if (!isEntryMessage(message)) {
    const order = sendings.get(message.cause)
    const sending = order && contentSending(order, message.channel)
    return sending && { ...common, sending, contentKey: `${message.cause}/${message.channel}` }
  }
  const flow = flows.get(message.message_id)
  const sending = flow && stepSending(message, flow)
  if (!sending) return undefined
  const step = `${message.flow_id}/${message.flow_version}/${message.step}`
  const contentKey = flow.attachments ? `${step}/${flow.dispatch_id}` : step
  const order = flow.dispatch_id ?? undefined
  return {
    ...common,
    sending,
    contentKey,
    order,
    about: liquidContext(message, flow),
    rate: perSecondOf(flow.graph.rate),
  }
}

/** Returns the contents of orders by dispatch. Reads a content again when its dispatch has changed. */
async function loadSendings(
  tx: Tx,
  messages: readonly LeasedMessage[],
  { rows }: Eligibility,
  known: Map<string, Sending>,
): Promise<Map<string, Sending>> {
  const ordered = messages.filter((message) => !isEntryMessage(message))
  const versions = new Map(
    ordered.map(({ cause, message_id }) => [cause, `${cause} ${rows.get(message_id)?.dispatch_version}`]),
  )
  const missing = [...versions].flatMap(([cause, version]) => (known.has(version) ? [] : [cause]))
  const loaded = missing.length === 0 ? new Map<string, Sending>() : await listSendings(tx, missing)
  const sendings = new Map<string, Sending>()
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
