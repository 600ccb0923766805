import type { Settings } from '../../../workspace/settings/settings.ts'
import { liquidTextsOf } from '../../mail/assemble-email.ts'
import { DecoratedBodies } from '../../mail/decorated-bodies.ts'
import type { EmailObject } from '../../mail/email-object.ts'
import { encodedBytesMax, openAttachmentFetcher } from '../../mail/fetch-attachments.ts'
import { mailTextBytesMax, type PrepareServices, prepareEmails, prepareWithin } from '../../mail/prepare-emails.ts'
import type { MessageToPrepare, PreparedMail } from '../../mail/prepared-mail.ts'
import { findCredential } from '../../mail/secret-store.ts'
import { openSmtp } from '../../mail/smtp.ts'
import type { NotPrepared } from '../../messages/prepared-message.ts'
import type { ChannelServices, MadeMessage, OpenChannel, PreviewServices } from '../channel.ts'

/** The size of all decorated bodies in the cache. */
const decoratedCharactersMax = 8_000_000
/** What all mails that are only looked at have together. Each has a body of its own, so none is kept. */
const previewedCharactersMax = 0

/** Opens composing, and the mail server when there is one. */
export function openEmail(services: ChannelServices): OpenChannel<EmailObject, PreparedMail> {
  const { db, clock, fetcher, config } = services
  const { bounceDomain, smtpUrl: url, smtpConnections: connections } = config
  const prepareServices: PrepareServices = {
    ...services,
    ...(bounceDomain !== undefined && { bounceDomain }),
    fetchAttachments: openAttachmentFetcher({
      fetcher,
      clock,
      findCredential: (workspace_id, name) => findCredential(db, workspace_id, name),
    }),
    decoratedBodies: new DecoratedBodies(decoratedCharactersMax),
  }
  return {
    prepare: (batch, bytesMax) => prepareWithin(prepareServices, batch, bytesMax),
    bytesMax: mailTextBytesMax,
    sizeOf: sizeOfEmail,
    transport: url === undefined ? undefined : openSmtp({ url, connections }),
    keepsAll: ({ mail_delivery }) => mail_delivery === 'inbox',
  }
}

/** Returns the bytes of the texts and of the encoded files of a mail. */
export function sizeOfEmail(
  email: EmailObject,
  { settings }: { readonly settings: Pick<Settings, 'attachments_bytes_max'> },
): { readonly texts: number; readonly files: number } {
  return {
    texts: Buffer.byteLength(Object.values(liquidTextsOf(email)).join('')),
    files: encodedBytesMax(email, settings.attachments_bytes_max),
  }
}

/** Returns a function that makes a mail without its files, pixel, tracked links and signature. It asks no other server. */
export function openEmailPreview(
  services: PreviewServices,
): (message: MessageToPrepare) => Promise<MadeMessage | NotPrepared> {
  const prepareServices: PrepareServices = {
    ...services,
    decoratedBodies: new DecoratedBodies(previewedCharactersMax),
    fetchAttachments: async () => ({ files: [], warnings: [] }),
    isPreview: true,
  }
  return async (message) => {
    const [made] = await prepareEmails(prepareServices, [message])
    if (!made || 'reason' in made) return made ?? tooLarge
    return { subject: made.subject, source: made.raw }
  }
}

const tooLarge: NotPrepared = { reason: 'template_error', rule: 'it is too large', inputs: {} }
