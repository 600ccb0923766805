import { createPrivateKey } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '../../base/db/db.ts'
import { findTemplate } from '../../content/templates/template-store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { failed, type NotPrepared } from '../messages/prepared-message.ts'
import { assembleBodies, type EmailMistake } from './assemble-bodies.ts'
import { assembleEmail, liquidTextsOf, renderedAttachments, withTemplate } from './assemble-email.ts'
import { composeMail } from './compose-mail.ts'
import type { DecoratedBodies } from './decorated-bodies.ts'
import type { SigningKey } from './dkim.ts'
import { findDkimKey } from './dkim-keys-config-section.ts'
import type { EmailObject } from './email-object.ts'
import { type EncodedBodies, encodeBodies, type MailBodies } from './encode-bodies.ts'
import {
  attachmentsBytesOf,
  encodedRatio,
  type FetchAttachments,
  type FetchedAttachments,
} from './fetch-attachments.ts'
import { loadMailLibraries, type MailLibraries } from './mail-libraries.ts'
import { asciiDomain } from './mailbox.ts'
import { bodyLinksOf, type LinkSettings, type MessageLinks, messageLinks } from './message-links.ts'
import type { TooComplex } from './parse-html.ts'
import type { MessageToPrepare, PreparedMail } from './prepared-mail.ts'
import { type MailGroup, type RenderedMail, type RenderServices, renderTexts, trackingOf } from './render-texts.ts'

export type PrepareServices = LinkSettings &
  RenderServices & {
    readonly workspaces: Pick<Workspaces, 'get'>
    readonly fetchAttachments: FetchAttachments
    /** One cache for the process. */
    readonly decoratedBodies: DecoratedBodies
  }

/** After this time composing gives other work of the process a turn. */
const sliceMs = 2
/** The most mails of one order whose files are fetched at the same time. */
const fetchingMax = 10
/** The most bytes of fetched files that are held for mails of one order. */
const fetchedBytesMax = 32 * 2 ** 20

type PrepareOutcome = PreparedMail | NotPrepared

/**
 * Prepares a mail for each message, in the same order: renders texts, fetches attachments and composes the bytes. A failing template or
 * attachment is an outcome. Rejects if the database is not available; the whole batch may then be tried again.
 */
export async function prepareEmails(
  services: PrepareServices,
  batch: readonly MessageToPrepare[],
): Promise<PrepareOutcome[]> {
  return (await prepareWithin(services, batch, Infinity)) as PrepareOutcome[]
}

/**
 * Prepares mails of `bytesMax` together for each content, with so many characters of rendered texts; attached files do not count. Messages
 * for whose mails there is no room are undefined. With `mailTextBytesMax` there is room for at least one.
 */
export async function prepareWithin(
  services: PrepareServices,
  batch: readonly MessageToPrepare[],
  bytesMax: number,
): Promise<(PrepareOutcome | undefined)[]> {
  const groups = Map.groupBy(
    batch.keys(),
    (i) => `${batch[i]!.workspace_id} ${batch[i]!.contentKey ?? batch[i]!.dispatch_id}`,
  )
  const outcomes: (PrepareOutcome | undefined)[] = new Array(batch.length).fill(undefined)
  for (const indexes of groups.values()) {
    const messages = indexes.map((i) => batch[i]!)
    const prepared = await prepareGroup(services, messages, bytesMax)
    prepared.forEach((outcome, i) => {
      outcomes[indexes[i]!] = outcome
    })
  }
  return outcomes
}

/** Bytes of the largest mail without its files: two bodies of the longest kind, encoded for mail. */
export const mailTextBytesMax = 24 * 2 ** 20

function textBytesOf({ raw }: PreparedMail, attached: FetchedAttachments | undefined): number {
  const files = attached && 'files' in attached ? attached.files : []
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0)
  return Math.max(0, raw.length - Math.ceil(bytes * encodedRatio))
}

type Group = MailGroup & { readonly email: EmailObject }

type RenderOutcome = RenderedMail | NotPrepared | undefined

async function prepareGroup(
  services: PrepareServices,
  messages: readonly MessageToPrepare[],
  bytesMax: number,
): Promise<(PrepareOutcome | undefined)[]> {
  const { workspace_id, content } = messages[0]!
  const template_id = content.email_template_id
  const template = template_id === undefined ? undefined : await findTemplate(services.db, workspace_id, template_id)
  if (template_id !== undefined && !template)
    return messages.map(() => failed('its email template is gone', { email_template_id: template_id }))
  const email = withTemplate(content, template)
  const workspace = services.workspaces.get(workspace_id)
  const inlineCss = email.should_inline_css ?? workspace.settings.should_inline_css
  const group = { workspace, email, texts: liquidTextsOf(email), app_id: email.app_id, inlineCss }
  const links = messages.map((message) => messageLinks(message, services))
  const rendered = await renderTexts(services, group, messages, links, bytesMax)
  return composeAll(services, group, messages, links, rendered, bytesMax)
}

