import type { IncomingMessage } from 'node:http'
import { Failure, invalid } from '../errors.ts'
import type { BodyReader } from './body.ts'
import type { Query } from './route.ts'

/** The largest form, inclusive: check boxes and a few words. */
export const formBytesMax = 16_384
/** The largest number of fields in a form. */
export const formFieldsMax = 1_000

const formTypes = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i

export const noFields: Query = Object.freeze(Object.create(null))

/**
 * Reads the fields of a small form, sent in either way that browsers have; files in it are left out. Throws a Failure: 415 for
 * another type, 413 above `formBytesMax`, 408, 503, 400 for what is no form or has more than `formFieldsMax` fields.
 */
export async function readForm(message: IncomingMessage, bodies: BodyReader): Promise<Query> {
  const type = message.headers['content-type'] ?? ''
  if (!formTypes.test(type)) {
    throw new Failure(
      'unsupportedType',
      'Content-Type must be application/x-www-form-urlencoded or multipart/form-data',
    )
  }
  const read = await bodies.readBytes(message, formBytesMax)
  const parsed = new Response(new Uint8Array(read.body), { headers: { 'Content-Type': type } }).formData()
  const [form] = await Promise.allSettled([parsed])
  bodies.release(read)
  if (form.status === 'rejected') throw invalid('The request body is not a form')
  const fields: { [name: string]: string[] } = Object.create(null)
  let count = 0
  for (const [name, value] of form.value) {
    if (++count > formFieldsMax) throw invalid(`A form may have at most ${formFieldsMax} fields`)
    if (typeof value !== 'string') continue
    fields[name] ??= []
    fields[name].push(value)
  }
  return fields
}
