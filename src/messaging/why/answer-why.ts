import { describePeople, type SegmentPeopleServices } from '../../audience/segments/segment-people.ts'
import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty, readUuid } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { uuidToHex } from '../../base/ids.ts'
import { confirmationSentence, stateOf } from '../../people/confirmations/confirmation.ts'
import { listConfirmationsOf } from '../../people/confirmations/confirmation-store.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import { aliasParts, type Identifier } from '../../people/identity/identifier.ts'
import { bucketOfId, bucketsOf, type Person, person } from '../../people/identity/person.ts'
import { readQueryIdentifier } from '../../people/identity/query-identifier.ts'
import { identifierWords, notValid } from '../../people/values/refusals.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import type { Flow } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { answerSentence } from './answer-sentence.ts'
import { type DescribeServices, describeRows } from './describe-decisions.ts'
import { explainFlow, type FlowExplanation, findQueriedFlow, toWhyFlow } from './explain-flow.ts'
import { orderEntriesMax, whoForFlow } from './flow-explanation-schema.ts'
import { listEntryIds, listOrderEntries } from './flow-explanation-store.ts'
import {
  nothing,
  openMax,
  sharersMax,
  type WhyConfirmation,
  type WhyReply,
  whoOrDispatch,
  whyPageDefault,
  whyPageMax,
} from './why-schema.ts'
import {
  type DecisionCursor,
  type DecisionQuery,
  type ExplainedDecisionRow,
  findKeptPerson,
  listDecisions,
  listOpenMessages,
  listOpenSlots,
} from './why-store.ts'

export type WhyServices = SegmentPeopleServices & DescribeServices & { readonly graphs: Graphs }

/** The parts of the query. */
type WhyRequest = {
  readonly flow: Flow | undefined
  readonly identifier: Identifier | undefined
  /** The people who have the identifier. */
  readonly people: readonly Person[]
  readonly dispatch_id: string | undefined
}

/**
 * Explains why a person got a message or did not: all decisions about the person, about an order, or both, newest first. The first page
 * also has what has not ended yet. For an identifier that nobody has, it returns the decisions about the identifier. Throws 400.
 */
export async function answerWhy(
  call: Call,
  query: Query,
  workspace: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
  services: WhyServices,
): Promise<WhyReply> {
  const { workspace_id } = workspace
  const limit = readLimit(query, whyPageDefault, whyPageMax)
  const after = readCursor(query)
  const request = await readRequest(call, query, workspace_id, services)
  const { flow, identifier, people, dispatch_id } = request
  const [found, described, explanation, confirmations] = await Promise.all([
    findRows(call, workspace_id, request, after, limit),
    describePeople(call, people, services),
    flow && !after ? explainFlowFor(call, workspace, flow, request, services) : undefined,
    after ? [] : openConfirmations(call, people, services),
  ])
  const page = found.decisions.slice(0, limit)
  const rows = await describeRows(call, workspace_id, { ...found, decisions: page, dispatch_id }, services)
  const isEmpty = rows.open.length + page.length === 0 && !after && !explanation?.entries.length
  const because = isEmpty ? explainEmpty(request, rows.isOrderKnown, explanation) : undefined
  const reply = {
    people: described,
    ...(confirmations.length > 0 && { confirmations }),
    ...(identifier && people.length === 0 && { reason: 'no_such_user' as const }),
    ...(because && { because }),
    ...(flow && { [flow.kind]: toWhyFlow(flow) }),
    ...explanation,
    open: rows.open,
    decisions: rows.decisions,
    ...(found.decisions.length > limit && { cursor: cursorAfter(page, after) }),
  }
  return { ...reply, sentence: answerSentence(reply) }
}

/** Lists what people were asked to confirm and have not confirmed. */
async function openConfirmations(
  { db, clock }: Call,
  people: readonly Person[],
  { formatServiceId }: WhyServices,
): Promise<WhyConfirmation[]> {
  const nowMs = clock.now()
  const asked = await listConfirmationsOf(db, people)
  return asked.flatMap((each) => {
    const state = stateOf(each, nowMs)
    if (state === 'confirmed') return []
    const { profile_id, subscription_group_id, group_name: group, dispatch_id, expires_at } = each
    return [
      {
        person: formatServiceId(profile_id),
        ...{ subscription_group_id, group, state, dispatch_id: uuidToHex(dispatch_id) },
        sentence: confirmationSentence(each, group, nowMs),
        expires_at: expires_at.toISOString(),
      },
    ]
  })
}

