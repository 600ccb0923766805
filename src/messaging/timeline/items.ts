import { uuidToHex } from '../../base/ids.ts'
import type { WorkKind, WorkOutcome } from '../../people/merge/work-schema.ts'
import type { Flow } from '../flows/flow.ts'
import { type Family, familyOf, isHeld } from '../ledger/families.ts'
import { messageWait } from '../why/message-wait.ts'
import { capital, decisionSentence, messageWords, type Subject, waitSentence } from '../why/sentences.ts'
import type {
  ReturnRow,
  TimelineDecisionRow,
  TimelineEngagementRow,
  TimelineEntryRow,
  TimelineMessageRow,
  TimelineRow,
  TimelineWorkRow,
} from './rows.ts'
import { detailCharactersMax, type FlowLink, type TimelineItem, type TimelineKind } from './schema.ts'

/** What sentences need besides rows. */
export type TimelineWords = {
  /** Names of events and products by their numbers. */
  readonly names: ReadonlyMap<number, string>
  readonly apps: ReadonlyMap<string, { readonly name: string }>
  readonly flows: ReadonlyMap<number, Flow>
  /** The orders that made entries, by `entry_id`. */
  readonly entryOrders: ReadonlyMap<string, string>
  readonly nowMs: number
  /** What is wrong with the mail server. */
  readonly trouble: ((channel: string) => string | undefined) | undefined
}

type Said = Pick<TimelineItem, 'kind' | 'sentence'> & Partial<TimelineItem>

const nothing = {
  ...{ family: null, detail: null, reason: null, message_id: null, flow: null },
  ...{ step: null, entry_id: null, dispatch_id: null, request_id: null },
} as const

/** Returns a row as an item of a timeline, with its sentence. Pure. */
export function itemOf(row: TimelineRow, words: TimelineWords): TimelineItem {
  const said = sayRow(row, words)
  const detail = said.detail ?? null
  const isLong = detail !== null && detail.length > detailCharactersMax
  return {
    at: new Date(Number(row.us) / 1000).toISOString(),
    ...nothing,
    ...said,
    detail: isLong ? `${detail.slice(0, detailCharactersMax - 3).toWellFormed()}...` : detail,
  }
}

function sayRow(row: TimelineRow, words: TimelineWords): Said {
  switch (row.source) {
    case 'event':
      return { kind: 'event', sentence: `Did ${nameOf(row, words)}.`, detail: row.properties }
    case 'purchase': {
      const times = row.quantity === 1 ? '' : ` ${row.quantity} times`
      const price = `${row.price} ${row.currency}${row.quantity === 1 ? '' : ' each'}`
      return {
        kind: 'purchase',
        sentence: `Bought ${nameOf(row, words)}${times} for ${price}.`,
        detail: row.properties,
      }
    }
    case 'session':
      return { kind: 'session', sentence: `Used the app ${words.apps.get(row.app_id)?.name ?? row.app_id}.` }
    case 'decision':
      return sayDecision(row, words)
    case 'message':
      return sayWaiting(row, words)
    case 'engagement':
      return { kind: 'engagement', sentence: engagementSentence(row, words), detail: row.url, ...linksOf(row, words) }
    case 'return':
      return sayReturn(row, words)
    case 'entry':
      return sayEntry(row, words)
    case 'work':
      return sayWork(row)
  }
}

function nameOf({ name_id }: { readonly name_id: number }, { names }: TimelineWords): string {
  return names.get(name_id) ?? 'something whose name is not known'
}

/** Decisions about entries are the ends of those that had begun. Of messages, those that went out or failed are messages. */
export function kindOfDecision({
  channel,
  step,
  reason,
}: Pick<TimelineDecisionRow, 'channel' | 'step' | 'reason'>): TimelineKind {
  if (channel === '') return step === '' ? 'decision' : 'flow'
  return isHeld(reason) ? 'decision' : 'message'
}

function sayDecision(row: TimelineDecisionRow, words: TimelineWords): Said {
  const { reason, rule } = row
  return {
    ...{ kind: kindOfDecision(row), family: familyOf(reason), reason, detail: rule },
    sentence: decisionSentence(subjectOf(row, words), reason),
    ...linksOf(row, words),
  }
}

function sayWaiting(row: TimelineMessageRow, words: TimelineWords): Said {
  const { nowMs, trouble } = words
  const wait = messageWait(row, nowMs, trouble)
  const sentence = waitSentence(subjectOf(row, words), wait.waits_for)
  return { kind: 'message', family: 'waiting', sentence, ...linksOf(row, words) }
}

