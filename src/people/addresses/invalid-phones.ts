import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { type Identifier, isGiven, readPhone } from '../identity/identifier.ts'
import { IdentifierLists } from '../identity/identifier-lists.ts'
import { bodyNotObject, notValid } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import { readDay, readPageSlice } from './list-query.ts'
import {
  badReason,
  endRequired,
  endsBeforeStart,
  invalidPhoneReasons,
  phoneRangeRequired,
  phonesMax,
  phonesRequired,
  tooManyPhones,
} from './schema.ts'

/**
 * Lists the phone numbers that are known to be invalid (contract 10.2). No text message is sent from here, so nothing can mark a number:
 * the list is empty. Throws 400 for a query that is not valid.
 */
export function listInvalidPhones(query: Query): { sms: never[] } {
  readPageSlice(query)
  const reason = readSingle(query, 'reason')
  if (reason && !invalidPhoneReasons.some((each) => each === reason)) throw invalid(badReason)
  const phones = query.phone_numbers ?? []
  const [start, end] = [readDay(query, 'start_date'), readDay(query, 'end_date')]
  if (phones.length > 0) checkPhones(phones, readWrittenPhone)
  else if (start === undefined) throw invalid(phoneRangeRequired)
  else if (end === undefined) throw invalid(endRequired)
  else if (end < start) throw invalid(endsBeforeStart)
  return { sms: [] }
}

/** Removes phone numbers from that list (contract 10.2): it has none of them. Throws 400 for a body that is not valid. */
export function removeInvalidPhones(body: unknown): void {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { phone_numbers } = body
  if (!isGiven(phone_numbers)) throw invalid(phonesRequired)
  if (!Array.isArray(phone_numbers)) throw invalid(notValid('phone_numbers'))
  if (phone_numbers.length === 0) throw invalid(phonesRequired)
  checkPhones(phone_numbers, readPhone)
}

function checkPhones(given: readonly unknown[], read: (item: unknown) => Identifier | string): void {
  if (given.length > phonesMax) throw invalid(tooManyPhones)
  const lists = new IdentifierLists()
  lists.read(given, 'phone_numbers', read)
  lists.check()
}

/** Reads a number of a query, where a plus sign that was not encoded is a space or is missing. */
function readWrittenPhone(item: unknown): Identifier | string {
  return readPhone(String(item).replace(/^ ?(?=\d)/, '+'))
}
