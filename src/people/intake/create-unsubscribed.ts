import { blankChange } from '../profile/attributes.ts'
import type { AttributeItem } from './split-track.ts'

/** A normalised e-mail address or phone number. */
export type NewAddress = { readonly kind: 'email' | 'phone'; readonly value: string }

/**
 * Returns the item that creates a person for an address that nobody has. The person gets no marketing before a confirmation: texts go to
 * members of a group only. It changes nothing of a person who has the address.
 */
export function unsubscribedPerson({ kind, value }: NewAddress): AttributeItem {
  return {
    identifier: { kind, value },
    create: true,
    onlyNew: true,
    change: { ...blankChange(), ...(kind === 'email' && { standard: { email_subscribe: 'unsubscribed' } }) },
  }
}
