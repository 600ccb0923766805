import { parseTime } from '../../base/dates.ts'
import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import { type Identifier, idText, isGiven, readAlias, readExternalId } from '../identity/identifier.ts'
import { IdentifierLists } from '../identity/identifier-lists.ts'
import { bodyNotObject, notValid } from '../values/refusals.ts'
import { isCleanText, isObject, toFlag } from '../values/values.ts'
import { isCohortText, isPartner } from './cohort-names.ts'
import {
  badChanges,
  badCohortId,
  badCohortName,
  badCreatedAt,
  badPartner,
  cohortPeopleMax,
  notOfChange,
  notOfCohort,
  tooManyChanges,
  tooManyPeople,
} from './schema.ts'

/** Members for the key of the caller, and the key of the partner, which is not used. */
const secretMembers = ['client_secret', 'partner_api_key']
const cohortMembers = new Set([...secretMembers, 'cohort_id', 'name', 'created_at'])
const requestMembers = new Set([...secretMembers, 'cohort_id', 'cohort_changes'])
const changeMembers = new Set(['user_ids', 'device_ids', 'aliases', 'should_remove'])

export type CohortRequest = { readonly id: string; readonly name: string; readonly created_at: Date | undefined }

/** An identifier of a request, and where it stands in it. */
export type NamedPerson = {
  readonly identifier: Identifier
  readonly input_array: string
  readonly member: string
  readonly index: number
  readonly shouldRemove: boolean
}

/** Undefined for a request without changes, which only tests the key. */
export type MembersRequest = { readonly id: string; readonly named: readonly NamedPerson[] } | undefined

/** Reads the partner of a path. Throws 400. */
export function readPartner(given: unknown): string {
  if (!isPartner(given)) throw invalid(badPartner)
  return given
}

/** Reads the body of `POST /partners/{partner}/cohorts`. Throws 400. */
export function readCohort(body: unknown, notices: Notices): CohortRequest {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const id = readId(body.cohort_id)
  const { name } = body
  if (!isCohortText(name)) throw invalid(badCohortName)
  const created_at = readCreatedAt(body.created_at)
  noticeUnknown(body, cohortMembers, notOfCohort, notices)
  return { id, name, created_at }
}

/** Reads the body of `POST /partners/{partner}/cohorts/users`. Throws 400. */
export function readMembers(body: unknown, notices: Notices): MembersRequest {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { cohort_changes: changes } = body
  if (!Array.isArray(changes) || !changes.every(isObject)) throw invalid(badChanges)
  if (changes.length > cohortPeopleMax) throw invalid(tooManyChanges)
  noticeUnknown(body, requestMembers, notOfCohort, notices)
  if (changes.length === 0) return undefined
  const id = readId(body.cohort_id)
  const lists = changes.map((change, i) => listsOf(change, `cohort_changes[${i}].`))
  if (lists.flat().reduce((sum, { given }) => sum + given.length, 0) > cohortPeopleMax) throw invalid(tooManyPeople)
  const identifiers = new IdentifierLists()
  const named = lists.flat().flatMap((list) => readList(list, identifiers))
  identifiers.check()
  for (const [i, change] of changes.entries()) {
    notices.begin('cohort_changes', i)
    for (const key in change) if (!changeMembers.has(key) && change[key] !== null) notices.add(key, notOfChange)
  }
  return { id, named }
}

const readers = {
  user_ids: (value: unknown) => readExternalId(value, true),
  device_ids: readDevice,
  aliases: (value: unknown) => readAlias(value, true),
} as const satisfies Readonly<Record<string, (value: unknown) => Identifier | string>>

/** A list of a change that is not read yet. */
type GivenList = {
  readonly given: readonly unknown[]
  readonly member: keyof typeof readers
  readonly input_array: string
  readonly shouldRemove: boolean
}

function listsOf(change: Readonly<Record<string, unknown>>, path: string): GivenList[] {
  // An empty text is no `false`: it would add people that the sender may want to take out.
  const given = change.should_remove ?? false
  const shouldRemove = given === '' ? undefined : toFlag(given)
  if (shouldRemove === undefined) throw invalid(notValid(`${path}should_remove`))
  return (Object.keys(readers) as (keyof typeof readers)[]).flatMap((member) => {
    const given = change[member]
    if (given === undefined || given === null) return []
    if (!Array.isArray(given)) throw invalid(`'${path}${member}' must be an array`)
    return [{ given, member, input_array: path + member, shouldRemove }]
  })
}

function readList({ given, ...place }: GivenList, identifiers: IdentifierLists): NamedPerson[] {
  const read = identifiers.read(given, place.input_array, readers[place.member])
  return read.map((identifier, index) => ({ ...place, identifier, index }))
}

function readDevice(value: unknown): Identifier | string {
  if (typeof value !== 'string' || value === '' || !isCleanText(value)) return notValid('device_id')
  return { kind: 'device', value }
}

function readId(given: unknown): string {
  const id = idText(given)
  if (!isCohortText(id)) throw invalid(badCohortId)
  return id
}

function readCreatedAt(given: unknown): Date | undefined {
  if (!isGiven(given)) return undefined
  const ms = typeof given === 'string' ? parseTime(given) : undefined
  if (ms === undefined) throw invalid(badCreatedAt)
  return new Date(ms)
}

function noticeUnknown(
  body: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  reason: string,
  notices: Notices,
): void {
  notices.beginRequest()
  for (const key in body) if (!known.has(key) && body[key] !== null) notices.add(key, reason)
}
