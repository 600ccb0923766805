import { describePeople, type SegmentPeopleServices } from '../../audience/segments/segment-people.ts'
import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty, readUuid } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { uuidToHex } from '../../base/ids.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import { aliasParts, type Identifier } from '../../people/identity/identifier.ts'
import { bucketOfId, bucketsOf, type Person, person } from '../../people/identity/person.ts'
import { readQueryIdentifier } from '../../people/identity/query-identifier.ts'
import { identifierWords, notValid } from '../../people/values/refusals.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { reasonWords } from '../ledger/reasons.ts'
import { describeSchedule } from '../orders/schedule.ts'
import { orderEntriesMax, whoForFlow } from './entered-schema.ts'
import { findOrders, listEntryIds, listOrderEntries } from './entered-store.ts'
import { type FlowTold, readFlow, shownFlow, tellFlow } from './why-flow.ts'
import {
  nothing,
  openMax,
  sharersMax,
  type WhyDecision,
  type WhyDispatch,
  type WhyMessage,
  type WhyOpen,
  type WhyPlace,
  type WhyReply,
  whoOrDispatch,
  whyPageDefault,
  whyPageMax,
} from './why-schema.ts'
import {
  type DecisionRow,
  type DispatchRow,
  type EngagementRow,
  findDispatches,
  findKept,
  listAhead,
  listDecisions,
  listEngagement,
  listOpen,
  type MessageRow,
  type OpenRow,
  type Place,
  type Question,
  type SlotRow,
} from './why-store.ts'
import { waitingFor } from './why-waits.ts'

export type WhyParts = SegmentPeopleServices & { readonly graphs: Graphs }

/**
 * Why somebody got a message or did not: every decision about a person, in a dispatch, or both, newest first, and on the first page
 * what has not ended yet. People nobody knows are answered too, with what was recorded of their identifier.
 */
export async function answerWhy(
  call: Call,
  query: Query,
  workspace: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
  parts: WhyParts,
): Promise<WhyReply> {
  const { db } = call
  const { workspace_id } = workspace
  const flow = await readFlow(call, query, workspace_id)
  const limit = readLimit(query, whyPageDefault, whyPageMax)
  const after = readCursor(query)
  const dispatch_id = readUuid(query, 'dispatch_id')
  const who = readQueryIdentifier(query, identifierWords(parts.serviceName))
  if (!who && flow) throw invalid(whoForFlow)
  if (!who && !dispatch_id) throw invalid(whoOrDispatch)
  const people = who ? await peopleOf(call, workspace_id, who, parts) : []
  const asked = who ? askedAs(who) : undefined
  const unknown = who && asked ? [{ bucket: bucketsOf(workspace_id, who.kind, who.value).bucket, asked }] : []
  // Who was merged with somebody whom no request can name is named by the id of the profile.
  const names = [...(asked ? [asked] : []), ...people.map(({ profile_id }) => ({ profile_id }))]
  const entry_ids = dispatch_id === undefined ? [] : await entriesOf(call, dispatch_id, who && people)
  const question: Question = { workspace_id, people, unknown, dispatch_id, entry_ids, flow_id: flow?.flow_id }
  const nobody = who !== undefined && people.length + unknown.length === 0
  const first = after === undefined && !nobody
  const [decisions, open, ahead, faces, ofFlow] = await Promise.all([
    nobody ? [] : listDecisions(db, question, after, limit + 1),
    first && !(who && people.length === 0) ? listOpen(db, question, openMax) : [],
    first && (dispatch_id || names.length > 0) ? listAhead(db, question, names, openMax) : [],
    describePeople(call, people, parts),
    flow && !after ? tellOf(call, workspace, flow, people, dispatch_id, parts) : undefined,
  ])
  const page = decisions.slice(0, limit)
  const told = await tell(call, workspace_id, page, open, ahead, dispatch_id, parts)
  const isSilent = told.open.length + page.length === 0 && !after && !ofFlow?.entries.length
  const because = isSilent ? silence(who, people, dispatch_id, told.known, flow, ofFlow) : undefined
  return {
    people: faces,
    ...(who && people.length === 0 && { reason: 'no_such_user' as const }),
    ...(because && { because }),
    ...(flow && { [flow.kind]: shownFlow(flow) }),
    ...ofFlow,
    open: told.open,
    decisions: told.decisions,
    ...(decisions.length > limit && { cursor: cursorAfter(page, after) }),
  }
}

