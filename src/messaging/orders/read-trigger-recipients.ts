import { invalid } from '../../base/errors.ts'
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
import { texts } from './message-schema.ts'
import { readFlag, readList } from './read-message-recipients.ts'
import { readProperties } from './read-properties.ts'
import type { Recipient } from './sending.ts'
import {
  attributesNotObject,
  attributesRequired,
  cannotCreate,
  groupsNotSet,
  recipientNotObject,
  recipientRequired,
  recipientsMax,
  recipientsNotList,
} from './trigger-schema.ts'

type Item = Readonly<Record<string, unknown>>

/** What somebody's attributes are to become before they are sent to. */
export type AttributeWrite = {
  readonly who: Identifier
  /** Of several with the address, in turn; undefined where the way of `/users/track` chooses. */
  readonly prioritization?: readonly Priority[]
  readonly create: boolean
  readonly change: AttributeChange
}

export type TriggerRecipients = {
  /** Each once; of somebody who was named twice in the same way the last properties count. */
  readonly recipients: readonly Recipient[]
  readonly writings: readonly AttributeWrite[]
  /** What was accepted without effect, in words. */
  readonly warnings: readonly string[]
}

export type RecipientRules = AttributeRules & {
  readonly serviceName: string
  /** Whose profile it is by its check digits. */
  parseServiceId(text: string): string | undefined
  readonly reservedExternalIds: ReadonlySet<string>
  /** States of groups among the attributes are set. */
  readonly setsGroups: boolean
}

/** Reads `recipients` (specification 2.6, contract 4.8); nobody when absent or empty. A single object stands for a list. Throws 400. */
export function readTriggerRecipients(given: unknown, rules: RecipientRules): TriggerRecipients {
  const items = readList(given, recipientsNotList, isObject)
  if (items.length > recipientsMax) throw invalid(texts.tooManyRecipients)
  const read = items.map((item, i) => readRecipient(item, `recipients[${i}]`, rules))
  const named = Map.groupBy(read, ({ key }) => key)
  return {
    recipients: [...named.values()].map((same) => same.findLast(hasProperties)?.recipient ?? same[0]!.recipient),
    writings: read.flatMap(({ writing }) => writing ?? []),
    warnings: [...new Set(read.flatMap(({ warning }) => warning ?? []))],
  }
}

function hasProperties({ recipient }: Read): boolean {
  return recipient.properties !== undefined
}

type Read = { recipient: Recipient; key: string; writing?: AttributeWrite; warning?: string }

function readRecipient(item: unknown, path: string, rules: RecipientRules): Read {
  if (!isObject(item)) throw invalid(recipientNotObject(path))
  const { who, recipient } = readWho(item, path, rules)
  const prioritization = who.kind === 'email' && isGiven(item.prioritization) ? readPriorities(item, path) : undefined
  const properties = readProperties(item, `${path}.`)
  const named = { ...recipient, ...(prioritization && { prioritization }) }
  const written = readWriting(item, path, who, prioritization, rules)
  return {
    recipient: { ...named, ...(properties && { properties }) } as Recipient,
    key: JSON.stringify(named),
    ...written,
  }
}

function readPriorities(item: Item, path: string): readonly Priority[] {
  return readPrioritization(item, 'email', `${path}.`)!
}

/**
 * Who is meant. Clients send several identifiers at once, as their examples do: the first of `external_user_id`, `user_alias`, the
 * service's own id and `email` counts. Some say `external_id`.
 */
function readWho(
  item: Item,
  path: string,
  { serviceName, parseServiceId }: RecipientRules,
): { who: Identifier; recipient: object } {
  const words = identifierWords(serviceName)
  const { user_alias, email } = item
  const service_id = item[words.serviceIdKey]
  const idName = isGiven(item.external_user_id) ? 'external_user_id' : 'external_id'
  if (isGiven(item[idName])) {
    const who = known(readExternalId(item[idName], true), `${path}.${idName}`)
    return { who, recipient: { external_user_id: who.value } }
  }
  if (isGiven(user_alias)) {
    const who = known(readAlias(user_alias, true), `${path}.user_alias`)
    const { alias_name, alias_label } = aliasParts(who.value)
    return { who, recipient: { user_alias: { alias_name, alias_label } } }
  }
  if (isGiven(service_id)) {
    const who = known(readServiceId(service_id, words), `${path}.${words.serviceIdKey}`)
    const profile_id = parseServiceId(who.value)
    return { who, recipient: { service_id: who.value, ...(profile_id && { profile_id }) } }
  }
  if (isGiven(email)) {
    const who = known(readEmail(email), `${path}.email`)
    return { who, recipient: { email: who.value } }
  }
  throw invalid(recipientRequired(path, words.serviceIdKey))
}

function known(read: Identifier | string, path: string): Identifier {
  if (typeof read === 'string') throw invalid(notValid(path))
  return read
}

/** `attributes`, and whether they may make somebody: `send_to_existing_only` is true when absent. Throws 400. */
function readWriting(
  item: Item,
  path: string,
  who: Identifier,
  prioritization: readonly Priority[] | undefined,
  rules: RecipientRules,
): { writing?: AttributeWrite; warning?: string } {
  const create = isGiven(item.send_to_existing_only) && !readFlag(item, 'send_to_existing_only', `${path}.`)
  if (create && who.kind !== 'external_id' && who.kind !== 'email') throw invalid(cannotCreate(path))
  if (!isGiven(item.attributes)) {
    if (create) throw invalid(attributesRequired(path))
    return {}
  }
  if (!isObject(item.attributes)) throw invalid(attributesNotObject(path))
  if (who.kind === 'external_id' && rules.reservedExternalIds.has(who.value)) throw invalid(reservedId)
  const { subscription_groups, ...own } = item.attributes
  const isLeftOut = !rules.setsGroups && isGiven(subscription_groups)
  const attributes = rules.setsGroups ? item.attributes : own
  const change = readAttributes(attributes, who, rules, identifierWords(rules.serviceName))
  if (typeof change === 'string') throw invalid(`'${path}.attributes': ${change}`)
  return {
    writing: { who, create, change, ...(prioritization && { prioritization }) },
    ...(isLeftOut && { warning: groupsNotSet }),
  }
}
