import type { Clock } from '../../base/clock.ts'
import type { Renderer } from '../../content/rendering/renderer.ts'
import { senderOf } from '../mail/account-mail.ts'
import { assembleBodies, bodyTexts, type EmailMistake, type EmailTexts } from '../mail/assemble-bodies.ts'
import { assembleEmail } from '../mail/assemble-email.ts'
import { composeMail } from '../mail/compose-mail.ts'
import { DecoratedBodies } from '../mail/decorated-bodies.ts'
import type { SigningKey } from '../mail/dkim.ts'
import type { EmailObject } from '../mail/email-object.ts'
import { type EncodedBodies, encodeBodies } from '../mail/encode-bodies.ts'
import { loadMailLibraries } from '../mail/mail-libraries.ts'
import { bodyLinksOf, type LinkSettings, type MessageLinks } from '../mail/message-links.ts'
import type { TooComplex } from '../mail/parse-html.ts'
import type { MessageToPrepare } from '../mail/prepared-mail.ts'
import { encodedHereCharactersMax, finishingOf, type MailGroup } from '../mail/render-texts.ts'
import type { Mail } from '../mail/transport.ts'

export type ComposeServices = LinkSettings & {
  readonly clock: Clock
  readonly renderer: Renderer
  /** `Name <address>`, the sender of mail without one. */
  readonly mailFrom: string
}

/** A rendered mail, and what makes it this one. */
export type MailToCompose = {
  readonly group: MailGroup
  readonly email: EmailObject
  /** Whether the sender is that of the installation. */
  readonly hasOwnSender: boolean
  readonly texts: EmailTexts
  readonly message: MessageToPrepare
  readonly links: MessageLinks
  /** Stands before the subject of a mail that is sent. */
  readonly mark?: string
  /** Finds the key that signs mail of a domain. A mail that is only looked at is not signed. */
  readonly findKey?: (domain: string) => Promise<SigningKey | undefined>
}

export type ComposedPreview = Mail & { readonly subject: string; readonly warnings: readonly string[] }

/** Is put in place of a missing sender while a mail is checked. */
const anySender = 'Preview <preview@example.com>'
/** Each mail has bodies of its own, so none is kept. */
const keptCharactersMax = 0

/** Composes a rendered mail without tracking, or returns the mistake in one of its texts. Texts with a mistake may be missing. */
export async function composePreview(
  services: ComposeServices,
  mail: MailToCompose,
): Promise<ComposedPreview | EmailMistake> {
  const { group, email, hasOwnSender, message, links, mark = '', findKey } = mail
  const libraries = await loadMailLibraries()
  const texts = { ...mail.texts, ...((hasOwnSender || mail.texts.from === undefined) && { from: anySender }) }
  const assembled = assembleEmail(email, texts, message.address, [], group.workspace.settings)
  if ('message' in assembled) return assembled
  const from = texts.from === anySender ? senderOf(services.mailFrom) : assembled.from
  const bodies = await encode(services, mail)
  if ('message' in bodies) return bodies
  if ('tooComplex' in bodies) return { text: 'body', message: bodies.tooComplex }
  const dkim = await findKey?.(from.domain)
  const options = { links, isMarketing: false, atMs: services.clock.now(), ...(dkim && { dkim }) }
  const subject = mark + assembled.subject
  const composed = await composeMail({ ...assembled, from, subject }, bodies, options, libraries)
  return { ...composed, subject, warnings: bodies.warnings }
}

/** Encodes the bodies: long ones, and those with styles to inline, in a process that renders. */
async function encode(
  services: ComposeServices,
  { group, texts, message, links }: MailToCompose,
): Promise<EncodedBodies | EmailMistake | TooComplex> {
  const given = Object.fromEntries(Object.entries(texts).filter(([name]) => bodyTexts.includes(name)))
  const characters = Object.values(given).reduce((sum, text) => sum + text.length, 0)
  if (group.inlineCss || characters > encodedHereCharactersMax)
    return encodeElsewhere(services, mailOf(group, given), message, links)
  const bodies = assembleBodies(given)
  if ('message' in bodies) return bodies
  const options = { tracking: message.tracking, inlineCss: false, publicUrl: services.publicUrl }
  const libraries = await loadMailLibraries()
  const decorated = new DecoratedBodies(keptCharactersMax)
  return encodeBodies(bodies, options, (count) => bodyLinksOf(links, count), decorated, libraries)
}

function mailOf(group: MailGroup, texts: EmailTexts): MailGroup {
  return { ...group, texts }
}

async function encodeElsewhere(
  services: ComposeServices,
  group: MailGroup,
  message: MessageToPrepare,
  links: MessageLinks,
): Promise<EncodedBodies | EmailMistake | TooComplex> {
  const finishing = finishingOf(services, group, {}, [message], [links])
  const { workspace_id } = group.workspace
  const options = { workspace_id, nowMs: services.clock.now(), kind: 'preview', finishing } as const
  const rendered = await services.renderer.render({}, { standard: {}, custom: {} }, options)
  if (rendered.outcome !== 'rendered')
    return { text: 'body', message: rendered.outcome === 'failed' ? rendered.message : rendered.reason }
  return rendered.finished as EncodedBodies | EmailMistake | TooComplex
}
