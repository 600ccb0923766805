import { createPrivateKey } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { uuidToHex } from '../../base/ids.ts'
import type { TemplateVariables } from '../../content/liquid/variables.ts'
import type { Renderer } from '../../content/rendering/renderer.ts'
import { loadVariables, optionalVariablesIn, type VariableServices } from '../../content/rendering/variables-store.ts'
import { findTemplate } from '../../content/templates/template-store.ts'
import { person } from '../../people/identity/person.ts'
import type { Workspace, Workspaces } from '../../workspace/settings/workspaces.ts'
import {
  assembleEmail,
  type EmailTexts,
  liquidTextsOf,
  renderedAttachments,
  textLimitsOf,
  withTemplate,
} from './assemble-email.ts'
import { composeMail } from './compose-mail.ts'
import type { DecoratedBodies } from './decorated-bodies.ts'
import type { SigningKey } from './dkim.ts'
import { findDkimKey } from './dkim-keys-config-section.ts'
import type { EmailObject } from './email-object.ts'
import {
  attachmentsBytesOf,
  encodedRatio,
  type FetchAttachments,
  type FetchedAttachments,
} from './fetch-attachments.ts'
import { loadMailLibraries, type MailLibraries } from './mail-libraries.ts'
import { asciiDomain } from './mailbox.ts'
import { type LinkSettings, linkFields, type MessageLinks, messageLinks } from './message-links.ts'
import { hasLiquid } from './read-text.ts'
import type { Mail } from './transport.ts'

/** A claimed message that is eligible. */
export type MessageToPrepare = {
  readonly message_id: string
  readonly profile_id: string
  readonly bucket: number
  readonly workspace_id: number
  /** The address whose consent was checked. */
  readonly address: string
  /** Whether the person allows tracking. The workspace has its own setting. */
  readonly tracking: { readonly opens: boolean; readonly clicks: boolean }
  readonly class: 'transactional' | 'marketing'
  /** The id of the order or of the entry. */
  readonly dispatch_id: string
  /** Messages with equal keys have the same e-mail object; `dispatch_id` if absent. */
  readonly contentKey?: string
  /** Variables for Liquid about what caused the message. */
  readonly about?: Omit<TemplateVariables, 'standard' | 'custom' | 'app' | 'subscribed_state'>
  readonly sending: { readonly email: EmailObject }
}

/** A mail that is ready for the hand-over. `links` are the targets of its tracked links, `domain` is the recipient's in ASCII. */
export type PreparedMail = Mail & {
  readonly subject: string
  readonly links: readonly string[]
  readonly warnings: readonly string[]
  readonly domain: string
}

/** Why there is no mail: a reason of the ledger, a sentence, and details. */
export type NotPrepared = {
  readonly reason: 'aborted_by_template' | 'template_error' | 'attachment_failed' | 'deleted'
  readonly rule: string
  readonly inputs: unknown
}

