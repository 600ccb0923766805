import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import {
  aliasParts,
  type Identifier,
  isGiven,
  readAlias,
  readEmail,
  readExternalId,
  readServiceId,
} from '../../people/identity/identifier.ts'
import type { Priority } from '../../people/identity/prioritization.ts'
import { readPrioritization } from '../../people/merge/read-selector.ts'
import { type AttributeChange, type AttributeRules, readAttributes } from '../../people/profile/attributes.ts'
import { identifierWords, notValid, reservedId } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import { recipientsMax, tooManyRecipients } from './order-schema.ts'
import { type RequestBody, readFlag, readObjectList } from './read-body.ts'
import { readProperties } from './read-properties.ts'
import type { Recipient } from './sending.ts'
import {
  attributesNotObject,
  attributesRequired,
  cannotCreate,
  groupsNotSet,
  ignoredBeside,
  notSetByCanvas,
  recipientNotObject,
  recipientNotOne,
  recipientRequired,
  recipientsNotList,
} from './trigger-schema.ts'

/** Attributes of a recipient, which are written before the order is accepted. */
export type AttributeWrite = {
  /** The position of the recipient; undefined for the only one of a request. */
  readonly index: number | undefined
  readonly identifier: Identifier
  /** Chooses among several people with the address; absent: as `/users/track` does. */
  readonly prioritization?: readonly Priority[]
  /** Whether an unknown person is created. */
  readonly create: boolean
  readonly change: AttributeChange
}

export type TriggerRecipients = {
  /** Each recipient once. If a recipient is named twice in the same way, the last properties count. */
  readonly recipients: readonly Recipient[]
  readonly writes: readonly AttributeWrite[]
  /** What was accepted but has no effect. */
  readonly warnings: readonly string[]
}

/** What a workspace has that `recipients` are read against. */
export type RecipientContext = AttributeRules & {
  readonly serviceName: string
  /** Returns the profile that the check digits name. */
  parseServiceId(text: string): string | undefined
  readonly reservedExternalIds: ReadonlySet<string>
  /** Whether `attributes` may set group states. */
  readonly setsGroups: boolean
  /** Gets what is accepted but not kept as sent. */
  readonly notices: Notices
}

/** Reads `recipients` (specification 2.6, contract 4.8), a list or a single object. None when absent or empty. Throws 400. */
export function readTriggerRecipients(given: unknown, context: RecipientContext): TriggerRecipients {
  const items = readObjectList(given, recipientsNotList)
  if (items.length > recipientsMax) throw invalid(tooManyRecipients)
  const read = items.map((item, i) => {
    return readRecipient(item, i, context)
  })
  const byName = Map.groupBy(read, ({ nameKey }) => nameKey)
  return {
    recipients: [...byName.values()].map((same) => same.findLast(hasProperties)?.recipient ?? same[0]!.recipient),
    writes: read.flatMap(({ write }) => write ?? []),
    warnings: [...new Set(read.flatMap(({ warning }) => warning ?? []))],
  }
}

/** Reads `recipient`: an object, or a list of one. Throws 400. */
export function readOnlyRecipient(given: unknown, context: RecipientContext): TriggerRecipients {
  const items = readObjectList(given, recipientNotOne)
  if (items.length !== 1) throw invalid(recipientNotOne)
  const { recipient, write, warning } = readRecipient(items[0], undefined, context)
  return { recipients: [recipient], writes: write ? [write] : [], warnings: warning === undefined ? [] : [warning] }
}

/** Begins the notices of a recipient, or of an object in it. */
export function beginRecipient(notices: Notices, index: number | undefined, path = ''): void {
  if (index === undefined) notices.beginRequest(`recipient.${path}`)
  else notices.begin('recipients', index, path)
}

function pathOf(index: number | undefined): string {
  return index === undefined ? 'recipient' : `recipients[${index}]`
}

function hasProperties({ recipient }: ReadRecipient): boolean {
  return recipient.properties !== undefined
}

type ReadRecipient = {
  readonly recipient: Recipient
  readonly nameKey: string
  readonly write?: AttributeWrite
  readonly warning?: string
}

