import { bucketsOf } from '../../people/identity/person.ts'

/** The bucket of all items of a catalog. It is known from the name alone. */
export function catalogBucket(workspace_id: number, name: string): number {
  return bucketsOf(workspace_id, 'catalog', name).bucket
}
