import assert from 'node:assert/strict'
import type { Answer, Item, People } from './people.ts'

type Listed = { readonly external_id: string | null; readonly subscription_groups: readonly Group[] }
type Group = { readonly name: string; readonly status: string }

/** Returns `News: Subscribed` and so on for the person with this external_id; undefined when there is none. */
export async function statesOf(people: People, external_id: string): Promise<readonly string[] | undefined> {
  const { status, text, body } = await people.get(`/subscription/user/status?external_id=${external_id}`)
  assert.equal(status, 200, text)
  const [found] = body.users as unknown as readonly Listed[]
  return found?.subscription_groups.map((group) => `${group.name}: ${group.status}`).toSorted()
}

export const singlePath = '/subscription/status/set'
export const bulkPath = '/v2/subscription/status/set'

/** Returns an item that subscribes the person `who` to a group. */
export function join(group: { readonly id: string }, who: Item): Item {
  return { subscription_group_id: group.id, subscription_state: 'subscribed', ...who }
}

/** Returns an item that unsubscribes the person `who` from a group. */
export function leave(group: { readonly id: string }, who: Item): Item {
  return { ...join(group, who), subscription_state: 'unsubscribed' }
}

/** Sends one item to the endpoint of this path. */
export function sendItem(people: People, path: string, item: unknown): Promise<Answer> {
  return people.send(path, path === bulkPath ? { subscription_groups: [item] } : item)
}

/** Sends items that must be accepted, in one request. */
export async function setStates(people: People, ...items: readonly Item[]): Promise<void> {
  const { status, text, body } = await people.send(bulkPath, { subscription_groups: items })
  assert.equal(status, 201, text)
  assert.deepEqual(body, { message: 'success' })
}