/** The entries of an order that are asked about: those of `people`, else some of all. */
function entriesOf({ db }: Call, dispatch_id: string, people: readonly Person[] | undefined): Promise<string[]> {
  return people ? listEntryIds(db, people, dispatch_id) : listOrderEntries(db, dispatch_id, orderEntriesMax)
}

/** What is told of a flow, in the words of the workspace. */
function tellOf(
  { db, clock }: Call,
  { settings }: Pick<WorkspaceRow, 'settings'>,
  flow: Flow,
  people: readonly Person[],
  dispatch_id: string | undefined,
  { graphs, formatServiceId }: WhyParts,
): Promise<FlowTold> {
  const zone = completeSettings(settings).time_zone
  return tellFlow(flow, people, dispatch_id, { db, graphs, zone, nowMs: clock.now(), formatServiceId })
}

/** Everybody who is meant; somebody who was merged away is asked about under who has them now. */
async function peopleOf(
  { db }: Call,
  workspace_id: number,
  who: Identifier,
  { parseServiceId }: SegmentPeopleServices,
): Promise<Person[]> {
  if (who.kind === 'service_id') {
    const profile_id = parseServiceId(who.value)
    const kept = profile_id && (await findKept(db, workspace_id, person(bucketOfId(profile_id), profile_id)))
    return kept ? [kept] : []
  }
  const [found] = await findPeople(db, workspace_id, [who], parseServiceId, sharersMax)
  return found?.people ?? []
}

/** An identifier as a request to send names it; undefined for one that none can name. */
function askedAs({ kind, value }: Identifier): object | undefined {
  if (kind === 'external_id') return { external_user_id: value }
  return kind === 'alias' ? { user_alias: aliasParts(value) } : undefined
}

type Told = { decisions: WhyDecision[]; open: WhyOpen[]; known: boolean }

/** What decisions, messages and slots are about: dispatches, the orders that brought entries, flows, and what people did with the mails. */
async function aroundOf(
  db: Call['db'],
  workspace_id: number,
  decisions: readonly DecisionRow[],
  open: readonly OpenRow[],
  ahead: readonly SlotRow[],
  dispatch_id: string | undefined,
) {
  const ofFlows = [...decisions, ...open].filter(({ flow_id }) => flow_id !== null)
  const orders = await findOrders(db, ofFlows)
  const causes = new Set([
    ...[...decisions, ...open].map(({ cause }) => orders.get(cause) ?? cause),
    ...ahead.map((slot) => slot.dispatch_id),
    ...(dispatch_id ? [dispatch_id] : []),
  ])
  const messages = [...decisions, ...open].flatMap(({ bucket, profile_id, message_id }) =>
    message_id === null ? [] : [{ bucket, profile_id, message_id }],
  )
  const [dispatches, engagement, flows] = await Promise.all([
    findDispatches(db, workspace_id, [...causes]),
    listEngagement(db, messages),
    flowsById(
      db,
      [...ofFlows, ...ahead].flatMap(({ flow_id }) => flow_id ?? []),
    ),
  ])
  return { orders, dispatches, flows, engaged: Map.groupBy(engagement, ({ message_id }) => message_id) }
}

/** What was found, in words. */
async function tell(
  { db, clock }: Call,
  workspace_id: number,
  decisions: readonly DecisionRow[],
  open: readonly OpenRow[],
  ahead: readonly SlotRow[],
  dispatch_id: string | undefined,
  { formatServiceId }: SegmentPeopleServices,
): Promise<Told> {
  const { orders, dispatches, flows, engaged } = await aroundOf(db, workspace_id, decisions, open, ahead, dispatch_id)
  const dispatchOf = (cause: string) => shownDispatch(dispatches.get(orders.get(cause) ?? cause))
  const messageOf = (row: MessageRow) =>
    row.message_id === null ? null : shownMessage(row, row.message_id, engaged.get(row.message_id) ?? [])
  const flowOf = ({ flow_id }: { flow_id: number | null }) => (flow_id === null ? undefined : flows.get(flow_id))
  // What an order itself has for a cause is of nobody who has entered.
  const placeOfRow = (row: DecisionRow | OpenRow) =>
    shownPlace(
      flowOf(row),
      row.profile_id === '0' || dispatches.has(row.cause) ? nowhere : { ...row, entry_id: row.cause },
    )
  const idOf = (profile_id: string) => (profile_id === '0' ? null : formatServiceId(profile_id))
  const nowMs = clock.now()
  return {
    known: dispatch_id === undefined || dispatches.has(dispatch_id),
    decisions: decisions.map((row) => {
      const { time, profile_id, channel, reason, rule, inputs, asked, cause } = row
      return {
        ...{
          at: iso(time),
          person: idOf(profile_id),
          channel: channel || null,
          reason,
          because: reasonWords(reason, channel),
          rule,
          inputs,
          asked,
        },
        dispatch: dispatchOf(cause),
        flow: placeOfRow(row),
        message: messageOf(row),
      }
    }),
    open: [
      ...open.map((row) => {
        const waits = waitingFor(row, nowMs)
        const { profile_id, channel, cause } = row
        const where = { dispatch: dispatchOf(cause), flow: placeOfRow(row) }
        return { person: idOf(profile_id), channel, ...waits, ...where, message: messageOf(row) }
      }),
      ...ahead.map((slot) => {
        const waits_for = slotWaits[slot.state]
        const until = slot.state === 'waiting' ? iso(slot.due_at) : null
        const where = { dispatch: dispatchOf(slot.dispatch_id), flow: shownPlace(flowOf(slot), nowhere) }
        return { person: null, channel: null, waits_for, until, ...where, message: null }
      }),
    ],
  }
}

