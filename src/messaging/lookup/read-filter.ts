import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readInstant, readNonEmpty, readUuid } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { findPeople } from '../../people/identity/find-people.ts'
import { identifierOrThrow, readEmail } from '../../people/identity/identifier.ts'
import { findPathPerson, type PathPersonServices } from '../../people/search/find-path-person.ts'
import { isCleanText } from '../../people/values/values.ts'
import { findFlow } from '../flows/find-flows.ts'
import { flowKinds } from '../flows/flow.ts'
import { type Family, families, familyOf } from '../ledger/families.ts'
import { type Reason, reasons } from '../ledger/reasons.ts'
import { isEndState, type MessageState, messageStates } from '../messages/states.ts'
import type { MessageCursor, MessageFilter } from './list-store.ts'
import { listedStates, messageFilterCharactersMax } from './schema.ts'

/** The most people with one address. */
const sharersMax = 50

const reasonNames = Object.keys(reasons) as Reason[]

/** Reads which messages a query wants. Throws 400, and 404 for a person who does not exist. */
export async function readMessageFilter(
  { db }: Call,
  query: Query,
  workspace_id: number,
  services: PathPersonServices,
): Promise<MessageFilter> {
  const state = readChoice(query, 'state', listedStates)
  const reason = readChoice(query, 'reason', reasonNames)
  const family = readChoice(query, 'family', families)
  const person = readNonEmpty(query, 'person')
  const address = readText(query, 'address')
  const kept = person === undefined ? undefined : [(await findPathPerson(db, workspace_id, person, services)).found]
  const owners = address === undefined || kept ? undefined : await findOwners({ db }, workspace_id, address)
  return {
    workspace_id,
    ...statesAndReasons(state, reason, family),
    isUndecided: state === 'uncertain' || state === 'set_aside',
    dispatch_id: readUuid(query, 'dispatch'),
    flow_ids: await readFlow({ db }, query, workspace_id),
    step: readText(query, 'step'),
    people: kept ?? (owners && owners.length > 0 ? owners : undefined),
    address,
    fromMs: readInstant(query, 'from'),
    toMs: readInstant(query, 'to'),
  }
}

function statesAndReasons(
  state: (typeof listedStates)[number] | undefined,
  reason: Reason | undefined,
  family: Family | undefined,
): Pick<MessageFilter, 'states' | 'reasons'> {
  const states: MessageState[][] = []
  const named: Reason[][] = []
  if (state === 'set_aside') named.push([state])
  else if (state !== undefined) states.push([state])
  if (reason !== undefined) named.push([reason])
  if (family === 'waiting') states.push(messageStates.filter((each) => !isEndState(each)))
  else if (family !== undefined) named.push(reasonNames.filter((each) => familyOf(each) === family))
  return { states: inAll(states), reasons: inAll(named) }
}

/** Returns what all lists have; undefined without a list. */
function inAll<T>(lists: readonly (readonly T[])[]): readonly T[] | undefined {
  if (lists.length === 0) return undefined
  return lists.reduce((kept, list) => kept.filter((each) => list.includes(each)))
}

function readChoice<T extends string>(query: Query, name: string, choices: readonly T[]): T | undefined {
  const given = readNonEmpty(query, name)
  if (given === undefined) return undefined
  const choice = choices.find((one) => one === given)
  if (!choice) throw invalid(`'${name}' must be one of: ${choices.join(', ')}`)
  return choice
}

function readText(query: Query, name: string): string | undefined {
  const text = readNonEmpty(query, name)
  if (text === undefined) return undefined
  if (!isCleanText(text) || text.length > messageFilterCharactersMax) throw invalid(`'${name}' is not valid`)
  return text
}

/** Returns the people who have an address now; none for a text that is no e-mail address. */
async function findOwners({ db }: Pick<Call, 'db'>, workspace_id: number, address: string) {
  const identifier = readEmail(address)
  if (typeof identifier === 'string') return []
  const [found] = await findPeople(db, workspace_id, [identifierOrThrow(identifier)], () => undefined, sharersMax)
  return found?.people ?? []
}

/** Returns the numbers of the canvas or campaign with this id. */
async function readFlow({ db }: Pick<Call, 'db'>, query: Query, workspace_id: number): Promise<number[] | undefined> {
  const id = readText(query, 'flow')
  if (id === undefined) return undefined
  const found = await Promise.all(flowKinds.map((kind) => findFlow(db, workspace_id, kind, id)))
  return found.flatMap((flow) => (flow ? [flow.flow_id] : []))
}

const idMax = 2n ** 63n - 1n

export function isMessageId(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt(text) <= idMax
}

export function formatMessageCursor({ us, message_id }: MessageCursor): string {
  return Buffer.from(`${us}.${message_id}`).toString('base64url')
}

export function readMessageCursor(query: Query): MessageCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, us, message_id] = /^(\d{1,18})\.(\d{1,19})$/.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  if (!us || !message_id || !isMessageId(message_id)) throw invalid("'cursor' is not valid")
  return { us, message_id }
}
