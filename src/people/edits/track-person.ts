import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { matchesNobody, type TrackReply } from '../intake/schema.ts'
import { inputArrays } from '../intake/split-track.ts'
import { type TrackServices, track } from '../intake/track.ts'
import type { HashPerson } from '../merge/person-hash.ts'
import { findPathPerson, type PathPersonServices, unknownPerson } from '../search/find-path-person.ts'
import { bodyNotObject, identifierWords } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import { attributesObject, auditedNamesMax, namedByPath } from './schema.ts'

export type TrackPersonServices = TrackServices &
  PathPersonServices & { readonly hashPerson: HashPerson; formatServiceId(profile_id: string): string }

type Input = Readonly<Record<string, unknown>>
type Lists = { readonly [array in (typeof inputArrays)[number]]: readonly unknown[] }

/** How often the person is looked up again who was merged while the request waited. */
const triesMax = 3

/**
 * Applies attributes, events and purchases to one person, by the intake that applies those of `/users/track`. Refuses what would name
 * another person. Throws 404 for a person who is deleted meanwhile; a merged person leads to the person who was kept.
 */
export async function trackPerson(
  call: Call,
  workspace_id: number,
  request: Request,
  services: TrackPersonServices,
): Promise<TrackReply> {
  const { serviceName, hashPerson, formatServiceId } = services
  const { serviceIdKey } = identifierWords(serviceName)
  const lists = readLists(request.body, serviceIdKey)
  for (let tries = 0; tries < triesMax; tries++) {
    const { found } = await findPathPerson(call.db, workspace_id, request.params.id!, services)
    const body = withIdentifier(lists, serviceIdKey, formatServiceId(found.profile_id))
    const reply = await track({ ...call, workspace_id, strict: false }, { ...request, body }, services)
    if (isAboutNobody(reply, serviceIdKey)) continue
    const target = { kind: 'person', id: hashPerson(workspace_id, 'profile', found.profile_id) }
    const entry = { action: 'person.track', target, after: auditedOf(lists), workspace_id }
    await call.db.transaction((tx) => recordAudit(tx, call, entry))
    return reply
  }
  throw unknownPerson()
}

function readLists(body: unknown, serviceIdKey: string): Lists {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { attributes, events, purchases } = body
  if (attributes !== undefined && attributes !== null && !isObject(attributes)) throw invalid(attributesObject)
  const lists = {
    attributes: attributes ? [attributes] : [],
    events: listOf(events, 'events'),
    purchases: listOf(purchases, 'purchases'),
  }
  const identifiers = ['external_id', 'user_alias', serviceIdKey, '_update_existing_only', 'push_token_import']
  for (const input_array of inputArrays) {
    for (const [index, object] of lists[input_array].entries()) {
      const named = isObject(object) ? identifiers.find((name) => name in object) : undefined
      if (named !== undefined)
        throw invalid(`'${named}' ${namedByPath}`, [{ index, input_array, type: `'${named}' ${namedByPath}` }])
    }
  }
  return lists
}

function listOf(given: unknown, name: string): readonly unknown[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) throw invalid(`'${name}' must be an array`)
  return given
}

/** Adds the identifier to each object. What is no object stays, so that the intake refuses it. */
function withIdentifier(lists: Lists, serviceIdKey: string, service_id: string): Lists {
  const named = (list: readonly unknown[]) =>
    list.map((object) => (isObject(object) ? { ...object, [serviceIdKey]: service_id } : object))
  return { attributes: named(lists.attributes), events: named(lists.events), purchases: named(lists.purchases) }
}

function isAboutNobody({ notices = [] }: TrackReply, serviceIdKey: string): boolean {
  return notices.some(({ member, reason }) => member === serviceIdKey && reason === matchesNobody.other)
}

/** What the audit keeps: the names of attributes without their values, and how much was recorded. */
function auditedOf({ attributes, events, purchases }: Lists): object {
  const names = Object.keys((attributes[0] as Input | undefined) ?? {})
  const further = names.length - auditedNamesMax
  return {
    ...(names.length > 0 && { attributes: names.slice(0, auditedNamesMax) }),
    ...(further > 0 && { further_attributes: further }),
    ...(events.length > 0 && { events: events.length }),
    ...(purchases.length > 0 && { purchases: purchases.length }),
  }
}