const slotWaits: Readonly<Record<SlotRow['state'], string>> = {
  waiting: 'the time that it was scheduled for',
  held: 'somebody who resumes the dispatch',
  running: 'the people who are meant: they are being found',
}

function silence(
  who: Identifier | undefined,
  people: readonly Person[],
  dispatch_id: string | undefined,
  known: boolean,
  flow: Flow | undefined,
  told: FlowTold | undefined,
): string {
  if (who && people.length === 0) return nothing.no_such_user
  if (!known) return nothing.unknown_dispatch
  if (flow) return told?.never_entered[0]?.because ?? nothing.no_flow
  if (!who) return nothing.no_people
  return dispatch_id ? nothing.not_meant : nothing.no_messages
}

function shownDispatch(row: DispatchRow | undefined): WhyDispatch | null {
  if (!row) return null
  const { dispatch_id, schedule_id, send_id, class: kind, state, created_at, schedule, sending } = row
  return {
    ...{
      dispatch_id: uuidToHex(dispatch_id),
      schedule_id,
      send_id,
      class: kind,
      state,
      asked_at: iso(created_at),
      schedule: schedule && describeSchedule(schedule),
    },
    segment_id: sending.segment_id ?? null,
    audience: sending.audience ?? null,
    broadcast: sending.broadcast ?? false,
    recipient_subscription_state: sending.recipient_subscription_state ?? null,
  }
}

type InFlow = { readonly step: string; readonly visit: number; readonly entry_id: string | null }

/** In a flow, without having entered it. */
const nowhere: InFlow = { step: '', visit: 0, entry_id: null }

function shownPlace(flow: Flow | undefined, { step, visit, entry_id }: InFlow): WhyPlace | null {
  return flow ? { kind: flow.kind, id: flow.id, name: flow.name, step: step || null, visit, entry_id } : null
}

function shownMessage(row: MessageRow, message_id: string, engagement: readonly EngagementRow[]): WhyMessage {
  const { state, address, subject, response, warnings, attempts, links } = row
  return {
    ...{ message_id, state, address, subject, response, warnings: warnings ?? [], attempts },
    planned_at: iso(row.planned_at),
    ended_at: isoOrNull(row.ended_at),
    bounced_at: isoOrNull(row.bounced_at),
    complained_at: isoOrNull(row.complained_at),
    engagement: engagement.map(({ kind, link, first_at, last_at, count }) => {
      return { kind, url: links?.[link] ?? null, first_at: iso(first_at), last_at: iso(last_at), count }
    }),
  }
}

function iso(moment: Date): string {
  return moment.toISOString()
}

function isoOrNull(moment: Date | null): string | null {
  return moment && iso(moment)
}

/** Of decisions of one moment it is counted how many were shown. */
function cursorAfter(page: readonly DecisionRow[], after: Place | undefined): string {
  const { us } = page.at(-1)!
  const here = page.filter((row) => row.us === us).length
  const before = after?.us === us ? after.skip : 0
  return Buffer.from(`${us}.${here + before}`).toString('base64url')
}

function readCursor(query: Query): Place | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, us, skip] = /^(\d{1,18})\.(\d{1,9})$/.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!us || !skip) throw invalid(notValid('cursor'))
  return { us, skip: Number(skip) }
}
