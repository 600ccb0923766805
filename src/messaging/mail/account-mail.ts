import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { dateValue, type Header, headerLine, headerText, mailboxValue } from './format-headers.ts'
import { insertMails } from './inbox-store.ts'
import { loadMailLibraries, type MailLibraries } from './mail-libraries.ts'
import { type Mailbox, readMailbox } from './mailbox.ts'
import { returnPathOf } from './message-links.ts'
import { textPart } from './mime.ts'
import { openSmtp } from './smtp.ts'
import type { Mail } from './transport.ts'

/** A mail to the owner of a dashboard account. `subject` is one line. */
export type AccountMail = { readonly to: string; readonly subject: string; readonly text: string }

export type AccountMailServices = {
  readonly db: Db
  readonly clock: Clock
  /** `Name <address>`, or an address alone. */
  readonly mailFrom: string
  /** The mail server. Without it mail goes to the inbox of the workspace. */
  readonly smtpUrl: string | undefined
  /** The installation's secret, which signs return paths. */
  readonly secret: Buffer
  /** The domain of return paths. Without it mail comes back to `mailFrom`. */
  readonly bounceDomain: string | undefined
  workspaceId(): number
  newId(bucket: number): string
}

export type AccountMailer = {
  /** Throws 503 if the mail server does not accept the mail. */
  send(mail: AccountMail): Promise<void>
  close(): Promise<void>
}

/** The longest time for sending one mail: a person waits for the answer. */
const sendMsMax = 60_000
const connections = 2
const mailboxForm = /^(?:(.*?)\s*<)?([^<>]+?)>?$/

/** The return paths of this mail name a person that does not exist, and the mail. */
export const nobody = '0'

/** Whether a return path is one of mail to dashboard accounts. */
export function isOfAccountMail({ profile_id }: TokenTarget): boolean {
  return profile_id === nobody
}

/** Opens the sender of mail to dashboard accounts. This mail has no tracking, needs no consent and is in no history. */
export function openAccountMailer(services: AccountMailServices): AccountMailer {
  const { db, clock, smtpUrl: url, workspaceId, newId } = services
  const smtp = url === undefined ? undefined : openSmtp({ url, connections })
  return {
    async send(mail) {
      const mail_id = newId(0)
      const composed = composeAccountMail(mail, mail_id, services, await loadMailLibraries())
      if (smtp) {
        const outcome = await smtp.send(composed, AbortSignal.timeout(sendMsMax))
        if (outcome.kind === 'accepted') return
        throw unavailable('The mail server did not accept the mail', outcome)
      }
      const row = {
        bucket: 0,
        profile_id: nobody,
        message_id: '0',
        channel: 'email',
        mail_id,
        workspace_id: workspaceId(),
        address: mail.to,
        subject: mail.subject,
        atUs: clock.stamp(),
        source: composed.raw,
      }
      await insertMails(db, [row])
    },
    close: async () => smtp?.close(),
  }
}

/** Returns the sender of mail of this installation. Its domain may have no dot, such as the name of a machine. */
export function senderOf(mailFrom: string): Mailbox {
  const [, name = '', address = ''] = mailboxForm.exec(mailFrom) ?? []
  return { name, address, domain: address.slice(address.lastIndexOf('@') + 1) }
}

function composeAccountMail(
  { to, subject, text }: AccountMail,
  mail_id: string,
  { mailFrom, clock, secret, bounceDomain }: AccountMailServices,
  libraries: MailLibraries,
): Mail {
  const sender = senderOf(mailFrom)
  const { address: from, domain } = sender
  const address = readMailbox(to)?.address ?? to
  const headers: Header[] = [
    ['From', mailboxValue(sender, libraries)],
    ['To', address],
    ['Subject', headerText(subject, libraries)],
    ['Date', dateValue(clock.now())],
    ['Message-ID', `<${randomUUID()}@${domain}>`],
    ['MIME-Version', '1.0'],
    ['Auto-Submitted', 'auto-generated'],
  ]
  const part = textPart('text/plain', text, libraries)
  const lines = [...headers.map((header) => headerLine(header, libraries)), ...part.headers]
  const target = { profile_id: nobody, message_id: mail_id }
  const returnPath = bounceDomain === undefined ? from : returnPathOf(target, secret, bounceDomain)
  const raw = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${part.content}\r\n`)
  return { raw, envelope: { from: returnPath, to: [address] } }
}
