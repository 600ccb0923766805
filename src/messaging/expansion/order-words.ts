import { channelOf } from '../channels/channels.ts'
import { type Family, familyOf } from '../ledger/families.ts'
import { type Reason, reasons } from '../ledger/reasons.ts'
import { isEndState, type MessageState } from '../messages/states.ts'
import { contentsOf, type Sending } from '../orders/sending.ts'
import type { OrderAction, Outcome, Progress } from './schema.ts'

type Counts = Readonly<Record<string, number>>

/** What became of the people of an order, or of its messages. */
export type OrderCounts = {
  readonly state: Progress
  readonly found: number
  readonly unknown: number
  /** By state, and by how they ended. */
  readonly entries: Counts
  /** By state. */
  readonly messages: Counts
  /** Of everything that has ended, by reason. */
  readonly reasons: Counts
  /** The reasons that messages have. Others are of people who got none. */
  readonly messageReasons: ReadonlySet<string>
  readonly hasMissed: boolean
}

const completed = 'completed'
const completedOutcome = {
  reason: completed,
  words: 'the person reached the end of the flow',
  family: 'sent',
  has_messages: false,
} as const
const numbers = new Intl.NumberFormat('en')
const stateWords: Readonly<Record<Progress, string>> = {
  waiting: 'Waiting',
  running: 'Running',
  paused: 'Paused',
  cancelled: 'Cancelled',
  done: 'Done',
}

/** Returns what became of an order: the most frequent first, what has not ended last. Pure. */
export function outcomesOf(counts: OrderCounts): Outcome[] {
  const ended = Object.entries(counts.reasons).map(([reason, count]) => ({
    ...{ reason, words: reasons[reason as Reason], family: familyOf(reason as Reason), count },
    has_messages: counts.messageReasons.has(reason),
  }))
  const through = counts.entries[completed] ?? 0
  const all = through === 0 ? ended : [...ended, { ...completedOutcome, count: through }]
  const sorted = all.toSorted((one, other) => other.count - one.count || one.reason.localeCompare(other.reason))
  const left = toGo(counts)
  return left === 0 ? sorted : [...sorted, { ...openOutcome, count: left, has_messages: openMessages(counts) > 0 }]
}

const openOutcome = { reason: null, words: 'it has not ended yet', family: 'waiting' } as const

/** Returns how many people or messages have not ended. Pure. */
export function toGo(counts: Pick<OrderCounts, 'messages' | 'entries'>): number {
  const standing = Object.entries(counts.entries).filter(([how]) => how !== completed && !(how in reasons))
  return openMessages(counts) + sum(standing.map(([, count]) => count))
}

function openMessages({ messages }: Pick<OrderCounts, 'messages'>): number {
  return sum(Object.entries(messages).map(([state, count]) => (isEndState(state as MessageState) ? 0 : count)))
}

/** Says how far an order is. Pure. */
export function progressSentence(counts: OrderCounts): string {
  const { state, found, unknown } = counts
  if (state === 'waiting') return 'Waiting: its time has not come.'
  const all = found + unknown
  const left = toGo(counts)
  const ended = sum(outcomesOf(counts).flatMap(({ reason, count }) => (reason === null ? [] : [count])))
  const parts = [`${formatted(all)} found`]
  if (state === 'done') parts.push(...sumsByFamily(counts))
  else parts.push(`${formatted(ended)} ended`, `${formatted(left)} to go`)
  return `${stateWords[state]}. ${listed(parts)}.`
}

/** Returns which changes an order allows now. The server checks each of them again. Pure. */
export function actionsOf({ state, hasMissed }: Pick<OrderCounts, 'state' | 'hasMissed'>): OrderAction[] {
  if (state === 'cancelled') return []
  const missed: readonly OrderAction[] = hasMissed ? ['send-missed'] : []
  if (state === 'done') return [...missed]
  return [state === 'paused' ? 'resume' : 'pause', 'cancel', ...missed]
}

/** Returns such as `A mail and a text message`. */
function joined(words: readonly string[]): string {
  return words.map((word, i) => (i === 0 ? word : `${word.charAt(0).toLowerCase()}${word.slice(1)}`)).join(' and ')
}

type Named = { readonly kind: string; readonly name: string } | undefined

/** Says what an order sends. A subject may name a person, so it is not part of it. Pure. */
export function whatWords(sending: Sending, named: Named): string {
  const { flow, campaign } = sending
  const sent = joined(Object.keys(contentsOf(sending)).map((name) => channelOf(name).words.sent))
  if (flow) return `The ${flow.kind} "${named?.name ?? flow.id}"`
  if (campaign && named) return `${sent} of the ${named.kind} "${named.name}"`
  return sent === '' ? 'A message of a channel that is not delivered here' : sent
}

/** Says who gets the messages of an order. Pure. */
export function recipientWords(sending: Sending, segmentName: string | undefined): string {
  const { recipients, segment_id, audience } = sending
  const within = [
    ...(segment_id === undefined ? [] : [`the segment "${segmentName ?? segment_id}"`]),
    ...(audience === undefined ? [] : ['its own conditions']),
  ].join(' and ')
  if (recipients) {
    const named = recipients.length === 1 ? 'One named recipient' : `${formatted(recipients.length)} named recipients`
    return within === '' ? named : `${named}, if in ${within}`
  }
  return within === '' ? 'Everybody' : `Everybody in ${within}`
}

function sumsByFamily(counts: OrderCounts): string[] {
  const families = Map.groupBy(outcomesOf(counts), ({ family }) => family)
  const words: readonly (readonly [Family, string])[] = [
    ['sent', Object.keys(counts.entries).length > 0 ? 'went through' : 'sent'],
    ['held', 'held'],
    ['control', 'in the control group'],
    ['failed', 'failed'],
    ['uncertain', 'uncertain'],
  ]
  return words.flatMap(([family, word]) => {
    const count = sum((families.get(family) ?? []).map((one) => one.count))
    return count === 0 ? [] : [`${formatted(count)} ${word}`]
  })
}

function formatted(count: number): string {
  return numbers.format(count)
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
