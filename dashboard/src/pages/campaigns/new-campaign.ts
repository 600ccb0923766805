import type { Members } from '../flow-forms/members.ts'
import { newEmail } from '../flow-forms/new-email.ts'

/** Returns a campaign to begin with: one message, to everybody, when it is sent. Pure but for the id of its message. */
export function newCampaign(id: string, apps: readonly { readonly id: string }[]): Members {
  return {
    id,
    name: '',
    messages: [{ id: crypto.randomUUID(), name: 'Variant 1', percent: 100, email: newEmail(apps, '') }],
  }
}
