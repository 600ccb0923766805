import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import { email } from '../channels/email/channel.ts'
import { nobody } from '../mail/account-mail.ts'
import { insertMails } from '../mail/inbox-store.ts'
import { openSmtp } from '../mail/smtp.ts'
import type { Mail } from '../mail/transport.ts'

/** A test of a mail, to the owner of an account. */
export type TestMail = { readonly mail_id: string; readonly to: string; readonly subject: string; readonly mail: Mail }

export type TestMailer = {
  /** Whether mail of a workspace stays in its inbox. */
  staysHere(workspace: Workspace): boolean
  /** Keeps a mail in the inbox. */
  keep(tx: Tx, workspace: Workspace, test: TestMail): Promise<void>
  /** Sends a mail to the mail server, and returns its name. Throws 503 with the answer of the server if it does not accept the mail. */
  send(test: TestMail): Promise<string>
  close(): Promise<void>
}

export type TestMailerServices = {
  readonly clock: Pick<Clock, 'stamp'>
  /** The mail server. Without it mail goes to the inbox of the workspace. */
  readonly smtpUrl: string | undefined
}

/** The longest time for sending one mail: a person waits for the answer. */
const sendMsMax = 60_000
const connections = 2

/** Opens the sender of tests. Every process sends its own, whether it delivers messages or not. */
export function openTestMailer({ clock, smtpUrl: url }: TestMailerServices): TestMailer {
  const smtp = url === undefined ? undefined : openSmtp({ url, connections })
  return {
    staysHere: ({ settings }) => smtp === undefined || settings.mail_delivery === 'inbox',
    keep(tx, { workspace_id }, { mail_id, to: address, subject, mail }) {
      const about = { bucket: 0, profile_id: nobody, message_id: '0', workspace_id, mail_id }
      return insertMails(tx, [
        { ...about, channel: email.name, address, subject, atUs: clock.stamp(), source: mail.raw },
      ])
    },
    async send({ mail }) {
      if (!smtp) throw new Error('there is no mail server')
      const outcome = await smtp.send(mail, AbortSignal.timeout(sendMsMax))
      if (outcome.kind === 'accepted') return smtp.server
      const said = 'response' in outcome ? outcome.response : outcome.message
      throw unavailable(`The mail server did not accept the mail: ${said}`, outcome)
    },
    close: async () => smtp?.close(),
  }
}
