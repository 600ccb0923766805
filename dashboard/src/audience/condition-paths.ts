import type { Path } from '../draft/path.ts'
import type { Kind } from './kinds.ts'

/** Returns the paths of the fields of a condition: each shows its own mistakes. Pure. */
export function conditionPaths({ name, before, test, after }: Kind, path: Path): Path[] {
  const members = [...before, ...after].map(({ member }) => member)
  const compared = test.of === 'membership' ? ['comparison'] : ['comparison', 'value']
  return [...members, ...compared].map((member) => [...path, name, member])
}
