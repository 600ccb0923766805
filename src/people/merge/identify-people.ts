import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
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
  tooManyIdentifications,
} from './request-schema.ts'
import { behaviors, type MergeBehavior, type WorkRequest } from './work-schema.ts'

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
  const { requests, counts } = readIdentifications(request, reservedExternalIds)
  await acceptItems(call, request.request_id, 'identify', requests, services)
  await services.worker.waitUntilDone(request.request_id)
  return { ...counts, message: 'success' }
}

type Identifications = { requests: WorkRequest[]; counts: Omit<IdentifyReply, 'message'> }

function readIdentifications({ body, suspicious }: Request, reserved: ReadonlySet<string>): Identifications {
  if (!isObject(body)) throw invalid(identificationRequired)
  const names = Object.keys(lists) as ListName[]
  const given = names
    .map((name) => ({ ...lists[name], items: readList(body, name) }))
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
