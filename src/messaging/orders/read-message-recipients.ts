import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { unknownSegment } from '../../audience/segments/schema.ts'
import { invalid } from '../../base/errors.ts'
import { aliasParts, isGiven, readAlias, readExternalId } from '../../people/identity/identifier.ts'
import { notValid, tooManyIds } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import {
  aliasesNotList,
  badWantedState,
  broadcastForbidden,
  broadcastRequired,
  externalIdsNotList,
  nobodyNamed,
  oneSegmentOnly,
  recipientsMax,
  texts,
} from './message-schema.ts'
import { type RecipientName, type Sending, type WantedState, wantedStates } from './sending.ts'

export type Body = Readonly<Record<string, unknown>>

/** Whom a request means, without what they get. */
export type RecipientSelection = Omit<Sending, 'email' | 'campaign' | 'flow'>

/**
 * Reads whom a request means (contract 4.11): people who are named, and where they are given only those in the segment and in the
 * audience; without names everybody in these, which `broadcast` has to confirm. Throws 400.
 */
export function readRecipientSelection(body: Body, patternMax: number): RecipientSelection {
  const recipients = readRecipients(body)
  const segment_id = readSegmentId(body)
  const audience = isPresent(body.audience) ? body.audience : undefined
  if (audience !== undefined) parseAudience(audience, 'audience', patternMax)
  const broadcast = readFlag(body, 'broadcast')
  if (recipients.length > 0 && broadcast) throw invalid(broadcastForbidden)
  if (recipients.length === 0 && segment_id === undefined && audience === undefined) {
    throw invalid(texts.noRecipients, [nobodyNamed])
  }
  if (recipients.length === 0 && !broadcast) throw invalid(texts.noRecipients, [broadcastRequired])
  return {
    ...(recipients.length > 0 && { recipients }),
    ...(segment_id !== undefined && { segment_id }),
    ...(audience !== undefined && { audience }),
    broadcast,
    recipient_subscription_state: readWantedState(body.recipient_subscription_state),
    override_frequency_capping: readFlag(body, overrideName(body)),
  }
}

/** Who is named, each once: somebody who is named twice gets one message. */
function readRecipients(body: Body): RecipientName[] {
  const ids = readList(body.external_user_ids, externalIdsNotList, (given) => !isObject(given))
  const aliases = readList(body.user_aliases, aliasesNotList, isObject)
  if (ids.length + aliases.length > recipientsMax) {
    throw invalid(aliases.length > 0 ? texts.tooManyRecipients : tooManyIds)
  }
  const named = [
    ...ids.map((id, i) => ({ external_user_id: readId(id, `external_user_ids[${i}]`) })),
    ...aliases.map((alias, i) => ({ user_alias: readUserAlias(alias, `user_aliases[${i}]`) })),
  ]
  return [...new Map(named.map((each) => [JSON.stringify(each), each])).values()]
}

/** A list, empty when absent; clients send a single entry as well. Throws 400. */
export function readList(given: unknown, refusal: string, isEntry: (value: unknown) => boolean): readonly unknown[] {
  if (!isGiven(given)) return []
  if (Array.isArray(given)) return given
  if (!isEntry(given) || typeof given === 'boolean') throw invalid(refusal)
  return [given]
}

function readId(given: unknown, path: string): string {
  const read = isGiven(given) ? readExternalId(given, true) : ''
  if (typeof read === 'string') throw invalid(notValid(path))
  return read.value
}

function readUserAlias(given: unknown, path: string): { alias_name: string; alias_label: string } {
  const read = readAlias(given, true)
  if (typeof read === 'string') throw invalid(notValid(path))
  const { alias_name, alias_label } = aliasParts(read.value)
  return { alias_name, alias_label }
}

/**
 * `segment_ids` is the name of old clients: to leave it out would send to people who are not in it. So would an empty text, the value
 * of a variable that was not set.
 */
function readSegmentId({ segment_id, segment_ids }: Body): string | undefined {
  const asked = isPresent(segment_id) ? [segment_id] : isPresent(segment_ids) ? [segment_ids].flat() : []
  const [only, ...more] = asked
  if (only === undefined) return undefined
  if (more.length > 0) throw invalid(oneSegmentOnly)
  if (typeof only !== 'string' || only === '') throw invalid(unknownSegment)
  return only
}

/** An empty text says something: to narrow a request down to nobody in particular is a mistake. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function readWantedState(given: unknown): WantedState {
  if (!isGiven(given)) return 'subscribed'
  const state = wantedStates.find((each) => each === given)
  if (!state) throw invalid(badWantedState)
  return state
}

/** Old clients have another name for it. */
function overrideName({ override_frequency_capping }: Body): string {
  return isGiven(override_frequency_capping) ? 'override_frequency_capping' : 'override_messaging_limits'
}

/** A flag, false when absent; clients send it as text too. `path` is that of the object. Throws 400. */
export function readFlag(body: Body, name: string, path = ''): boolean {
  const given = body[name]
  if (!isGiven(given) || given === false || given === 'false') return false
  if (given === true || given === 'true') return true
  throw invalid(`'${path}${name}' must be true or false`)
}
