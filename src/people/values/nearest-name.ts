import { editDistance } from '../../base/edit-distance.ts'

/** Characters of a text that are compared. Names are shorter. */
const comparedCharacters = 64

/** Returns the name with the fewest edits from a text; the first of several. An edit inserts, deletes, replaces or swaps characters. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const compared = text.slice(0, comparedCharacters).toLowerCase()
  const distances = names.map((name) => editDistance(compared, name))
  return names[distances.indexOf(Math.min(...distances))]
}
