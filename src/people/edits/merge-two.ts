import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { type IdentifierRow, listIdentifiers } from '../identity/identifier-store.ts'
import type { Person } from '../identity/person.ts'
import { listMergeStates } from '../profile/merged-store.ts'
import { findPathPerson, unknownPerson } from '../search/find-path-person.ts'
import { summaryOf } from '../search/summary.ts'
import { listSummaries } from '../search/summary-store.ts'
import { isObject } from '../values/values.ts'
import { carryOutOne, type EditServices } from './end-person.ts'
import { fieldsOf, notesOf } from './merge-plan.ts'
import { changedMeanwhile, type MergePeopleReply, onePerson, twoIds } from './schema.ts'

type MergeRequest = { readonly body: unknown; readonly request_id: string; readonly isPlan: boolean }

/**
 * Merges one person into another, as `/users/merge` does, with an audit row; or plans it: what the merged person will have, by field from
 * which of the two. Throws 404 for an unknown person, and 409 when both are one person or one of them was removed meanwhile.
 */
export async function mergeTwo(
  call: Call,
  workspace_id: number,
  { body, request_id, isPlan }: MergeRequest,
  services: EditServices,
): Promise<MergePeopleReply> {
  const ids = readIds(body)
  const { keep, merge, plan } = await call.db.transaction((tx) => readPlan(tx, workspace_id, ids, services), {
    settings: readOnlySnapshot,
  })
  if (isPlan) return { state: 'planned', ...plan }
  const selector = (one: Person) => ({ kind: 'service_id', value: services.formatServiceId(one.profile_id) }) as const
  const hash = (one: Person) => services.hashPerson(workspace_id, 'profile', one.profile_id)
  const item = {
    kind: 'merge',
    asked: { who: selector(merge), into: selector(keep) },
    audit: {
      action: 'person.merge',
      target: { kind: 'person', id: hash(keep) },
      after: { merged: hash(merge) },
      workspace_id,
    },
  } as const
  const outcome = await carryOutOne({ ...call, workspace_id }, request_id, item, services)
  if (outcome !== null && outcome !== 'done') throw conflict(changedMeanwhile)
  return { state: outcome ?? 'waiting', ...plan }
}

type Ids = { readonly keep: string; readonly merge: string }

function readIds(body: unknown): Ids {
  if (!isObject(body) || typeof body.keep !== 'string' || typeof body.merge !== 'string') throw invalid(twoIds)
  return { keep: body.keep, merge: body.merge }
}

async function readPlan(tx: Tx, workspace_id: number, ids: Ids, services: EditServices) {
  const { found: keep } = await findPathPerson(tx, workspace_id, ids.keep, services)
  const { found: merge } = await findPathPerson(tx, workspace_id, ids.merge, services)
  if (keep.profile_id === merge.profile_id) throw conflict(onePerson)
  const [kept, merged] = await inOrder(keep, merge, (people) => listMergeStates(tx, people))
  const [keptSummary, mergedSummary] = await inOrder(keep, merge, (people) => listSummaries(tx, people))
  const identifiers = await listIdentifiers(tx, [keep, merge])
  const of = ({ profile_id }: Person): IdentifierRow[] => identifiers.filter((row) => row.profile_id === profile_id)
  const plan = {
    keep: summaryOf(keptSummary, services.formatServiceId),
    merge: summaryOf(mergedSummary, services.formatServiceId),
    fields: fieldsOf(kept, merged),
    notes: notesOf({ state: kept, identifiers: of(keep) }, { state: merged, identifiers: of(merge) }),
  }
  return { keep, merge, plan: plan as Omit<MergePeopleReply, 'state'> }
}

/** Lists the rows of two people. Returns that of the first one first. */
async function inOrder<Row extends { readonly profile_id: string }>(
  one: Person,
  other: Person,
  list: (people: readonly Person[]) => Promise<Row[]>,
): Promise<[Row, Row]> {
  const rows = new Map((await list([one, other])).map((row) => [row.profile_id, row]))
  const [first, second] = [rows.get(one.profile_id), rows.get(other.profile_id)]
  if (!first || !second) throw unknownPerson()
  return [first, second]
}
