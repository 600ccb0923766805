import type { Call } from '../../base/call.ts'
import { invalid, notFound } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { listAllGroups } from '../../workspace/settings/store.ts'
import { notValid } from '../values/refusals.ts'
import { type ConfirmationState, confirmationStates, stateOf } from './confirmation.ts'
import { type ConfirmationCounts, type ConfirmationCursor, countOfGroup, listOfGroup } from './confirmation-store.ts'
import { describeTrace } from './describe.ts'
import { type ConfirmationsReply, confirmationPageDefault, confirmationPageMax } from './schema.ts'

export type ListConfirmationServices = { formatServiceId(profile_id: string): string }

/** The largest number of an id in the database. */
const idMax = 2n ** 63n - 1n

type OfGroup = { readonly workspace_id: number; readonly id: string }

/** Reads a page of the confirmations of a group, newest first. Throws 400 and 404. */
export async function listConfirmations(
  { db, clock }: Call,
  { workspace_id, id }: OfGroup,
  query: Query,
  { formatServiceId }: ListConfirmationServices,
): Promise<ConfirmationsReply> {
  const limit = readLimit(query, confirmationPageDefault, confirmationPageMax)
  const state = readState(query)
  const after = readCursor(query)
  const group = await getGroup({ db }, workspace_id, id)
  const nowMs = clock.now()
  const rows = await listOfGroup(db, group, state, nowMs, after, limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    confirmations: page.map((each) => ({
      person: formatServiceId(each.profile_id),
      state: stateOf(each, nowMs),
      ...describeTrace(each),
    })),
    ...(last && rows.length > limit && { cursor: formatCursor({ us: last.us, id: last.confirmation_id }) }),
  }
}

/** Counts the confirmations of a group by state. Throws 404. */
export async function countConfirmations(
  { db, clock }: Call,
  { workspace_id, id }: OfGroup,
): Promise<ConfirmationCounts> {
  const { group_id } = await getGroup({ db }, workspace_id, id)
  return countOfGroup(db, workspace_id, group_id, clock.now())
}

async function getGroup({ db }: Pick<Call, 'db'>, workspace_id: number, id: string) {
  const groups = await listAllGroups(db)
  const group = groups.find((each) => each.workspace_id === workspace_id && each.id === id)
  if (!group) throw notFound(`There is no subscription_group ${JSON.stringify(id)}`)
  return group
}

function readState(query: Query): ConfirmationState | undefined {
  const given = readNonEmpty(query, 'state')
  const state = confirmationStates.find((each) => each === given)
  if (given !== undefined && state === undefined) throw invalid(notValid('state'))
  return state
}

function formatCursor({ us, id }: ConfirmationCursor): string {
  return Buffer.from(`${us}.${id}`).toString('base64url')
}

function readCursor(query: Query): ConfirmationCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, us, id] = /^(\d{1,18})\.(\d{1,19})$/.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!us || !id || BigInt(id) > idMax) throw invalid(notValid('cursor'))
  return { us, id }
}
