import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import { dateValue, type Header, headerLine, headerText, mailboxValue } from './format-headers.ts'
import { insertMails } from './inbox-store.ts'
import { loadMailLibraries, type MailLibraries } from './mail-libraries.ts'
import { readMailbox } from './mailbox.ts'
import { textPart } from './mime.ts'
import { openSmtp } from './smtp.ts'
import type { Mail } from './transport.ts'

/** A mail to somebody with an account, who is no person of any workspace. `subject` is one line. */
export type AccountMail = { readonly to: string; readonly subject: string; readonly text: string }

export type AccountMailServices = {
  readonly db: Db
  readonly clock: Clock
  /** `Name <address>`, or an address alone. */
  readonly mailFrom: string
  /** The mail server; without it mail is kept in the inbox of the workspace. */
  readonly smtpUrl: string | undefined
  workspaceId(): number
  newId(bucket: number): string
}

export type AccountMailer = {
  /** Throws 503 when the mail server did not take it. */
  send(notice: AccountMail): Promise<void>
  close(): Promise<void>
}

/** Somebody waits for it in front of a screen. */
const sendMsMax = 60_000
const connections = 2
const mailboxForm = /^(?:(.*?)\s*<)?([^<>]+?)>?$/

/** Plain mails of the service itself: they carry no tracking, obey no consent and are in nobody's history. */
export function openAccountMailer(parts: AccountMailServices): AccountMailer {
  const { db, clock, smtpUrl: url, workspaceId, newId } = parts
  const smtp = url === undefined ? undefined : openSmtp({ url, connections })
  return {
    async send(notice) {
      const mail = mailOf(notice, parts, await loadMailLibraries())
      if (smtp) {
        const outcome = await smtp.send(mail, AbortSignal.timeout(sendMsMax))
        if (outcome.kind === 'accepted') return
        throw unavailable('The mail server did not take a mail', outcome)
      }
      const row = {
        bucket: 0,
        profile_id: '0',
        message_id: '0',
        mail_id: newId(0),
        workspace_id: workspaceId(),
        address: notice.to,
        subject: notice.subject,
        atUs: clock.stamp(),
        source: mail.raw,
      }
      await insertMails(db, [row])
    },
    close: async () => smtp?.close(),
  }
}

function mailOf(
  { to, subject, text }: AccountMail,
  { mailFrom, clock }: AccountMailServices,
  tools: MailLibraries,
): Mail {
  const [, name = '', from = ''] = mailboxForm.exec(mailFrom) ?? []
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const address = readMailbox(to)?.address ?? to
  const headers: Header[] = [
    ['From', mailboxValue({ name, address: from, domain }, tools)],
    ['To', address],
    ['Subject', headerText(subject, tools)],
    ['Date', dateValue(clock.now())],
    ['Message-ID', `<${randomUUID()}@${domain}>`],
    ['MIME-Version', '1.0'],
    ['Auto-Submitted', 'auto-generated'],
  ]
  const part = textPart('text/plain', text, tools)
  const lines = [...headers.map((header) => headerLine(header, tools)), ...part.headers]
  return { raw: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${part.content}\r\n`), envelope: { from, to: [address] } }
}
