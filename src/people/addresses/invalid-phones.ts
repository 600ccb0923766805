import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { type Identifier, isGiven, readPhone } from '../identity/identifier.ts'
import { IdentifierLists } from '../identity/identifier-lists.ts'
import type { HashAddress } from '../identity/person.ts'
import { bodyNotObject, notValid } from '../values/refusals.ts'
import { isObject } from '../values/values.ts'
import {
  deleteInvalidPhones,
  type InvalidPhoneReason,
  type ListedPhone,
  listInvalidPhoneRows,
} from './invalid-phone-store.ts'
import { formatSecond, readDay, readPageSlice } from './list-query.ts'
import { hashedPhone } from './mark-invalid-phones.ts'
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
import { byBucketAndHash } from './suppress.ts'

export type InvalidPhones = { sms: { phone: string; invalid_detected_at: string; reason: InvalidPhoneReason }[] }

type PhoneServices = { readonly hashAddress: HashAddress }

const dayUs = 86_400_000_000

/**
 * Lists the phone numbers that a provider of text messages has refused for good (contract 10.2), the newest first: those of some days, both
 * included, or some numbers. Throws 400 for a query that is not valid.
 */
export async function listInvalidPhones(
  { db, workspace_id }: Pick<Call, 'db' | 'workspace_id'>,
  query: Query,
  { hashAddress }: PhoneServices,
): Promise<InvalidPhones> {
  const page = readPageSlice(query)
  const given = readSingle(query, 'reason')
  const reason = invalidPhoneReasons.find((each) => each === given)
  if (given && !reason) throw invalid(badReason)
  const listed = query.phone_numbers ?? []
  const [start, end] = [readDay(query, 'start_date'), readDay(query, 'end_date')]
  if (listed.length > 0) {
    const phones = readPhones(listed, readWrittenPhone).map((phone) => {
      return { ...hashedPhone(workspace_id, phone, hashAddress), phone }
    })
    return toReply(await listInvalidPhoneRows(db, { workspace_id, phones, reason }, page))
  }
  if (start === undefined) throw invalid(phoneRangeRequired)
  if (end === undefined) throw invalid(endRequired)
  if (end < start) throw invalid(endsBeforeStart)
  const range = { sinceUs: start * 1000, untilUs: end * 1000 + dayUs }
  return toReply(await listInvalidPhoneRows(db, { workspace_id, range, reason }, page))
}

function toReply(rows: readonly ListedPhone[]): InvalidPhones {
  return {
    sms: rows.map(({ phone, at, reason }) => ({ phone, invalid_detected_at: formatSecond(at), reason })),
  }
}

/** Removes phone numbers from that list (contract 10.2): they get text messages again. Throws 400 for a body that is not valid. */
export async function removeInvalidPhones(
  { db, workspace_id }: Pick<Call, 'db' | 'workspace_id'>,
  body: unknown,
  { hashAddress }: PhoneServices,
): Promise<void> {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { phone_numbers } = body
  if (!isGiven(phone_numbers)) throw invalid(phonesRequired)
  if (!Array.isArray(phone_numbers)) throw invalid(notValid('phone_numbers'))
  if (phone_numbers.length === 0) throw invalid(phonesRequired)
  const phones = readPhones(phone_numbers, readPhone).map((phone) => hashedPhone(workspace_id, phone, hashAddress))
  await deleteInvalidPhones(db, phones.sort(byBucketAndHash))
}

/** Returns numbers in E.164. Throws 400. */
function readPhones(given: readonly unknown[], read: (item: unknown) => Identifier | string): string[] {
  if (given.length > phonesMax) throw invalid(tooManyPhones)
  const lists = new IdentifierLists()
  const phones = lists.read(given, 'phone_numbers', read)
  lists.check()
  return phones.flatMap((phone) => phone?.value ?? [])
}

/** Reads a number of a query, where a plus sign that was not encoded is a space or is missing. */
function readWrittenPhone(item: unknown): Identifier | string {
  return readPhone(String(item).replace(/^ ?(?=\d)/, '+'))
}
