import type { Static, TSchema } from 'typebox'
import { invalid } from '../../base/errors.ts'
import { mistakesOf } from '../../workspace/file/check-shape.ts'
import { mistakesToFailure } from '../../workspace/settings/mistake.ts'
import { isAddress } from '../accounts/address.ts'
import type { Declared } from '../permissions/declared.ts'
import { type Permissions, resolvePermissions } from '../permissions/permissions.ts'

/** Reads a body of a shape. Throws 400 with all mistakes. */
export function readBody<Shape extends TSchema>(shape: Shape, body: unknown): Static<Shape> {
  const mistakes = mistakesOf(shape, body ?? {}, '')
  if (mistakes.length > 0) throw mistakesToFailure('', mistakes)
  return (body ?? {}) as Static<Shape>
}

/** Throws 400 when the name of an account is not an e-mail address. */
export function checkUserName(user_name: string): string {
  if (isAddress(user_name)) return user_name
  throw wrong('user_name', 'must be an e-mail address')
}

/** Reads permissions in the form of SCIM. Throws 400 with the path of the mistake. */
export function readGivenPermissions(given: unknown, declared: Declared): Permissions {
  const read = resolvePermissions(given, declared)
  if ('permissions' in read) return read.permissions
  throw wrong(read.mistake.path, read.mistake.message)
}

/** Returns the department as the settings spell it. An account may keep one that the settings no longer have. Throws 400. */
export function readDepartment(given: string | null, { departments }: Declared, before: string | null): string | null {
  if (given === null || given === before) return given
  const known = departments.find((each) => each.toLowerCase() === given.toLowerCase())
  if (known !== undefined) return known
  throw wrong('department', `must be one of ${departments.join(', ')}`)
}

function wrong(path: string, message: string) {
  return invalid(`${path} ${message}`, [{ path, message }])
}