function readRecipient(item: unknown, index: number | undefined, context: RecipientContext): ReadRecipient {
  const path = pathOf(index)
  beginRecipient(context.notices, index)
  if (!isObject(item)) throw invalid(recipientNotObject(path))
  const { identifier, name } = readName(item, path, context)
  const isShared = identifier.kind === 'email' && isGiven(item.prioritization)
  const prioritization = isShared ? readPrioritization(item, 'email', `${path}.`)! : undefined
  const properties = readProperties(item, `${path}.`)
  const fullName = { ...name, ...(prioritization && { prioritization }) }
  return {
    recipient: { ...fullName, ...(properties && { properties }) } as Recipient,
    nameKey: JSON.stringify(fullName),
    ...readWrite(item, index, identifier, prioritization, context),
  }
}

/**
 * Reads the identifier, and how a `Recipient` has it. Clients send several: the first of `external_user_id`, `user_alias`, the id of the
 * service and `email` counts. Some send `external_id`.
 */
function readName(
  item: RequestBody,
  path: string,
  { serviceName, parseServiceId, notices }: RecipientContext,
): { identifier: Identifier; name: object } {
  const words = identifierWords(serviceName)
  const { user_alias, email } = item
  const names = ['external_user_id', 'external_id', 'user_alias', words.serviceIdKey, 'email']
  const [first = '', ...others] = names.filter((name) => isGiven(item[name]))
  for (const name of others) notices.add(name, ignoredBeside(first))
  const service_id = item[words.serviceIdKey]
  const idName = isGiven(item.external_user_id) ? 'external_user_id' : 'external_id'
  if (isGiven(item[idName])) {
    const identifier = orInvalid(readExternalId(item[idName], true), `${path}.${idName}`)
    return { identifier, name: { external_user_id: identifier.value } }
  }
  if (isGiven(user_alias)) {
    const identifier = orInvalid(readAlias(user_alias, true), `${path}.user_alias`)
    const { alias_name, alias_label } = aliasParts(identifier.value)
    return { identifier, name: { user_alias: { alias_name, alias_label } } }
  }
  if (isGiven(service_id)) {
    const identifier = orInvalid(readServiceId(service_id, words), `${path}.${words.serviceIdKey}`)
    const profile_id = parseServiceId(identifier.value)
    return { identifier, name: { service_id: identifier.value, ...(profile_id && { profile_id }) } }
  }
  if (isGiven(email)) {
    const identifier = orInvalid(readEmail(email), `${path}.email`)
    return { identifier, name: { email: identifier.value } }
  }
  throw invalid(recipientRequired(path, words.serviceIdKey))
}

function orInvalid(read: Identifier | string, path: string): Identifier {
  if (typeof read === 'string') throw invalid(notValid(path))
  return read
}

/** Reads `attributes` and `send_to_existing_only`, which is true when absent. Throws 400. */
function readWrite(
  item: RequestBody,
  index: number | undefined,
  identifier: Identifier,
  prioritization: readonly Priority[] | undefined,
  context: RecipientContext,
): { write?: AttributeWrite; warning?: string } {
  const path = pathOf(index)
  const create = isGiven(item.send_to_existing_only) && !readFlag(item, 'send_to_existing_only', `${path}.`)
  if (create && identifier.kind !== 'external_id' && identifier.kind !== 'email') throw invalid(cannotCreate(path))
  if (!isGiven(item.attributes)) {
    if (create) throw invalid(attributesRequired(path))
    return {}
  }
  if (!isObject(item.attributes)) throw invalid(attributesNotObject(path))
  const isReserved = identifier.kind === 'external_id' && context.reservedExternalIds.has(identifier.value)
  if (isReserved) throw invalid(reservedId)
  const { subscription_groups, ...others } = item.attributes
  const attributes = context.setsGroups ? item.attributes : others
  const { notices } = context
  beginRecipient(notices, index, 'attributes.')
  const leavesGroups = !context.setsGroups && isGiven(subscription_groups)
  if (leavesGroups) notices.add('subscription_groups', notSetByCanvas)
  const change = readAttributes(attributes, identifier, context, identifierWords(context.serviceName), notices)
  if (typeof change === 'string') throw invalid(`'${path}.attributes': ${change}`)
  return {
    write: { index, identifier, create, change, ...(prioritization && { prioritization }) },
    ...(leavesGroups && { warning: groupsNotSet }),
  }
}
