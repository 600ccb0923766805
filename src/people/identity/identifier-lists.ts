import { invalid } from '../../base/errors.ts'
import type { Identifier } from './identifier.ts'

/** Characters of a refused value that the answer repeats. */
const repeatedCharacters = 100

/** An entry of `details` in the answer: an item of a list of the request that is refused. `input_array` names the list, `type` says why. */
export type RefusedItem = { readonly type: string; readonly input_array: string; readonly index: number }

type RefusedValue = RefusedItem & { readonly value: unknown }

/**
 * Reads the lists of identifiers of a request in which one bad identifier refuses the request. The answer names all bad ones. Call `check`
 * or `checkExactly` when every list is read.
 */
export class IdentifierLists {
  readonly #refused: RefusedValue[] = []

  /** Returns the identifiers of a list. `read` returns a text for an item that it refuses. `path` names the list in the answer. */
  read(items: readonly unknown[], path: string, read: (item: unknown) => Identifier | string): Identifier[] {
    const identifiers: Identifier[] = []
    for (const [index, value] of items.entries()) {
      const identifier = read(value)
      if (typeof identifier === 'string') this.#refused.push({ type: identifier, input_array: path, index, value })
      else identifiers.push(identifier)
    }
    return identifiers
  }

  /** Throws 400 when an item was refused. The message has each reason with its items, `details` has an entry for each item. */
  check(): void {
    if (this.#refused.length === 0) return
    const reasons = Map.groupBy(this.#refused, ({ type }) => type)
    const texts = [...reasons].map(([type, items]) => `${type} (${items.map(describeItem).join(', ')})`)
    throw invalid(texts.join('; '), this.#refused.map(entryOf))
  }

  /** Does the same, but the message is the first reason alone: a text of the interface that clients match. */
  checkExactly(): void {
    const [first] = this.#refused
    if (first) throw invalid(first.type, this.#refused.map(entryOf))
  }
}

function entryOf({ value: _, ...entry }: RefusedValue): RefusedItem {
  return entry
}

function describeItem({ input_array, index, value }: RefusedValue): string {
  return `${input_array}[${index}]: ${describeValue(value)}`
}

/** A list or an object may be large, so that only its type is named. */
function describeValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  return JSON.stringify(typeof value === 'string' ? value.slice(0, repeatedCharacters) : value)
}
