import { strictRefusal } from '../../base/http/notices.ts'
import { identifierWords } from '../values/refusals.ts'
import { isObject, toFlag } from '../values/values.ts'
import type { ItemLosses } from './flush-outcome.ts'
import { type InputArray, knownToken, matchesNobody, noValidItems, type TrackError } from './schema.ts'
import { type AttributeItem, type EventItem, fatal, inputArrays, type SplitTrack } from './split-track.ts'

type Settling = {
  readonly split: SplitTrack
  /** The body of the request, which was split. */
  readonly body: Readonly<Record<string, unknown>>
  readonly serviceIdKey: string
  /** Texts of the objects that are refused now, by their positions. */
  readonly refused: Readonly<Record<InputArray, Map<number, string>>>
  /** Positions of the imports with tokens that are known already. */
  readonly known: Set<number>
}

/**
 * Adds to the answer what the flush did not keep of accepted objects: refusals of changes, operations without effect, and objects about
 * nobody. Throws 400 if no object is left. The others were applied.
 */
export function settleTrack(split: SplitTrack, body: unknown, losses: ItemLosses, serviceName: string): SplitTrack {
  if (losses.refused.size === 0 && losses.losses.size === 0 && losses.unmatched.size === 0) return split
  const settling: Settling = {
    split,
    body: body as Settling['body'],
    serviceIdKey: identifierWords(serviceName).serviceIdKey,
    refused: { attributes: new Map(), events: new Map(), purchases: new Map() },
    known: new Set(),
  }
  for (const [i, item] of split.attributes.entries()) settleAttributes(settling, item, split.positions[i]!, losses)
  for (const input_array of ['events', 'purchases'] as const) {
    const positions = positionsOf(split, input_array)
    for (const [i, item] of split[input_array].entries())
      if (losses.unmatched.has(item)) settleUnmatched(settling, input_array, positions[i]!, item)
  }
  split.notices.sort(inputArrays)
  return withRefused(split, settling.refused)
}

function settleAttributes(
  settling: Settling,
  item: AttributeItem,
  index: number,
  { refused, losses, unmatched }: ItemLosses,
): void {
  const { notices } = settling.split
  const text = refused.get(item.change)
  if (text !== undefined) settling.refused.attributes.set(index, text)
  else if (unmatched.has(item)) settleUnmatched(settling, 'attributes', index, item)
  else {
    notices.begin('attributes', index)
    for (const { key, reason } of losses.get(item.change) ?? []) notices.add(key, reason)
  }
}

/** An object about nobody is named, unless the caller asked for updates of existing people only. */
function settleUnmatched(
  { split, body, serviceIdKey, refused, known }: Settling,
  input_array: InputArray,
  index: number,
  { identifier: { kind } }: Pick<EventItem, 'identifier'>,
): void {
  if (kind === 'push_token') {
    settleKnownToken(split, index, known)
    return
  }
  const object = (body[input_array] as readonly unknown[])[index]
  if (isObject(object) && toFlag(object._update_existing_only) === true) return
  const member = kind === 'alias' ? 'user_alias' : kind === 'service_id' ? serviceIdKey : kind
  const reason = kind === 'alias' ? matchesNobody.alias : matchesNobody.other
  if (split.notices.isStrict) refused[input_array].set(index, strictRefusal([{ member, reason }]))
  else {
    split.notices.begin(input_array, index)
    split.notices.add(member, reason)
  }
}

/** The other tokens of the import were stored, so strict callers get a notice too. One for each object is enough. */
function settleKnownToken({ notices }: SplitTrack, index: number, known: Set<number>): void {
  if (known.has(index)) return
  known.add(index)
  notices.begin('attributes', index)
  notices.add('push_tokens', knownToken)
}

/** Returns the positions of the accepted objects of an array: those without an error. */
function positionsOf({ errors, processed }: SplitTrack, input_array: InputArray): number[] {
  const refused = new Set(errors.flatMap((error) => (error.input_array === input_array ? [error.index] : [])))
  const count = processed[input_array] + refused.size
  return Array.from({ length: count }, (_, index) => index).filter((index) => !refused.has(index))
}

function withRefused(split: SplitTrack, refused: Settling['refused']): SplitTrack {
  const added = inputArrays.flatMap((input_array) =>
    [...refused[input_array]].map(([index, type]): TrackError => ({ index, input_array, type })),
  )
  if (added.length === 0) return split
  for (const input_array of inputArrays) split.notices.forgetObjects(input_array, new Set(refused[input_array].keys()))
  const errors = [...split.errors, ...added].sort(
    (a, b) => inputArrays.indexOf(a.input_array) - inputArrays.indexOf(b.input_array) || a.index - b.index,
  )
  const { attributes, events, purchases } = split.processed
  const processed = {
    attributes: attributes - refused.attributes.size,
    events: events - refused.events.size,
    purchases: purchases - refused.purchases.size,
  }
  if (processed.attributes + processed.events + processed.purchases === 0) throw fatal(noValidItems, errors)
  return { ...split, errors, processed }
}
