import { parseAudience } from '../../audience/conditions/parse-condition.ts'
import { unknownSegment } from '../../audience/segments/schema.ts'
import { invalid } from '../../base/errors.ts'
import { aliasParts, isGiven, readAlias, readExternalId } from '../../people/identity/identifier.ts'
import { notValid, tooManyIds } from '../../people/values/refusals.ts'
import {
  aliasesNotList,
  badWantedState,
  broadcastForbidden,
  broadcastRequired,
  externalIdsNotList,
  messageErrors,
  oneSegmentOnly,
  recipientsRequired,
} from './message-schema.ts'
import { recipientsMax } from './order-schema.ts'
import { isPresent, type RequestBody, readFlag, readList, readObjectList } from './read-body.ts'
import { type RecipientName, type Sending, type WantedState, wantedStates } from './sending.ts'

/** The members of `Sending` that say who the recipients are. */
export type RecipientSelection = Omit<Sending, 'campaign' | 'flow'>

/**
 * Reads the recipients of a request (contract 4.11): the named people that are in the segment and in the audience; without names all people
 * in both, which `broadcast` must confirm. Throws 400.
 */
export function readRecipientSelection(body: RequestBody, patternMax: number): RecipientSelection {
  const recipients = readRecipients(body)
  const segment_id = readSegmentId(body)
  const audience = isPresent(body.audience) ? body.audience : undefined
  if (audience !== undefined) parseAudience(audience, 'audience', patternMax)
  const broadcast = readFlag(body, 'broadcast')
  if (recipients.length > 0 && broadcast) throw invalid(broadcastForbidden)
  if (recipients.length === 0 && segment_id === undefined && audience === undefined) {
    throw invalid(messageErrors.noRecipients, [recipientsRequired])
  }
  if (recipients.length === 0 && !broadcast) throw invalid(messageErrors.noRecipients, [broadcastRequired])
  return {
    ...(recipients.length > 0 && { recipients }),
    ...(segment_id !== undefined && { segment_id }),
    ...(audience !== undefined && { audience }),
    broadcast,
    recipient_subscription_state: readWantedState(body.recipient_subscription_state),
    override_frequency_capping: readFlag(body, overrideName(body)),
  }
}

/** Returns the recipients by name, each once: a person that is named twice gets one message. */
function readRecipients(body: RequestBody): RecipientName[] {
  const ids = readList(body.external_user_ids, externalIdsNotList)
  const aliases = readObjectList(body.user_aliases, aliasesNotList)
  if (ids.length + aliases.length > recipientsMax) {
    throw invalid(aliases.length > 0 ? messageErrors.tooManyRecipients : tooManyIds)
  }
  const names = [
    ...ids.map((id, i) => ({ external_user_id: readId(id, `external_user_ids[${i}]`) })),
    ...aliases.map((alias, i) => ({ user_alias: readUserAlias(alias, `user_aliases[${i}]`) })),
  ]
  return [...new Map(names.map((name) => [JSON.stringify(name), name])).values()]
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

/** Old clients send `segment_ids`; ignoring it would send to people who are not in the segment. An empty text is refused as well. */
function readSegmentId({ segment_id, segment_ids }: RequestBody): string | undefined {
  const given = isPresent(segment_id) ? [segment_id] : isPresent(segment_ids) ? [segment_ids].flat() : []
  const [only, ...more] = given
  if (only === undefined) return undefined
  if (more.length > 0) throw invalid(oneSegmentOnly)
  if (typeof only !== 'string' || only === '') throw invalid(unknownSegment)
  return only
}

function readWantedState(given: unknown): WantedState {
  if (!isGiven(given)) return 'subscribed'
  const state = wantedStates.find((each) => each === given)
  if (!state) throw invalid(badWantedState)
  return state
}

/** Old clients send `override_messaging_limits`. */
function overrideName({ override_frequency_capping }: RequestBody): string {
  return isGiven(override_frequency_capping) ? 'override_frequency_capping' : 'override_messaging_limits'
}
