import { type Failure, notFound } from '../../base/errors.ts'

/** Returns the 404 of administrators, who name a catalog by its id. */
export function unknownCatalog(id: string): Failure {
  return notFound(`There is no catalog ${JSON.stringify(id)}`)
}