const engaged: Readonly<Record<string, (what: string) => string>> = {
  opened: (what) => `Opened ${what}`,
  clicked: (what) => `Clicked a link in ${what}`,
  machine_opened: (what) => `A program, not the person, opened ${what}`,
  machine_clicked: (what) => `A program, not the person, followed a link in ${what}`,
  unsubscribed: (what) => `Unsubscribed by ${what}`,
}

function engagementSentence(row: TimelineEngagementRow, words: TimelineWords): string {
  const what = messageWords({ ...subjectOf(row, words), step: null })
  const said = (engaged[row.kind] ?? ((each: string) => `${capital(row.kind)}: ${each}`))(what)
  return `${said}${row.count > 1 ? `, ${row.count} times since` : ''}.`
}

function sayReturn(row: ReturnRow, words: TimelineWords): Said {
  const what = messageWords({ ...subjectOf(row, words), step: null })
  const isBounce = row.what === 'bounced'
  const family: Family = isBounce ? 'failed' : 'held'
  const sentence = isBounce ? capital(`${what} bounced.`) : `Reported ${what} as spam.`
  return { kind: 'engagement', family, sentence, detail: row.response, ...linksOf(row, words) }
}

function sayEntry({ flow_id, what, version, entry_id, dispatch_id }: TimelineEntryRow, { flows }: TimelineWords): Said {
  const flow = flows.get(flow_id)
  const where = flow ? `the ${flow.kind} "${flow.name}"` : 'a canvas that was deleted'
  const links = { flow: linkOf(flow), entry_id, dispatch_id: dispatch_id && uuidToHex(dispatch_id) }
  if (what === 'entered') return { kind: 'flow', sentence: `Entered ${where}, version ${version}.`, ...links }
  return { kind: 'flow', sentence: `Reached the end of ${where}.`, ...links }
}

const asked: Readonly<Record<WorkKind, string>> = {
  merge: 'A merge with another person',
  identify: 'An identification',
  delete: 'A deletion',
}
const carriedOut: Readonly<Record<WorkKind, string>> = {
  merge: 'Another person was merged into this one.',
  identify: 'The person was identified by an external id.',
  delete: 'A deletion was carried out.',
}
const withoutEffect: Readonly<Record<Exclude<WorkOutcome, 'done'>, string>> = {
  nobody_matched: 'nobody matched',
  several_matched: 'several people matched',
  same_person: 'both were the same person',
  already_identified: 'the person had an external id already',
  label_taken: 'the other person had another alias with this label',
  discarded: 'an administrator discarded it',
  failed: 'of a defect of the service',
}

function sayWork({ kind, outcome, request_id }: TimelineWorkRow): Said {
  const head = { kind: 'work', request_id } as const
  if (outcome === null)
    return { ...head, family: 'waiting', sentence: `${asked[kind]} was accepted and waits for its turn.` }
  if (outcome === 'done') return { ...head, sentence: carriedOut[kind] }
  const family = outcome === 'failed' ? 'failed' : null
  return {
    ...head,
    family,
    sentence: `${asked[kind]} was asked for and changed nothing, because ${withoutEffect[outcome]}.`,
  }
}

type AboutMessage = TimelineDecisionRow | TimelineMessageRow | TimelineEngagementRow | ReturnRow

function subjectOf({ channel, subject, address, step, flow_id }: AboutMessage, { flows }: TimelineWords): Subject {
  const flow = flow_id === null ? undefined : flows.get(flow_id)
  return { channel: channel || null, subject, address, step: step || null, flow }
}

/** The ids that lead on. The cause of a row of a flow is an entry, otherwise an order. */
function linksOf({ message_id, cause, step, flow_id }: AboutMessage, { flows, entryOrders }: TimelineWords) {
  const order = flow_id === null ? cause : entryOrders.get(cause)
  return {
    message_id,
    flow: linkOf(flow_id === null ? undefined : flows.get(flow_id)),
    step: step || null,
    entry_id: flow_id === null ? null : cause,
    dispatch_id: order === undefined ? null : uuidToHex(order),
  }
}

export function linkOf(flow: Flow | undefined): FlowLink | null {
  return flow ? { kind: flow.kind, id: flow.id, name: flow.name } : null
}
