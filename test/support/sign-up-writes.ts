import assert from 'node:assert/strict'
import type { Answer } from './http-requests.ts'
import type { Mailed } from './mailed-people.ts'
import { newId } from './people.ts'

/** Makes a group whose people confirm. Returns its id. */
export async function askingGroup(people: Mailed): Promise<string> {
  const double_opt_in = { enabled: true, from: 'Shop <shop@example.com>', through_api: true }
  const given = { name: newId('group'), channel: 'email', double_opt_in }
  return (await people.service.admin('POST', '/admin/subscription_groups', given)).body.subscription_group.id
}

/** Makes a form of a group. */
export function makeForm(people: Mailed, subscription_group_id: string): Promise<Answer> {
  return people.service.admin('POST', '/admin/sign_up_forms', { name: newId('form'), subscription_group_id })
}

/** Makes a form. Returns its path. */
export async function formPath(people: Mailed): Promise<string> {
  return `/admin/sign_up_forms/${(await makeForm(people, await askingGroup(people))).body.sign_up_form.id}`
}

/** Asks a person to confirm a group. Returns the path of the confirmation. */
export async function askedPath(people: Mailed): Promise<string> {
  const [subscription_group_id, external_id] = [await askingGroup(people), newId('asked')]
  await people.set({ external_id, email: `${external_id}@example.com` })
  const item = { subscription_group_id, subscription_state: 'subscribed', external_id, use_double_opt_in_logic: true }
  const { status, text } = await people.service.post('/subscription/status/set', item)
  assert.equal(status, 201, text)
  const { body } = await people.service.admin('GET', `/admin/people/search?q=${external_id}`)
  return `/admin/people/${body.people[0].id}/confirmations/${subscription_group_id}`
}
