import type { Settings } from '../../../workspace/settings/settings.ts'

const number = /^\+[1-9]\d{6,14}$/
const shortCode = /^\d{3,8}$/
const name = /^(?=.*[A-Za-z])[A-Za-z0-9 &_.+-]{1,11}$/
const service = /^MG[0-9a-f]{32}$/

export const senderRule =
  'must be a sender: a phone number such as +15551234567, a short code, a name of at most 11 letters and digits, ' +
  'or the id of a messaging service'

/** Whether a text is what texts can come from: a number, a short code, a name, or a messaging service of the provider. */
export function isSender(text: string): boolean {
  return [number, shortCode, name, service].some((form) => form.test(text))
}

/** Whether a sender is a name: nobody can reply to it. */
export function isSenderName(sender: string): boolean {
  return name.test(sender) && !service.test(sender)
}

/** Returns the member of a request to the provider that has the sender. */
export function senderMember(sender: string): 'From' | 'MessagingServiceSid' {
  return service.test(sender) ? 'MessagingServiceSid' : 'From'
}

/** Returns the sender of the texts of a group: its own, or that of the workspace. */
export function senderOf({ sms }: Pick<Settings, 'sms'>, group: string): string | undefined {
  const { from, from_by_group = {} } = sms
  return Object.hasOwn(from_by_group, group) ? from_by_group[group] : from
}
