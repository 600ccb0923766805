import type { Tx } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import type { Channel, TransportServices } from '../channels/channel.ts'
import { allChannels } from '../channels/channels.ts'
import { email } from '../channels/email/channel.ts'
import { nobody } from '../mail/account-mail.ts'
import { insertMails } from '../mail/inbox-store.ts'
import { openSmtp } from '../mail/smtp.ts'
import type { Mail } from '../mail/transport.ts'
import type { PreparedMessage } from '../messages/prepared-message.ts'
import type { TransportOutcome } from '../messages/transport-outcome.ts'

/** A test of a mail, to the owner of an account. */
export type TestMail = { readonly mail_id: string; readonly to: string; readonly subject: string; readonly mail: Mail }

/** A test of a message of another channel. */
export type TestMessage = {
  readonly mail_id: string
  readonly to: string
  readonly channel: Channel
  readonly prepared: PreparedMessage
}

export type TestMailer = {
  /** Whether mail of a workspace stays in its inbox. */
  staysHere(workspace: Workspace): boolean
  /** Keeps a mail in the inbox. */
  keep(tx: Tx, workspace: Workspace, test: TestMail): Promise<void>
  /** Whether messages of a channel stay in the inbox of a workspace. */
  keepsMessages(channel: Channel, workspace: Workspace): boolean
  /** Keeps a message of a channel in the inbox. */
  keepMessage(tx: Tx, workspace: Workspace, test: TestMessage): Promise<void>
  /** Sends a message to the server of its channel. Throws 503 with its answer if it does not accept the message. */
  sendMessage(test: TestMessage): Promise<TakenTest>
  /** Sends a mail to the mail server, and returns its name. Throws 503 with the answer of the server if it does not accept the mail. */
  send(test: TestMail): Promise<string>
  close(): Promise<void>
}

/** Which server took a test, and what it did not do. */
export type TakenTest = { readonly server: string; readonly warnings: readonly string[] }

/** The longest time for sending one mail: a person waits for the answer. */
const sendMsMax = 60_000
const connections = 2

/**
 * Opens the sender of tests. Every process sends its own, whether it delivers messages or not. Without the server of a channel, its
 * messages go to the inbox of the workspace.
 */
export function openTestMailer(services: TransportServices): TestMailer {
  const { clock, config } = services
  const { smtpUrl: url } = config
  const smtp = url === undefined ? undefined : openSmtp({ url, connections })
  const transports = new Map(allChannels().map(({ name, trial }) => [name, trial?.openTransport(services)]))
  const about = { bucket: 0, profile_id: nobody, message_id: '0' } as const
  return {
    staysHere: ({ settings }) => smtp === undefined || settings.mail_delivery === 'inbox',
    keep(tx, { workspace_id }, { mail_id, to: address, subject, mail }) {
      return insertMails(tx, [
        {
          ...about,
          workspace_id,
          mail_id,
          channel: email.name,
          address,
          subject,
          atUs: clock.stamp(),
          source: mail.raw,
        },
      ])
    },
    keepsMessages: ({ name, trial }, { settings }) => !transports.get(name) || trial!.keepsAll(settings),
    keepMessage(tx, { workspace_id }, { mail_id, to, channel, prepared }) {
      const [kept] = channel.keep(prepared, to)
      return insertMails(tx, [
        { ...about, workspace_id, mail_id, channel: channel.name, ...kept!, atUs: clock.stamp() },
      ])
    },
    async sendMessage({ channel: { name, words }, prepared }) {
      const transport = transports.get(name)
      if (!transport) throw new Error(`there is no server for ${name}`)
      const outcome = await transport.send(prepared, AbortSignal.timeout(sendMsMax))
      if (outcome.kind === 'accepted') return { server: transport.server, warnings: outcome.warnings ?? [] }
      throw unavailable(`The ${words.server} did not accept the ${words.one}: ${saidOf(outcome)}`, outcome)
    },
    async send({ mail }) {
      if (!smtp) throw new Error('there is no mail server')
      const outcome = await smtp.send(mail, AbortSignal.timeout(sendMsMax))
      if (outcome.kind === 'accepted') return smtp.server
      throw unavailable(`The mail server did not accept the mail: ${saidOf(outcome)}`, outcome)
    },
    async close() {
      await smtp?.close()
      for (const transport of transports.values()) await transport?.close()
    },
  }
}

function saidOf(outcome: TransportOutcome): string {
  return 'response' in outcome ? outcome.response || 'it takes nothing now, so try again later' : outcome.message
}
