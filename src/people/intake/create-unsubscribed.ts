import { blankChange } from '../profile/attributes.ts'
import type { AttributeItem } from './split-track.ts'

/**
 * Returns the item that creates a person for an e-mail address that nobody has. The person gets no marketing mail before a confirmation. It
 * changes nothing of a person who has the address.
 */
export function unsubscribedPerson(email: string): AttributeItem {
  return {
    identifier: { kind: 'email', value: email },
    create: true,
    onlyNew: true,
    change: { ...blankChange(), standard: { email_subscribe: 'unsubscribed' } },
  }
}
