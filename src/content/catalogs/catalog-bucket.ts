import { bucketsOf } from '../../people/identity/person.ts'

/** Returns the bucket of all items of a catalog. It depends only on the name. */
export function catalogBucket(workspace_id: number, name: string): number {
  return bucketsOf(workspace_id, 'catalog', name).bucket
}
