import { Failure, invalid } from '../../base/errors.ts'
import type { Reply } from '../../base/http/intercept.ts'
import type { InputArray } from '../../people/intake/schema.ts'
import { inputArrays } from '../../people/intake/split-track.ts'
import type { PartialItem } from './schema.ts'

const refusedText = 'An ordered fault refuses this object'

/** A request without the refused objects, and how positions in it become positions in the request that was sent. */
export type PartialTrack = {
  readonly body: Readonly<Record<string, unknown>>
  readonly errors: readonly { readonly type: string; readonly input_array: InputArray; readonly index: number }[]
  readonly isEmpty: boolean
  positionOf(input_array: InputArray, index: number): number
}

/** Removes the objects that a fault refuses from the body of a track request. Pure. */
export function removeItems(body: unknown, items: readonly PartialItem[]): PartialTrack | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined
  const left: Record<string, unknown> = { ...body }
  const kept: Partial<Record<InputArray, number[]>> = {}
  const errors: PartialTrack['errors'][number][] = []
  for (const input_array of inputArrays) {
    const list = left[input_array]
    if (!Array.isArray(list)) continue
    const refused = new Map(items.filter((item) => item.input_array === input_array).map((item) => [item.index, item]))
    const positions = [...list.keys()].filter((index) => !refused.has(index))
    for (const index of list.keys()) {
      const item = refused.get(index)
      if (item) errors.push({ type: item.type ?? refusedText, input_array, index })
    }
    kept[input_array] = positions
    left[input_array] = positions.map((index) => list[index])
  }
  return {
    body: left,
    errors,
    isEmpty: Object.values(kept).every((positions) => positions.length === 0),
    positionOf: (input_array, index) => kept[input_array]?.[index] ?? index,
  }
}

/** Calls the verb with what is left of a track request, and answers as if the verb had refused the other objects. */
export async function trackPartially(
  body: unknown,
  items: readonly PartialItem[],
  handle: (body: unknown) => Promise<Reply>,
): Promise<Reply> {
  const partial = removeItems(body, items)
  if (!partial || partial.errors.length === 0) return handle(body)
  if (partial.isEmpty) throw invalid('No valid items were provided', partial.errors)
  try {
    const reply = (await handle(partial.body)) as Record<string, unknown>
    const counts = inputArrays.filter((name) => (body as Record<string, unknown[]>)[name]?.length)
    const processed = Object.fromEntries(counts.map((name) => [`${name}_processed`, reply[`${name}_processed`] ?? 0]))
    const repositioned = withPositions(reply, partial) as Record<string, unknown>
    const errors = sorted([...((repositioned.errors as []) ?? []), ...partial.errors])
    return { ...repositioned, ...processed, errors }
  } catch (error) {
    if (!(error instanceof Failure) || !Array.isArray(error.details.errors)) throw error
    const errors = sorted([...(withPositions(error.details.errors, partial) as []), ...partial.errors])
    throw new Failure(error.kind, error.message, { ...error.details, errors }, error)
  }
}

type Positioned = { readonly input_array: InputArray; readonly index: number }

/** Replaces the positions in an answer by those in the request that was sent. */
function withPositions(value: unknown, partial: PartialTrack): unknown {
  if (Array.isArray(value)) return value.map((entry) => withPositions(entry, partial))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => [name, withPositions(member, partial)] as const)
  const copy = Object.fromEntries(entries) as Record<string, unknown> & Partial<Positioned>
  if (typeof copy.index !== 'number' || copy.input_array === undefined) return copy
  return { ...copy, index: partial.positionOf(copy.input_array, copy.index) }
}

function sorted(errors: readonly Positioned[]): readonly Positioned[] {
  const rank = ({ input_array }: Positioned) => inputArrays.indexOf(input_array)
  return errors.toSorted((one, other) => rank(one) - rank(other) || one.index - other.index)
}
