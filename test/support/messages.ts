import { apps, groups } from './people.ts'

type Item = Readonly<Record<string, unknown>>

const isGold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }

/** A workspace that can send: apps, groups, a segment. */
export const sendingWorkspace = {
  settings: { bcc: ['archive@example.com'] },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
  segments: [{ id: 'gold', name: 'Gold members', audience: isGold }],
}

export const audience = { AND: [isGold] }

/** A valid e-mail object. */
export function mail(more: Item = {}): Item {
  const { id: app_id } = apps.phone
  return { app_id, from: 'Shop <shop@example.com>', subject: 'Hello', body: '<p>Hello</p>', ...more }
}

/** Returns the body of a valid request to send, except for its recipients. */
export function letter(who: Item, email: Item = {}): Item {
  return { ...who, messages: { email: mail(email) } }
}
