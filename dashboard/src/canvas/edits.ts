import type { Place } from './edit/steps.ts'

/** What can be done in a picture or an outline that is edited. */
export type CanvasEdits = {
  /** How many mistakes each step has, by its id; those of the entry under the empty id. */
  readonly problems: ReadonlyMap<string, number>
  /** The forms of the entry are open. */
  readonly isEntryOpen: boolean
  /** The step that takes the focus as soon as it is drawn; empty for the entry. Another object is another wish. */
  readonly focus: { readonly step: string } | undefined
  readonly openEntry: () => void
  /** Asks what to put on one of these ways of a step. */
  readonly add: (places: readonly Place[]) => void
  readonly remove: (step: string) => void
  /** Moves a step before the one before it (-1), or after the one after it (1). */
  readonly move: (step: string, by: -1 | 1) => void
  readonly removeUnreached: () => void
}

/** Does what a key means at a step. Returns whether it means something. */
export function editByKey(edits: CanvasEdits, step: string, key: KeyPress, places: readonly Place[]): boolean {
  const { key: name, altKey } = key
  if (altKey && (name === 'ArrowUp' || name === 'ArrowDown')) edits.move(step, name === 'ArrowUp' ? -1 : 1)
  else if (altKey) return false
  else if (name === 'a' && places.length > 0) edits.add(places)
  else if (name === 'Delete' || name === 'Backspace') edits.remove(step)
  else return false
  return true
}

type KeyPress = { readonly key: string; readonly altKey: boolean }

/** Returns the ways out of a step, as they are numbered in the definition. */
export function placesOf(step: string | undefined, paths: readonly unknown[]): Place[] {
  return paths.map((_, at) => ({ from: step, at }))
}

export function problemWords(count: number): string {
  return count === 1 ? '1 mistake' : `${count} mistakes`
}
