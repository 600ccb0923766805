import type { IncomingMessage } from 'node:http'
import { Failure, invalid } from '../errors.ts'
import type { BodyOwner, BodyReader } from './body.ts'
import type { Query } from './route.ts'

/** The largest form, inclusive: check boxes and a few words. */
export const formBytesMax = 16_384
/** The largest number of fields in a form. */
export const formFieldsMax = 1_000

const formTypes = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i

export const noFields: Query = Object.freeze(Object.create(null))

/**
 * Reads the fields of a small form, in either of the two content types of browsers, without files. Throws a Failure: 415 for another type,
 * 413 above `formBytesMax`, 408, 503, 400 for a malformed form or more than `formFieldsMax` fields.
 */
export async function readForm(message: IncomingMessage, owner: BodyOwner, bodies: BodyReader): Promise<Query> {
  const type = message.headers['content-type'] ?? ''
  if (!formTypes.test(type)) {
    throw new Failure(
      'unsupportedType',
      'Content-Type must be application/x-www-form-urlencoded or multipart/form-data',
    )
  }
  const read = await bodies.readBytes(message, owner, formBytesMax)
  const form = await parseForm(read.body, type).finally(() => bodies.release(read, owner))
  const fields: { [name: string]: string[] } = Object.create(null)
  let count = 0
  for (const [name, value] of form) {
    if (++count > formFieldsMax) throw invalid(`A form may have at most ${formFieldsMax} fields`)
    if (typeof value !== 'string') continue
    fields[name] ??= []
    fields[name].push(value)
  }
  return fields
}

async function parseForm(bytes: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } }).formData()
  } catch {
    // The parser does not say which part is malformed.
    throw invalid('The request body is not a form')
  }
}
