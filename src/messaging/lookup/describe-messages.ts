import type { Tx } from '../../base/db/db.ts'
import { uuidToHex } from '../../base/ids.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow } from '../flows/flow.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import { familyOf } from '../ledger/families.ts'
import type { DescribeServices } from '../why/describe-decisions.ts'
import { findEntryOrders } from '../why/flow-explanation-store.ts'
import { messageWait } from '../why/message-wait.ts'
import { decisionSentence, type Subject, waitSentence } from '../why/sentences.ts'
import type { MessageRow } from './list-store.ts'
import type { FoundMessage } from './schema.ts'

export type LookupServices = DescribeServices & { readonly graphs: Graphs }

type Words = {
  readonly flows: ReadonlyMap<number, Flow>
  readonly stepNames: ReadonlyMap<string, string | undefined>
  readonly entryOrders: ReadonlyMap<string, string>
  readonly nowMs: number
  readonly trouble: ((channel: string) => string | undefined) | undefined
  formatServiceId(profile_id: string): string
}

/** Describes messages of a workspace with their people, flows and steps, each with its sentence. */
export async function describeMessages(
  tx: Tx,
  { workspace_id, nowMs }: { readonly workspace_id: number; readonly nowMs: number },
  rows: readonly MessageRow[],
  services: LookupServices,
): Promise<FoundMessage[]> {
  const ofSteps = rows.flatMap(({ flow_id, flow_version }) =>
    flow_id === null || flow_version === null ? [] : [{ flow_id, version: flow_version }],
  )
  const flow_ids = rows.flatMap(({ flow_id }) => flow_id ?? [])
  const ofEntries = rows.filter(({ flow_version }) => flow_version !== null)
  const [flows, graphs, entryOrders] = await Promise.all([
    flowsById(tx, flow_ids),
    services.graphs.getReadable(tx, ofSteps),
    findEntryOrders(tx, ofEntries),
  ])
  const stepNames = new Map(
    ofEntries.map((row) => {
      const key = graphKey({ flow_id: row.flow_id!, version: row.flow_version! })
      return [stepKey(row), graphs.found.get(key)?.steps.get(row.step)?.name]
    }),
  )
  const { formatServiceId, delivery } = services
  const words = {
    ...{ flows, stepNames, entryOrders, formatServiceId },
    nowMs,
    trouble: (channel: string) => delivery?.trouble(channel, workspace_id),
  }
  return rows.map((row) => describeMessage(row, words))
}

function stepKey({ flow_id, flow_version, step }: MessageRow): string {
  return `${flow_id}/${flow_version}/${step}`
}

/** Returns a message as answers have it. Pure. */
function describeMessage(row: MessageRow, words: Words): FoundMessage {
  const { message_id, channel, state, reason, address, subject, step, visit, attempts, response, cause } = row
  const flow = row.flow_id === null ? undefined : words.flows.get(row.flow_id)
  const isOfEntry = row.flow_version !== null
  const order = isOfEntry ? words.entryOrders.get(cause) : cause
  return {
    ...{ message_id, channel, class: row.class },
    sentence: sentenceOf(row, flow, words),
    family: reason === null ? (state === 'uncertain' ? 'uncertain' : 'waiting') : familyOf(reason),
    ...{ reason, state },
    person: personOf(row, words),
    ...{ address, subject },
    flow: flow ? { kind: flow.kind, id: flow.id, name: flow.name, version: row.flow_version } : null,
    step: isOfEntry ? { id: step, name: words.stepNames.get(stepKey(row)) ?? null } : null,
    visit,
    dispatch_id: order === undefined ? null : uuidToHex(order),
    entry_id: isOfEntry ? cause : null,
    ...{ attempts, response },
    planned_at: row.planned_at.toISOString(),
    due_at: row.due_at.toISOString(),
    ended_at: isoOrNull(row.ended_at),
    bounced_at: isoOrNull(row.bounced_at),
    complained_at: isoOrNull(row.complained_at),
    ...decisionOf(row),
  }
}

function sentenceOf(row: MessageRow, flow: Flow | undefined, { nowMs, trouble }: Words): string {
  const { channel, address, step, state } = row
  const about: Subject = { channel, subject: shortSubject(row.subject), address, step: step || null, flow }
  if (row.reason !== null) return decisionSentence(about, row.reason)
  if (state === 'uncertain') return decisionSentence(about, 'uncertain')
  return waitSentence(about, messageWait(row, nowMs, trouble).waits_for)
}

/** Characters of a subject in a sentence. */
const subjectCharactersMax = 200

/** Returns a subject for a sentence, which a long one would drown. */
export function shortSubject(subject: string | null): string | null {
  if (subject === null || subject.length <= subjectCharactersMax) return subject
  return `${subject.slice(0, subjectCharactersMax - 3).toWellFormed()}...`
}

function personOf(row: MessageRow, { formatServiceId }: Words): FoundMessage['person'] {
  const { has_profile, profile_id, external_id, first_name, last_name, email } = row
  return has_profile ? { id: formatServiceId(profile_id), external_id, first_name, last_name, email } : null
}

function decisionOf(row: MessageRow): Pick<FoundMessage, 'decided' | 'is_undecided'> {
  const decided = row.is_resent ? 'resent' : row.left_at === null ? null : 'left'
  const isOpen = row.state === 'uncertain' || row.reason === 'set_aside'
  return { decided, is_undecided: isOpen && decided === null && !row.is_duplicate }
}

function isoOrNull(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
