import Type, { type Static } from 'typebox'
import { invalid } from '../errors.ts'

/** The most notices of one answer; the others are counted. */
export const noticesMax = 100
/** The most reasons in the text of an error that replaces notices; the others are counted. */
export const reasonsMax = 5
/** A caller may have invented the name of a member, so it is cut. */
const memberCharactersMax = 255

export const Notice = Type.Object({
  index: Type.Optional(Type.Integer({ description: 'Position of the object in its array, from 0' })),
  input_array: Type.Optional(Type.String({ description: 'The array of the request that has the object' })),
  member: Type.String({ description: 'What was not kept as sent, such as `properties.size`' }),
  reason: Type.String({ description: 'Why, as the rest of a sentence that begins with the member' }),
})
export type Notice = Static<typeof Notice>

/** The members of an answer that name what was accepted, but not kept as sent. Both are absent when everything was kept. */
export const noticeMembers = {
  notices: Type.Optional(
    Type.Array(Notice, {
      maxItems: noticesMax,
      description: 'What was accepted, but not kept as sent; absent when everything was kept',
    }),
  ),
  further_notices: Type.Optional(
    Type.Integer({ minimum: 1, description: `How many notices there are beyond the first ${noticesMax}` }),
  ),
}
export type NoticeMembers = { notices?: Notice[]; further_notices?: number }

/** The notices of one object of a request, or of a request without arrays. */
type ObjectNotices = { readonly index: number; readonly inputArray: string; readonly notices: Notice[]; count: number }

const noArray = ''

/**
 * Collects what a request sends and its answer must name, because it is accepted but not kept as sent. When the caller is strict, such an
 * object is refused instead.
 *
 * A request with arrays calls `begin` before each object, then `refusal` once the object would be accepted, or `forget` when it is refused.
 * A request that is refused as a whole calls `check` once everything is read.
 */
export class Notices {
  readonly isStrict: boolean
  readonly #objects: ObjectNotices[] = []
  #inputArray = noArray
  #index = 0
  #path = ''
  #current: ObjectNotices | undefined

  constructor(isStrict: boolean) {
    this.isStrict = isStrict
  }

  /** Returns a copy, to which notices can be added without a change of this one. */
  copy(): Notices {
    const copy = new Notices(this.isStrict)
    for (const object of this.#objects) copy.#objects.push({ ...object, notices: [...object.notices] })
    return copy
  }

  /** Begins an object of an array of the request, or an object in it: `path` is written before its members, such as `attributes.`. */
  begin(inputArray: string, index: number, path = ''): void {
    this.#inputArray = inputArray
    this.#index = index
    this.#path = path
    this.#current = undefined
  }

  /** Begins the members of the request that are in none of its arrays, or those of an object in it, with its `path`. */
  beginRequest(path = ''): void {
    this.begin(noArray, 0, path)
  }

  /** Adds a notice about a member of the current object. `reason` is the rest of a sentence: `is longer than 255 characters`. */
  add(member: string, reason: string): void {
    if (this.#current === undefined) {
      this.#current = { index: this.#index, inputArray: this.#inputArray, notices: [], count: 0 }
      this.#objects.push(this.#current)
    }
    const { notices, inputArray: input_array, index } = this.#current
    this.#current.count++
    if (notices.length === noticesMax) return
    const position = input_array === noArray ? {} : { index, input_array }
    notices.push({ ...position, member: cleanName(this.#path + member), reason })
  }

  /** Returns the text that refuses the current object: it has notices and the caller is strict. */
  refusal(): string | undefined {
    return this.isStrict && this.#current ? strictRefusal(this.#current.notices, this.#current.count) : undefined
  }

  /** Forgets the notices of the current object, because it is refused. */
  forget(): void {
    if (this.#current === undefined) return
    this.#objects.pop()
    this.#current = undefined
  }

  /** Forgets the notices of objects of an array that were refused later. */
  forgetObjects(inputArray: string, indexes: ReadonlySet<number>): void {
    const kept = this.#objects.filter((object) => object.inputArray !== inputArray || !indexes.has(object.index))
    this.#objects.splice(0, this.#objects.length, ...kept)
  }

  /** Puts objects into the order of their arrays and positions, because some of the notices came later. */
  sort(inputArrays: readonly string[]): void {
    const rank = ({ inputArray }: ObjectNotices) => inputArrays.indexOf(inputArray)
    this.#objects.sort((a, b) => rank(a) - rank(b) || a.index - b.index)
  }

  /** Throws 400 if there are notices and the caller is strict. The text names the first object. */
  check(): void {
    const [first] = this.#objects
    if (this.isStrict && first) throw invalid(refusalOf(first))
  }

  /** Does the same, with an entry for each object of an array. */
  checkAll(): void {
    const [first] = this.#objects
    if (!this.isStrict || !first) return
    const errors = this.#objects.flatMap(({ inputArray: input_array, index, notices, count }) =>
      input_array === noArray ? [] : [{ type: strictRefusal(notices, count), input_array, index }],
    )
    throw invalid(refusalOf(first), errors.length > 0 ? errors : undefined)
  }

  /** Returns the members to add to the answer. */
  members(): NoticeMembers {
    if (this.#objects.length === 0) return {}
    const notices = this.#objects.flatMap((object) => object.notices).slice(0, noticesMax)
    const further_notices = this.#objects.reduce((sum, { count }) => sum + count, 0) - notices.length
    return { notices, ...(further_notices > 0 && { further_notices }) }
  }
}

function refusalOf({ inputArray, index, notices, count }: ObjectNotices): string {
  return `${inputArray === noArray ? '' : `${inputArray}[${index}]: `}${strictRefusal(notices, count)}`
}

function cleanName(name: string): string {
  return name.slice(0, memberCharactersMax).toWellFormed().replaceAll('\u0000', '\ufffd')
}

/** Returns the text that refuses an object for a strict caller, for these reasons. */
export function strictRefusal(
  notices: readonly Pick<Notice, 'member' | 'reason'>[],
  count: number = notices.length,
): string {
  const reasons = notices.slice(0, reasonsMax).map(({ member, reason }) => `'${member}' ${reason}`)
  const further = count - reasons.length
  return reasons.join('; ') + (further > 0 ? `; and ${further} more` : '')
}
