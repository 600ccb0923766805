import { bulkItemsMax, bulkItemsPerPersonMax, type InputArray } from '../src/people/intake/schema.ts'
import { inputArrays } from '../src/people/intake/split-track.ts'
import { isObject } from '../src/people/values/values.ts'
import type { Position } from './import-state.ts'
import type { Fields } from './json-objects.ts'

/** One object for `POST /users/track` with its place in the file and its text there, or the problem with it. */
export type TrackItem = { readonly number: number; readonly index: number; readonly text: string } & (
  | { readonly array: InputArray; readonly fields: Fields; readonly problem?: undefined }
  | { readonly problem: string }
)
export type SendableItem = Extract<TrackItem, { fields: Fields }>
export type UnreadableItem = Extract<TrackItem, { problem: string }>

/** Objects for one request, and what could not be read between them. */
export type TrackBatch = {
  readonly start: Position
  /** The first object that is in none of the batches up to this one. */
  readonly next: Position
  readonly items: readonly SendableItem[]
  readonly unreadable: readonly UnreadableItem[]
  /** The people that the objects are about. */
  readonly people: BatchPeople
}

/** The people that the objects of a batch are about: all their identifiers, and the kinds of those that find the people. */
export type BatchPeople = { readonly identifiers: ReadonlySet<string>; readonly kinds: ReadonlySet<string> }

/** The most bytes of the objects of a batch, by their texts in the file. The rest up to 2 MB is for names of columns. */
export const batchBytesMax = 1_500_000

/** The kinds of identifiers; the first that an object has finds its person (specification 2.1). */
const kinds = ['external_id', 'user_alias', 'service_id', 'email', 'phone'] as const

/** An identifier that is not known here, such as the service id under another name. */
const unknownKind = ''

/** Returns the identifiers of an object. The first one finds its person. */
export function identifiersOf(fields: Fields): readonly string[] {
  return kinds.flatMap((kind) => {
    const value = fields[kind]
    if (value === undefined || value === null || value === '') return []
    if (kind !== 'user_alias') return [`${kind}:${String(value).trim().toLowerCase()}`]
    const { alias_label, alias_name } = isObject(value) ? value : {}
    return [`${kind}:${JSON.stringify([alias_label, alias_name])}`]
  })
}

/**
 * Returns whether requests with these people may be in flight at the same time. They may not when they are about the same person, whose
 * objects take effect in the order of the file, or when a person may be found in another way.
 */
export function areIndependent(a: BatchPeople, b: BatchPeople): boolean {
  if (a.kinds.size === 0 || b.kinds.size === 0) return true
  const isAlike = a.kinds.size === 1 && b.kinds.size === 1 && a.kinds.isSubsetOf(b.kinds) && !a.kinds.has(unknownKind)
  return isAlike && a.identifiers.isDisjointFrom(b.identifiers)
}

/**
 * Groups the objects of a file into batches. A batch depends only on the objects from its first one on, so that an import that continues
 * there sends the same requests again. Objects about one person are in the order in which a request takes effect, and at most 100.
 */
export async function* batchesOf(items: AsyncIterable<TrackItem>): AsyncGenerator<TrackBatch> {
  let batch: OpenBatch | undefined
  let last: TrackItem | undefined
  for await (const item of items) {
    if (batch !== undefined && !batch.takes(item)) {
      yield batch.end(item)
      batch = undefined
    }
    batch ??= new OpenBatch(item)
    batch.add(item)
    last = item
  }
  if (batch && last) yield batch.end({ number: last.number + 1, index: 0 })
}

class OpenBatch {
  readonly #start: Position
  readonly #items: SendableItem[] = []
  readonly #unreadable: UnreadableItem[] = []
  readonly #kinds = new Set<string>()
  /** The last array, as its place in a request, and the number of objects of each identifier. */
  readonly #people = new Map<string, { rank: number; count: number }>()
  #bytes = 0

  constructor({ number, index }: TrackItem) {
    this.#start = { line: number, index }
  }

  takes(item: TrackItem): boolean {
    if (item.problem !== undefined) return this.#unreadable.length < bulkItemsMax
    if (this.#items.length === 0) return true
    if (this.#items.length === bulkItemsMax || this.#bytes + item.text.length > batchBytesMax) return false
    const rank = inputArrays.indexOf(item.array)
    return identifiersOf(item.fields).every((identifier) => {
      const known = this.#people.get(identifier)
      return known === undefined || (known.rank <= rank && known.count < bulkItemsPerPersonMax)
    })
  }

  add(item: TrackItem): void {
    if (item.problem !== undefined) {
      this.#unreadable.push(item)
      return
    }
    this.#items.push(item)
    this.#bytes += item.text.length
    const rank = inputArrays.indexOf(item.array)
    const identifiers = identifiersOf(item.fields)
    for (const identifier of identifiers)
      this.#people.set(identifier, { rank, count: (this.#people.get(identifier)?.count ?? 0) + 1 })
    this.#kinds.add(identifiers[0]?.split(':', 1)[0] ?? unknownKind)
  }

  /** Returns the batch. `next` is the object after it. */
  end(next: { readonly number: number; readonly index: number }): TrackBatch {
    return {
      start: this.#start,
      next: { line: next.number, index: next.index },
      items: this.#items,
      unreadable: this.#unreadable,
      people: { identifiers: new Set(this.#people.keys()), kinds: this.#kinds },
    }
  }
}
