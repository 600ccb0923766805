import { Failure } from '../src/base/errors.ts'
import { exportIdsMax } from '../src/people/export/schema.ts'
import type { Client } from './client.ts'
import { formatCount } from './progress.ts'

export type FoundIds = { readonly result: object; readonly text: string }

/**
 * Describes how many of these external_ids are about new people, if the key may export. Throws when the server refuses the key, which would
 * also refuse the import. `lines`: how many lines the file has.
 */
export async function lookUpIds(given: readonly string[], lines: number, client: Client): Promise<FoundIds> {
  const ids = [...new Set(given)]
  let newCount = 0
  // Without ids the request is not valid, but its answer shows whether the key is.
  for (let at = 0; at < Math.max(ids.length, 1); at += exportIdsMax) {
    const external_ids = ids.slice(at, at + exportIdsMax)
    const { status, body } = await client.send('POST', '/users/export/ids', {
      external_ids,
      fields_to_export: ['external_id'],
    })
    if (status === 403) return unknownIds(String(body.message))
    if (status === 201) newCount += ((body.invalid_user_ids ?? []) as string[]).length
    else if (ids.length > 0 || status === 401)
      throw new Failure('invalid', `the server at ${client.origin} answered ${status}: ${body.message}`)
  }
  if (ids.length === 0) return unknownIds('only external_ids are looked up.')
  const [all, added, existing] = [ids.length, newCount, ids.length - newCount].map(formatCount)
  const taken = given.length < lines ? ` from the ${formatCount(lines)} lines` : ''
  return {
    result: { looked_up: ids.length, new: newCount, existing: ids.length - newCount },
    text: `Of ${all} external_ids${taken}, ${added} are new and ${existing} exist already.`,
  }
}

export function unknownIds(why: string): FoundIds {
  return { result: { looked_up: 0 }, text: `Whether these people exist already is not known: ${why}` }
}
