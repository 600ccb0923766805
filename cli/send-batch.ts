import { Failure } from '../src/base/errors.ts'
import { bulkBytesMax } from '../src/people/intake/schema.ts'
import { inputArrays } from '../src/people/intake/split-track.ts'
import type { Client } from './client.ts'
import type { SendableItem } from './track-batches.ts'

/** An object that the server refuses, and why. */
export type RefusedItem = { readonly item: SendableItem; readonly reason: string }
type Refusal = { readonly type: string; readonly input_array: (typeof inputArrays)[number]; readonly index: number }

/** Statuses for which the request itself is the reason, so that another request with fewer objects may be accepted. */
const statusesOfRequest = [400, 413]
const bulkPath = '/users/track/bulk'

/** Throws unless the server takes requests of this client. It sends a request without objects, which has no effect. */
export async function checkTrackAccess(client: Client): Promise<void> {
  const { status, body } = await client.send('POST', bulkPath, {})
  if (!statusesOfRequest.includes(status)) throw refused(client, status, body.message)
}

function refused({ origin }: Client, status: number, message: unknown): Failure {
  return new Failure('invalid', `the server at ${origin} answered ${status}: ${message}`)
}

/**
 * Sends objects in one request, and returns those that the server refuses. When it refuses the request because of some objects, the others
 * are sent again without them. Requests with the same `key` have one effect. Throws when the server refuses to work with this client.
 */
export async function sendItems(items: readonly SendableItem[], key: string, client: Client): Promise<RefusedItem[]> {
  if (items.length === 0) return []
  const listed = inputArrays.map((array) => items.filter((item) => item.array === array))
  const body = Object.fromEntries(inputArrays.map((array, i) => [array, listed[i]!.map(({ fields }) => fields)]))
  // Only a request to /users/track may be that large.
  const isLarge = items.length === 1 && Buffer.byteLength(JSON.stringify(body)) > bulkBytesMax
  const answer = await client.send('POST', isLarge ? '/users/track' : bulkPath, body, key)
  const reasons = new Map<SendableItem, string>()
  for (const { type, input_array, index } of (answer.body.errors ?? []) as Partial<Refusal>[]) {
    const item = index === undefined ? undefined : listed[inputArrays.indexOf(input_array!)]?.[index]
    if (item !== undefined) reasons.set(item, String(type))
  }
  const refusedItems = [...reasons].map(([item, reason]) => ({ item, reason }))
  if (answer.status === 201) return refusedItems
  const message = String(answer.body.message)
  if (!statusesOfRequest.includes(answer.status)) {
    throw refused(client, answer.status, message)
  }
  if (refusedItems.length > 0) {
    const others = items.filter((item) => !reasons.has(item))
    return [...refusedItems, ...(await sendItems(others, `${key}-r`, client))]
  }
  if (items.length === 1) return [{ item: items[0]!, reason: message }]
  const half = items.length >> 1
  return [
    ...(await sendItems(items.slice(0, half), `${key}-a`, client)),
    ...(await sendItems(items.slice(half), `${key}-b`, client)),
  ]
}