export type PrepareServices = LinkSettings &
  Omit<VariableServices, 'groups'> & {
    readonly db: Db
    readonly clock: Clock
    readonly workspaces: Pick<Workspaces, 'get'>
    readonly renderer: Renderer
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

/** What messages with one `contentKey` share. */
type Group = {
  readonly workspace: Workspace
  readonly email: EmailObject
  readonly texts: EmailTexts
}

async function prepareGroup(
  services: PrepareServices,
  messages: readonly MessageToPrepare[],
  bytesMax: number,
): Promise<(PrepareOutcome | undefined)[]> {
  const { workspace_id, sending } = messages[0]!
  const template_id = sending.email.email_template_id
  const template = template_id === undefined ? undefined : await findTemplate(services.db, workspace_id, template_id)
  if (template_id !== undefined && !template)
    return messages.map(() => failed('its email template is gone', { email_template_id: template_id }))
  const email = withTemplate(sending.email, template)
  const group = { workspace: services.workspaces.get(workspace_id), email, texts: liquidTextsOf(email) }
  const links = messages.map((message) => messageLinks(message, services))
  const rendered = await renderTexts(services, group, messages, links, bytesMax)
  return composeAll(services, group, messages, links, rendered, bytesMax)
}

/** Renders the texts of each message. */
async function renderTexts(
  services: PrepareServices,
  { workspace, texts }: Group,
  messages: readonly MessageToPrepare[],
  links: readonly MessageLinks[],
  charactersMax: number,
): Promise<(EmailTexts | NotPrepared | undefined)[]> {
  const liquid = Object.fromEntries(Object.entries(texts).filter(([, text]) => hasLiquid(text)))
  if (Object.keys(liquid).length === 0) return messages.map(() => texts)
  const { db, clock, renderer } = services
  const { workspace_id } = workspace
  const people = messages.map(({ bucket, profile_id }) => person(bucket, profile_id))
  const wanted = optionalVariablesIn(Object.values(liquid))
  const variables = await loadVariables(db, workspace_id, people, wanted, { ...services, groups: workspace.groups })
  const known = messages.flatMap((message, i) => {
    const found = variables.get(message.profile_id)
    return found ? [{ i, variables: variablesFor(found, message, links[i]!, workspace) }] : []
  })
  const each = known.map((one) => one.variables)
  const rendered = await renderer.renderWithin(liquid, each, charactersMax, {
    workspace_id,
    nowMs: clock.now(),
    limits: textLimitsOf(liquid),
    isTransactional: messages[0]!.class === 'transactional',
  })
  const outcomes: (EmailTexts | NotPrepared | undefined)[] = messages.map(() => deleted)
  for (const [n, { i }] of known.entries()) {
    const one = rendered[n]
    if (!one) outcomes[i] = undefined
    else if (one.outcome === 'rendered') outcomes[i] = { ...texts, ...one.texts }
    else if (one.outcome === 'aborted') outcomes[i] = aborted(one.reason)
    else {
      const { outcome: _, message, ...inputs } = one
      outcomes[i] = failed(message, inputs)
    }
  }
  return outcomes
}

function variablesFor(
  { standard, ...known }: TemplateVariables,
  { dispatch_id, sending, about }: MessageToPrepare,
  links: MessageLinks,
  workspace: Workspace,
): TemplateVariables {
  const app = workspace.apps.get(sending.email.app_id)
  return {
    ...known,
    standard: { ...standard, ...linkFields(links) },
    campaign: { dispatch_id: uuidToHex(dispatch_id) },
    ...about,
    ...(app && { app: { api_id: app.id, name: app.name, platform: app.platform } }),
  }
}

/** Composes one mail after the other, with turns for other work in between. */
async function composeAll(
  services: PrepareServices,
  group: Group,
  messages: readonly MessageToPrepare[],
  links: readonly MessageLinks[],
  rendered: readonly (EmailTexts | NotPrepared | undefined)[],
  bytesMax: number,
): Promise<(PrepareOutcome | undefined)[]> {
  const libraries = await loadMailLibraries()
  const findKey = keyFinder(services.db, group.workspace.workspace_id)
  const outcomes: (PrepareOutcome | undefined)[] = messages.map(() => undefined)
  let bytesLeft = bytesMax
  let attached: FetchedAttachments[] = []
  const filesBytes = attachmentsBytesOf(group.email, group.workspace.settings.attachments_bytes_max)
  const count = Math.max(1, Math.floor(fetchedBytesMax / filesBytes))
  let sinceMs = services.clock.elapsed()
  for (const [i, message] of messages.entries()) {
    const n = i % count
    if (n === 0) attached = await fetchAll(services, group, messages.slice(i, i + count), rendered.slice(i, i + count))
    const texts = rendered[i]
    if (texts) {
      const input = { message, links: links[i]!, texts, attached: attached[n]! }
      const outcome = await prepareOne(services, group, input, findKey, libraries)
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
  rendered: readonly (EmailTexts | NotPrepared | undefined)[],
): Promise<FetchedAttachments[]> {
  const bytesMax = workspace.settings.attachments_bytes_max
  const attached: FetchedAttachments[] = messages.map(() => nothing)
  const indexes = messages.keys()
  const fetchSome = async () => {
    for (const i of indexes) {
      const texts = rendered[i]
      const attachments = !texts || isNotPrepared(texts) ? [] : renderedAttachments(email, texts)
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
  readonly texts: EmailTexts | NotPrepared
  readonly attached: FetchedAttachments
}

async function prepareOne(
  { clock, publicUrl, decoratedBodies }: PrepareServices,
  { workspace, email }: Group,
  { message, links, texts, attached }: ComposeInput,
  findKey: (domain: string) => Promise<SigningKey | undefined>,
  libraries: MailLibraries,
): Promise<PrepareOutcome> {
  if (isNotPrepared(texts)) return texts
  const recipient = recipientOf(message.address)
  if (!recipient) return failed('mail cannot be sent to the address', { text: 'to' })
  if ('failed' in attached) return { reason: 'attachment_failed', rule: attached.failed, inputs: {} }
  const { settings } = workspace
  const assembled = assembleEmail(email, texts, recipient.address, attached.files, settings)
  if ('message' in assembled) return failed(`${assembled.text} ${assembled.message}`, { text: assembled.text })
  const dkim = await findKey(assembled.from.domain)
  const tracking = {
    opens: settings.track_opens && message.tracking.opens,
    clicks: settings.track_clicks && message.tracking.clicks,
  }
  const isMarketing = message.class === 'marketing'
  const options = { links, publicUrl, tracking, isMarketing, atMs: clock.now(), ...(dkim && { dkim }) }
  const mail = composeMail(assembled, options, decoratedBodies, libraries)
  if ('tooComplex' in mail) return failed(`the body ${mail.tooComplex}`, { text: 'body' })
  const warnings = [...attached.warnings, ...mail.warnings]
  return { ...mail, warnings, subject: assembled.subject, domain: recipient.domain }
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

/** Finds DKIM keys by domain and looks up each once. */
function keyFinder(db: Db, workspace_id: number): (domain: string) => Promise<SigningKey | undefined> {
  const keys = new Map<string, Promise<SigningKey | undefined>>()
  return (domain) => {
    const known = keys.get(domain) ?? findKey(db, workspace_id, domain)
    keys.set(domain, known)
    return known
  }
}

async function findKey(db: Db, workspace_id: number, domain: string): Promise<SigningKey | undefined> {
  const found = await findDkimKey(db, workspace_id, domain)
  return found && { domain: found.name, selector: found.selector, key: createPrivateKey(found.private_key) }
}

const deleted: NotPrepared = { reason: 'deleted', rule: 'the person was deleted', inputs: {} }

function failed(message: string, inputs: object): NotPrepared {
  return { reason: 'template_error', rule: message, inputs }
}

function aborted(reason: string): NotPrepared {
  return { reason: 'aborted_by_template', rule: reason, inputs: {} }
}

function isNotPrepared(one: EmailTexts | NotPrepared): one is NotPrepared {
  return typeof one.reason === 'string'
}