async function readRequest(call: Call, query: Query, workspace_id: number, services: WhyServices): Promise<WhyRequest> {
  const flow = await findQueriedFlow(call, query, workspace_id)
  const dispatch_id = readUuid(query, 'dispatch_id')
  const identifier = readQueryIdentifier(query, identifierWords(services.serviceName))
  if (!identifier && flow) throw invalid(whoForFlow)
  if (!identifier && !dispatch_id) throw invalid(whoOrDispatch)
  const people = identifier ? await findSharers(call, workspace_id, identifier, services) : []
  return { flow, identifier, people, dispatch_id }
}

/** Finds the people who have an identifier. For a person who was merged it returns the kept one. */
async function findSharers(
  { db }: Call,
  workspace_id: number,
  identifier: Identifier,
  { parseServiceId }: WhyServices,
): Promise<Person[]> {
  if (identifier.kind === 'service_id') {
    const profile_id = parseServiceId(identifier.value)
    const kept = profile_id && (await findKeptPerson(db, workspace_id, person(bucketOfId(profile_id), profile_id)))
    return kept ? [kept] : []
  }
  const [found] = await findPeople(db, workspace_id, [identifier], parseServiceId, sharersMax)
  return found?.people ?? []
}

/** Finds one decision more than a page has; messages and slots for the first page only. */
async function findRows(
  { db }: Call,
  workspace_id: number,
  { flow, identifier, people, dispatch_id }: WhyRequest,
  after: DecisionCursor | undefined,
  limit: number,
) {
  const asked = identifier && nameInOrders(identifier)
  const unknown = asked ? [{ bucket: bucketsOf(workspace_id, identifier.kind, identifier.value).bucket, asked }] : []
  // After a merge with a person without identifiers, orders have the profile id.
  const names = [...(asked ? [asked] : []), ...people.map(({ profile_id }) => ({ profile_id }))]
  const entry_ids = dispatch_id === undefined ? [] : await listCauses(db, dispatch_id, identifier && people)
  const wanted: DecisionQuery = { workspace_id, people, unknown, dispatch_id, entry_ids, flow_id: flow?.flow_id }
  const isUnknown = identifier !== undefined && people.length + unknown.length === 0
  const isFirst = after === undefined && !isUnknown
  const [decisions, messages, slots] = await Promise.all([
    isUnknown ? [] : listDecisions(db, wanted, after, limit + 1),
    isFirst && !(identifier && people.length === 0) ? listOpenMessages(db, wanted, openMax) : [],
    isFirst && (dispatch_id || names.length > 0) ? listOpenSlots(db, wanted, names, openMax) : [],
  ])
  return { decisions, messages, slots }
}

/** Returns an identifier as orders have it, or undefined for a kind by which decisions and orders are not looked up. */
function nameInOrders({ kind, value }: Identifier): object | undefined {
  if (kind === 'external_id') return { external_user_id: value }
  return kind === 'alias' ? { user_alias: aliasParts(value) } : undefined
}

/** Lists the entries of an order: those of `people`, or some of all entries if `people` is undefined. */
function listCauses(db: Call['db'], dispatch_id: string, people: readonly Person[] | undefined): Promise<string[]> {
  return people ? listEntryIds(db, people, dispatch_id) : listOrderEntries(db, dispatch_id, orderEntriesMax)
}

function explainFlowFor(
  { db, clock }: Call,
  { settings }: Pick<WorkspaceRow, 'settings'>,
  flow: Flow,
  { people, dispatch_id }: WhyRequest,
  { graphs, formatServiceId }: WhyServices,
): Promise<FlowExplanation> {
  const zone = completeSettings(settings).time_zone
  return explainFlow(flow, people, dispatch_id, { db, graphs, zone, nowMs: clock.now(), formatServiceId })
}

/** Says why an answer has no decisions. */
function explainEmpty(
  { flow, identifier, people, dispatch_id }: WhyRequest,
  isOrderKnown: boolean,
  explanation: FlowExplanation | undefined,
): string {
  if (identifier && people.length === 0) return nothing.no_such_user
  if (!isOrderKnown) return nothing.unknown_order
  if (flow) return explanation?.never_entered[0]?.because ?? nothing.no_flow
  if (!identifier) return nothing.no_people
  return dispatch_id ? nothing.not_recipient : nothing.no_messages
}

/** Returns the next cursor. It counts the decisions of the last microsecond on the pages so far: several may have the same time. */
function cursorAfter(page: readonly ExplainedDecisionRow[], after: DecisionCursor | undefined): string {
  const { us } = page.at(-1)!
  const here = page.filter((row) => row.us === us).length
  const before = after?.us === us ? after.skip : 0
  return Buffer.from(`${us}.${here + before}`).toString('base64url')
}

function readCursor(query: Query): DecisionCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, us, skip] = /^(\d{1,18})\.(\d{1,9})$/.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!us || !skip) throw invalid(notValid('cursor'))
  return { us, skip: Number(skip) }
}
