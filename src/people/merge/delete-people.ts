import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
import { type Identifier, identifierOrThrow, readAlias, readExternalId, readServiceId } from '../identity/identifier.ts'
import { identifierWords, notValid, tooManyIds } from '../values/refusals.ts'
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

type ReadItem = (item: unknown) => Selector

function readDeletions(body: unknown, serviceName: string, suspicious: boolean): WorkRequest[] {
  if (!isObject(body)) throw invalid(deletionRequired(serviceName))
  const readers = readersFor(serviceName, suspicious)
  const [named, ...others] = Object.keys(readers).filter((name) => !isAbsent(body[name]))
  if (named === undefined) throw invalid(deletionRequired(serviceName))
  if (others.length > 0) throw invalid(oneKindOnly(serviceName))
  const { read, single } = readers[named]!
  const given =
    single && (typeof body[named] === 'string' || typeof body[named] === 'number') ? [body[named]] : body[named]
  if (!Array.isArray(given)) throw invalid(`'${named}' must be an array`)
  if (given.length > deletionsMax) throw invalid(tooManyIds)
  return given.map((item) => ({ who: read(item) }))
}

/** Null and empty lists count as absent. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Returns how the items of each list are read. `single`: the request may have one id instead of the list. */
function readersFor(serviceName: string, suspicious: boolean): Record<string, { read: ReadItem; single: boolean }> {
  const words = identifierWords(serviceName)
  return {
    external_ids: { read: (item) => readId(item, 'external_id', readExternalId(item, suspicious)), single: true },
    user_aliases: { read: (item) => identifierOrThrow(readAlias(item, suspicious)), single: false },
    [`${serviceName}_ids`]: {
      read: (item) => readId(item, words.serviceIdKey, readServiceId(item, words)),
      single: true,
    },
    email_addresses: { read: (item) => readAddress(item, 'email', badAddresses), single: false },
    phone_numbers: { read: (item) => readAddress(item, 'phone', badNumbers), single: false },
  }
}

/** Empty text is not a valid id. */
function readId(item: unknown, member: string, read: Identifier | string): Selector {
  return identifierOrThrow(item === '' ? notValid(member) : read)
}

function readAddress(item: unknown, kind: 'email' | 'phone', refusal: string): Selector {
  if (!isObject(item) || typeof item[kind] !== 'string' || item[kind] === '') throw invalid(refusal)
  return readSelector(item, kind, readPrioritization(item, kind), false)
}
