import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { Notices } from '../../base/http/notices.ts'
import type { Request } from '../../base/http/route.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type Identifier, identifierOrThrow, isGiven, readExternalId } from '../identity/identifier.ts'
import { reservedId } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import { acceptItems } from './accept-items.ts'
import type { WorkRequestServices } from './merge-people.ts'
import { readPrioritization, readSelector, type SelectorKind, type SelectorObject } from './read-selector.ts'
import {
  badBehavior,
  type IdentifyReply,
  identificationRequired,
  identificationsMax,
  notDone,
  notIdentified,
  tooManyIdentifications,
} from './request-schema.ts'
import { behaviors, type MergeBehavior, type WorkRequest } from './work-schema.ts'
import { listItems, type WorkRow } from './work-store.ts'

export type IdentifyServices = WorkRequestServices & { workspaces: Workspaces }

const lists = {
  aliases_to_identify: { kind: 'user_alias', processed: 'aliases_processed' },
  emails_to_identify: { kind: 'email', processed: 'emails_processed' },
  phone_numbers_to_identify: { kind: 'phone', processed: 'phone_numbers_processed' },
} as const satisfies Record<string, { kind: SelectorKind; processed: string }>

type ListName = keyof typeof lists

/**
 * Gives an external_id to people who are known by an alias or an address, or merges them into the person who has it (contract 10.1).
 * Returns when the worker has done that, after all work that was accepted earlier.
 */
export async function identifyPeople(call: Call, request: Request, services: IdentifyServices): Promise<IdentifyReply> {
  const { reservedExternalIds } = services.workspaces.get(call.workspace_id)
  const { requests, places, counts } = readIdentifications(request, reservedExternalIds)
  const { request_id } = request
  await acceptItems(call, request_id, 'identify', requests, services)
  await services.worker.waitUntilDone(request_id)
  const filter = { workspace_id: call.workspace_id, request_id, kind: undefined, state: undefined, outcome: undefined }
  const done = await listItems(call.db, filter, undefined, identificationsMax)
  return { ...counts, ...noticesAbout(done, places).members(), message: 'success' }
}

/** Returns notices about items without effect, for strict callers too: the others are done. */
function noticesAbout(done: readonly WorkRow[], places: readonly Place[]): Notices {
  const notices = new Notices(false)
  for (const { position, outcome } of done.toSorted((a, b) => a.position - b.position)) {
    const reason = outcome === null ? notDone : notIdentified[outcome]
    const { input_array, index, member } = places[position]!
    if (reason === undefined) continue
    notices.begin(input_array, index)
    notices.add(member, reason)
  }
  return notices
}

/** Where an item stands in the request, and the member that selects a person. */
type Place = { readonly input_array: string; readonly index: number; readonly member: string }

type Identifications = {
  readonly requests: WorkRequest[]
  /** Of each of them, in their order. */
  readonly places: readonly Place[]
  readonly counts: Omit<IdentifyReply, 'message'>
}

function readIdentifications({ body, suspicious }: Request, reserved: ReadonlySet<string>): Identifications {
  if (!isObject(body)) throw invalid(identificationRequired)
  const names = Object.keys(lists) as ListName[]
  const given = names
    .map((name) => ({ name, ...lists[name], items: readList(body, name) }))
    .filter(({ items }) => items.length > 0)
  if (given.length === 0) throw invalid(identificationRequired)
  const count = given.reduce((sum, { items }) => sum + items.length, 0)
  if (count > identificationsMax) throw invalid(tooManyIdentifications)
  const merge_behavior = readBehavior(body.merge_behavior)
  return {
    requests: given.flatMap(({ kind, items }) =>
      items.map((item) => ({
        into: readFreeExternalId(item, reserved, suspicious),
        who: readSelector(item, kind, readPrioritization(item, kind), suspicious),
        merge_behavior,
      })),
    ),
    places: given.flatMap(({ name, kind, items }) =>
      items.map((_, index): Place => ({ input_array: name, index, member: kind })),
    ),
    counts: Object.fromEntries(given.map(({ processed, items }) => [processed, items.length])),
  }
}

/** Reads a list of objects. Null counts as an empty list. */
function readList(body: SelectorObject, name: ListName): SelectorObject[] {
  const given = body[name] ?? []
  if (!Array.isArray(given) || !given.every(isObject)) throw invalid(`'${name}' must be an array of objects`)
  return given
}

function readBehavior(given: unknown): MergeBehavior {
  const behavior = given === undefined || given === null ? 'merge' : behaviors.find((known) => known === given)
  if (behavior === undefined) throw invalid(badBehavior)
  return behavior
}

function readFreeExternalId(
  { external_id }: SelectorObject,
  reserved: ReadonlySet<string>,
  suspicious: boolean,
): Identifier {
  if (!isGiven(external_id)) throw invalid("'external_id' is required")
  const wanted = identifierOrThrow(readExternalId(external_id, suspicious))
  if (reserved.has(wanted.value)) throw invalid(reservedId)
  return wanted
}
