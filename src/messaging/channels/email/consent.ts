import { checkConsent } from '../../../people/addresses/consent.ts'
import { type ConsentRow, consentFacts, consentJoin } from '../../../people/addresses/consent-store.ts'
import type { EmailObject } from '../../mail/email-object.ts'
import type { ChannelConsent } from '../channel.ts'
import { emailColumns } from './consent-store.ts'

/** Consent to mail, and to tracking of opens and clicks. */
export type EmailConsentRow = ConsentRow & {
  readonly email_open_tracking_disabled: boolean | null
  readonly email_click_tracking_disabled: boolean | null
}

export const emailConsent: ChannelConsent<EmailObject, EmailConsentRow> = {
  columns: emailColumns,
  join: consentJoin,
  addressOf: ({ email }) => email,
  trackingOf: ({ email_open_tracking_disabled: noOpens, email_click_tracking_disabled: noClicks }) => {
    return { opens: !noOpens, clicks: !noClicks }
  },
  mayWait: ({ email_subscribe }) => email_subscribe === 'unsubscribed',
  check: (row, _content, required) => checkConsent(consentFacts(row), required),
}