/** Composes one mail after the other, with turns for other work in between. */
async function composeAll(
  services: PrepareServices,
  group: Group,
  messages: readonly MessageToPrepare[],
  links: readonly MessageLinks[],
  rendered: RenderOutcome[],
  bytesMax: number,
): Promise<(PrepareOutcome | undefined)[]> {
  const libraries = await loadMailLibraries()
  const findKey = services.isPreview ? unsigned : keyFinder(services.db, group.workspace.workspace_id)
  const outcomes: (PrepareOutcome | undefined)[] = messages.map(() => undefined)
  let bytesLeft = bytesMax
  let attached: FetchedAttachments[] = []
  const filesBytes = attachmentsBytesOf(group.email, group.workspace.settings.attachments_bytes_max)
  const count = Math.max(1, Math.floor(fetchedBytesMax / filesBytes))
  let sinceMs = services.clock.elapsed()
  for (const [i, message] of messages.entries()) {
    const n = i % count
    if (n === 0) attached = await fetchAll(services, group, messages.slice(i, i + count), rendered.slice(i, i + count))
    const one = rendered[i]
    if (one) {
      const input = { message, links: links[i]!, rendered: one, attached: attached[n]! }
      const outcome = await prepareOne(services, group, input, findKey, libraries)
      // The mail has a copy of the bodies.
      rendered[i] = undefined
      const bytes = 'raw' in outcome ? textBytesOf(outcome, attached[n]) : 0
      const isFirst = bytesLeft === bytesMax && bytesMax >= mailTextBytesMax
      if (bytes > bytesLeft && !isFirst) return outcomes
      bytesLeft -= bytes
      outcomes[i] = outcome
    }
    if (services.clock.elapsed() - sinceMs < sliceMs) continue
    await nextTurn()
    sinceMs = services.clock.elapsed()
  }
  return outcomes
}

/** Fetches the files of each mail. A slow server does not delay the files of other mails. */
async function fetchAll(
  { fetchAttachments }: PrepareServices,
  { email, workspace }: Group,
  messages: readonly MessageToPrepare[],
  rendered: readonly RenderOutcome[],
): Promise<FetchedAttachments[]> {
  const bytesMax = workspace.settings.attachments_bytes_max
  const attached: FetchedAttachments[] = messages.map(() => nothing)
  const indexes = messages.keys()
  const fetchSome = async () => {
    for (const i of indexes) {
      const one = rendered[i]
      const attachments = !one || 'reason' in one ? [] : renderedAttachments(email, one.texts)
      const { workspace_id, dispatch_id } = messages[i]!
      const scope = { workspace_id, dispatch_id, bytesMax }
      if (attachments.length > 0) attached[i] = await fetchAttachments(attachments, scope)
    }
  }
  await Promise.all(Array.from({ length: fetchingMax }, fetchSome))
  return attached
}

/** What is needed to compose one mail. */
type ComposeInput = {
  readonly message: MessageToPrepare
  readonly links: MessageLinks
  readonly rendered: RenderedMail | NotPrepared
  readonly attached: FetchedAttachments
}

async function prepareOne(
  services: PrepareServices,
  group: Group,
  { message, links, rendered, attached }: ComposeInput,
  findKey: (domain: string) => Promise<SigningKey | undefined>,
  libraries: MailLibraries,
): Promise<PrepareOutcome> {
  if ('reason' in rendered) return rendered
  const recipient = recipientOf(message.address)
  if (!recipient) return failed('mail cannot be sent to the address', { text: 'to' })
  if ('failed' in attached) return { reason: 'attachment_failed', rule: attached.failed, inputs: {} }
  const { workspace, email } = group
  const assembled = assembleEmail(email, rendered.texts, recipient.address, attached.files, workspace.settings)
  if ('message' in assembled) return failed(`${assembled.text} ${assembled.message}`, { text: assembled.text })
  const bodies =
    rendered.encoded ?? (await encodeHere(services, group, message, links, assembleBodies(rendered.texts), libraries))
  if ('message' in bodies) return failed(`${bodies.text} ${bodies.message}`, { text: bodies.text })
  if ('tooComplex' in bodies) return failed(`the body ${bodies.tooComplex}`, { text: 'body' })
  const dkim = await findKey(assembled.from.domain)
  const isMarketing = message.class === 'marketing'
  const options = { links, isMarketing, atMs: services.clock.now(), ...(dkim && { dkim }) }
  const mail = await composeMail(assembled, bodies, options, libraries)
  const warnings = [...attached.warnings, ...bodies.warnings]
  const { subject } = assembled
  return { ...mail, bytes: mail.raw.length, links: bodies.links, warnings, subject, domain: recipient.domain }
}

/** Encodes short bodies in this process. */
async function encodeHere(
  { publicUrl, decoratedBodies }: PrepareServices,
  { workspace, inlineCss }: Group,
  message: MessageToPrepare,
  links: MessageLinks,
  bodies: MailBodies | EmailMistake,
  libraries: MailLibraries,
): Promise<EncodedBodies | EmailMistake | TooComplex> {
  if ('message' in bodies) return bodies
  const options = { tracking: trackingOf(message, workspace), inlineCss, publicUrl }
  return encodeBodies(bodies, options, (count) => bodyLinksOf(links, count), decoratedBodies, libraries)
}

const nothing: FetchedAttachments = { files: [], warnings: [] }

/** Returns the address for the envelope, or undefined if no server could accept it. */
function recipientOf(address: string): { address: string; domain: string } | undefined {
  const at = address.lastIndexOf('@')
  const domain = asciiDomain(address.slice(at + 1))
  const local = address.slice(0, Math.max(at, 0))
  if (domain === undefined || local === '' || /[\s\p{C}<>]/u.test(local)) return undefined
  return { address: `${local}@${domain}`, domain }
}

async function unsigned(): Promise<undefined> {}

/** Finds DKIM keys by domain and looks up each once. */
function keyFinder(db: Db, workspace_id: number): (domain: string) => Promise<SigningKey | undefined> {
  const keys = new Map<string, Promise<SigningKey | undefined>>()
  return (domain) => {
    const known = keys.get(domain) ?? findSigningKey(db, workspace_id, domain)
    keys.set(domain, known)
    return known
  }
}

/** Finds the DKIM key with which mail from a domain is signed. */
export async function findSigningKey(db: Db, workspace_id: number, domain: string): Promise<SigningKey | undefined> {
  const found = await findDkimKey(db, workspace_id, domain)
  return found && { domain: found.name, selector: found.selector, key: createPrivateKey(found.private_key) }
}
