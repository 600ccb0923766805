import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
import { type Identifier, readAlias, readExternalId, readServiceId } from '../identity/identifier.ts'
import { IdentifierLists } from '../identity/identifier-lists.ts'
import { identifierWords, tooManyIds } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import { acceptItems } from './accept-items.ts'
import type { WorkRequestServices } from './merge-people.ts'
import { readPrioritization, readSelector } from './read-selector.ts'
import {
  badAddresses,
  badNumbers,
  type DeleteReply,
  deletionRequired,
  deletionsMax,
  oneKindOnly,
} from './request-schema.ts'
import type { Selector, WorkRequest } from './work-schema.ts'

/** Accepts deletions (specification 4.7). The worker carries them out. */
export async function deletePeople(
  call: Call,
  { body, suspicious, request_id }: Request,
  services: WorkRequestServices,
): Promise<DeleteReply> {
  const requests = readDeletions(body, services.serviceName, suspicious)
  await acceptItems(call, request_id, 'delete', requests, services)
  services.worker.wake()
  return { deleted: requests.length, message: 'success' }
}

/** Reads the items of a list of this name. */
type ReadList = (items: readonly unknown[], name: string) => readonly Selector[]

function readDeletions(body: unknown, serviceName: string, suspicious: boolean): WorkRequest[] {
  if (!isObject(body)) throw invalid(deletionRequired(serviceName))
  const readers = readersFor(serviceName, suspicious)
  const [named, ...others] = Object.keys(readers).filter((name) => !isAbsent(body[name]))
  if (named === undefined) throw invalid(deletionRequired(serviceName))
  if (others.length > 0) throw invalid(oneKindOnly(serviceName))
  const given = body[named]
  if (!Array.isArray(given)) throw invalid(`'${named}' must be an array`)
  if (given.length > deletionsMax) throw invalid(tooManyIds)
  return readers[named]!(given, named).map((who) => ({ who }))
}

/** Null and empty lists count as absent. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Returns how each list is read. */
function readersFor(serviceName: string, suspicious: boolean): Record<string, ReadList> {
  const words = identifierWords(serviceName)
  return {
    external_ids: idReader((item) => readExternalId(item, suspicious)),
    user_aliases: idReader((item) => readAlias(item, suspicious)),
    [`${serviceName}_ids`]: idReader((item) => readServiceId(item, words)),
    email_addresses: (items) => items.map((item) => readAddress(item, 'email', badAddresses)),
    phone_numbers: (items) => items.map((item) => readAddress(item, 'phone', badNumbers)),
  }
}

function idReader(read: (item: unknown) => Identifier | string): ReadList {
  return (items, name) => {
    const lists = new IdentifierLists()
    const identifiers = lists.read(items, name, read)
    lists.checkExactly()
    return identifiers
  }
}

function readAddress(item: unknown, kind: 'email' | 'phone', refusal: string): Selector {
  if (!isObject(item) || typeof item[kind] !== 'string' || item[kind] === '') throw invalid(refusal)
  return readSelector(item, kind, readPrioritization(item, kind), false)
}
