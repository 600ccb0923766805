import { createRequire } from 'node:module'
import type { Static, TSchema } from 'typebox'
import { invalid } from '../../base/errors.ts'

const require = createRequire(import.meta.url)

/** Throws 400 that names the first member of a body that is not like a schema. `what` is what the body must be. */
export function refuseOtherShapes<Shape extends TSchema>(
  shape: Shape,
  body: unknown,
  what: string,
): asserts body is Static<Shape> {
  // This loads 300 modules, which would delay the start of the process.
  const { Value } = require('typebox/value') as typeof import('typebox/value')
  const [error] = Value.Errors(shape, body)
  if (!error) return
  const member = error.instancePath.split('/').slice(1).join('.')
  if (error.keyword === 'required') throw invalid(`'${error.params.requiredProperties[0]}' is required`)
  if (error.keyword === 'additionalProperties') {
    throw invalid(`'${error.params.additionalProperties[0]}' is not a member of ${what}`)
  }
  throw invalid(member === '' ? `The body must be ${what}` : `'${member}' ${error.message}`)
}
