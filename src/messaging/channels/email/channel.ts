import type { EmailObject } from '../../mail/email-object.ts'
import type { PreparedMail } from '../../mail/prepared-mail.ts'
import { readParts } from '../../mail/read-parts.ts'
import { describeServer } from '../../mail/smtp.ts'
import type { Channel } from '../channel.ts'
import { type EmailConsentRow, emailConsent } from './consent.ts'
import { emailContent } from './content.ts'
import { openEmail, openEmailPreview } from './open-email.ts'
import { suppressRefused } from './suppress-refused.ts'

/** Mail, by SMTP. */
export const email: Channel<EmailObject, PreparedMail, EmailConsentRow> = {
  name: 'email',
  words: {
    one: 'mail',
    many: 'mails',
    waiting: 'Mail waits',
    server: 'mail server',
    sent: 'A mail',
    preparing: 'its mail, which is being prepared',
    refused: {
      hard: 'the server says that the mailbox does not exist',
      soft: 'the server says that the mailbox cannot take the mail',
      policy: 'the server refuses the mail by its policy',
    },
  },
  look: 'mail',
  destination: ({ config: { smtpUrl } }) => smtpUrl && `the mail server ${describeServer(smtpUrl)}`,
  content: emailContent,
  consent: emailConsent,
  metrics: {
    failures: {
      name: 'easel_mail_failures_total',
      help: 'Mails that the mail server did not accept, by kind: unreached, deferred, refused or uncertain.',
    },
    spared: {
      name: 'easel_mail_server_spared',
      help: '1 while mails wait because the mail server cannot be reached, also while a single mail tests it, else 0.',
    },
  },
  domainOf: (address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase(),
  counted: {
    counts: [
      { measure: 'delivered', words: 'Not returned', of: 'sent' },
      { measure: 'opens' },
      { measure: 'unique_opens', words: 'Opened', of: 'sent' },
      { measure: 'clicks' },
      { measure: 'unique_clicks', words: 'Clicked', of: 'sent' },
      { measure: 'unsubscribes', words: 'Unsubscribed', of: 'sent' },
      { measure: 'bounces', words: 'Refused or returned', of: 'tried' },
      { measure: 'reported_spam', words: 'Reported as spam', of: 'sent' },
    ],
  },
  rates: { name: 'smtp', of: ({ email_rates }) => email_rates },
  recordRefused: suppressRefused,
  // The inbox lists the newest first: a copy follows its mail there.
  keep: ({ raw, envelope, subject }, address) =>
    [...envelope.to.slice(1), address].map((to) => ({ address: to, subject, source: raw })),
  show: readParts,
  open: openEmail,
  openPreview: openEmailPreview,
}
