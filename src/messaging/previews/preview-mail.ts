import type { Call } from '../../base/call.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import type { Ability } from '../../base/http/abilities.ts'
import { newUuid } from '../../base/ids.ts'
import { findBlockById } from '../../content/blocks/block-store.ts'
import type { OpenRenderings } from '../../content/rendering/open-renderings.ts'
import { findTemplate } from '../../content/templates/template-store.ts'
import type { Workspace, Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Channel, ShownMessage } from '../channels/channel.ts'
import { nobody } from '../mail/account-mail.ts'
import { liquidTextsOf, textLimitsOf, withTemplate } from '../mail/assemble-email.ts'
import type { EmailObject } from '../mail/email-object.ts'
import { messageLinks } from '../mail/message-links.ts'
import type { MessageToPrepare } from '../mail/prepared-mail.ts'
import { readParts } from '../mail/read-parts.ts'
import { variablesOfOne } from '../mail/render-texts.ts'
import type { PreparedMessage } from '../messages/prepared-message.ts'
import { type ComposedPreview, type ComposeServices, composePreview, type MailToCompose } from './compose-preview.ts'
import { type PreviewedMessage, type PreviewMessageServices, previewMessage } from './preview-message.ts'
import type { PreviewPages, ShownPreview } from './preview-pages.ts'
import { findPreviewPerson, type PersonServices, type PreviewPerson } from './preview-person.ts'
import { type GivenBlock, type GivenMail, type GivenPreview, readPreview } from './read-preview.ts'
import { renderEach, type TextMistake } from './render-each.ts'
import { recipientWarnings } from './test-recipient.ts'

export type PreviewMailServices = ComposeServices &
  PersonServices &
  PreviewMessageServices & {
    readonly db: Db
    readonly workspaces: Pick<Workspaces, 'get'>
    readonly previewPages: PreviewPages
    /** The previews that are being rendered. */
    readonly open: OpenRenderings
  }

/** How a mail is composed, besides its texts. `to` is the address of the person when absent. */
export type ComposeOptions = Pick<MailToCompose, 'mark' | 'findKey'> & {
  readonly to?: string
  /** The id of the mail, which its return path names. */
  readonly mail_id?: string
}

/** What came of a preview. `mail` is there when all texts could be rendered. */
export type PreviewedMail = {
  readonly about: PreviewPerson
  readonly texts: Readonly<Record<string, string>>
  readonly mistakes: readonly TextMistake[]
  readonly reason?: string
  readonly mail?: ComposedPreview
}

/** The recipient of a mail for nobody. */
const anyAddress = 'preview@example.com'

/**
 * Renders a mail, a content block or a message of a channel for one person, and keeps what has a page for it. Mistakes in texts are
 * results. Throws 400, 404 and 429.
 */
export function preview(call: Call, workspace_id: number, body: unknown, services: PreviewMailServices) {
  const given = readPreview(body, ['mail', 'content_block', 'message'])
  const startMs = call.clock.elapsed()
  return services.open.run(workspace_id, async () => {
    const workspace = services.workspaces.get(workspace_id)
    const previewed: PreviewedMail & Partial<PreviewedMessage> = given.mail
      ? await previewMail(services, workspace, given, given.mail)
      : given.message
        ? await previewMessage(services, workspace, given, given.message)
        : await previewBlock(services, workspace, given, given.content_block!)
    const { about, texts, mistakes, reason, prepared } = previewed
    const ability: Ability = about.person ? 'people.read' : 'messages.test'
    const shown = shownOf(previewed, given)
    const parts = previewed.mail && (await readParts(previewed.mail.raw))
    const message = prepared && (await showPrepared(given.message!.channel, prepared))
    const size = prepared && given.message!.trial.bytesOf?.(prepared)
    const reached = given.message && (await recipientWarnings(call.db, given.message, about))
    return {
      ...outcomeOf(previewed),
      reason: reason ?? null,
      mistakes,
      texts,
      person: about.person,
      warnings: [...(previewed.mail?.warnings ?? prepared?.warnings ?? []), ...(reached ?? [])],
      bytes: size?.bytes ?? bytesOf(shown),
      bytes_max: size?.bytesMax ?? null,
      ms: Math.round(call.clock.elapsed() - startMs),
      html_url: shown === undefined ? null : services.previewPages.add({ workspace_id, ability, shown }, workspace.id),
      text: parts?.text ?? message?.text ?? null,
      from: message?.from ?? null,
      headers: message?.headers ?? {},
      details: message?.details ?? null,
    }
  })
}

/** Shows a message of a channel as its inbox does. */
function showPrepared(channel: Channel, prepared: PreparedMessage): Promise<ShownMessage> {
  const [kept] = channel.keep(prepared, '')
  return channel.show(kept!.source)
}

function outcomeOf({ about, mistakes, reason }: PreviewedMail) {
  const [mistake] = mistakes
  if (mistake) {
    const sentence = mistakes.length === 1 ? 'A text has a mistake.' : `${mistakes.length} texts have mistakes.`
    return { outcome: 'failed', sentence: mistake.text === null ? `${mistake.message}.` : sentence } as const
  }
  if (reason !== undefined)
    return { outcome: 'aborted', sentence: `The message is not sent to ${about.words}: ${reason}` } as const
  return { outcome: 'rendered', sentence: `Rendered for ${about.words}.` } as const
}

function bytesOf(shown: ShownPreview['shown'] | undefined): number | null {
  if (shown === undefined) return null
  return 'source' in shown ? shown.source.length : Buffer.byteLength(shown.content)
}

function shownOf(
  { mail, texts, mistakes, reason }: PreviewedMail,
  given: GivenPreview,
): ShownPreview['shown'] | undefined {
  if (mail) return { source: mail.raw }
  if (given.mail || given.message || mistakes.length > 0 || reason !== undefined) return undefined
  const content = texts.content ?? ''
  return { content, isHtml: /<[A-Za-z!/]/.test(content) }
}

/** Renders and composes a mail. */
export async function previewMail(
  services: PreviewMailServices,
  workspace: Workspace,
  given: GivenPreview,
  mail: GivenMail,
  { to, mail_id = nobody, ...options }: ComposeOptions = {},
): Promise<PreviewedMail> {
  const { workspace_id } = workspace
  const email = await emailOf(services.db, workspace, mail)
  const texts = liquidTextsOf(email)
  const inlineCss = email.should_inline_css ?? workspace.settings.should_inline_css
  const group = { workspace, texts, app_id: email.app_id, inlineCss }
  const about = await findPreviewPerson(services.db, workspace, given, Object.values(texts), services)
  const address = to ?? String(about.variables.standard.email ?? anyAddress)
  // Its links lead to nobody: a reader who follows them in a test must not unsubscribe the person.
  const target = { profile_id: nobody, message_id: mail_id }
  const message: MessageToPrepare = {
    ...{ ...target, bucket: 0, workspace_id, address, class: 'marketing', dispatch_id: newUuid() },
    ...{ tracking: { opens: false, clicks: false }, content: email },
  }
  const links = messageLinks(target, services)
  const variables = await variablesOfOne(services, group, about.variables, message, links)
  const rendered = await renderEach(
    services.renderer,
    texts,
    { ...variables, ...given.personal },
    {
      ...{ workspace_id, nowMs: services.clock.now(), kind: 'preview', limits: textLimitsOf(texts) },
    },
  )
  if (rendered.mistakes.length > 0 || rendered.reason !== undefined) return { about, ...rendered }
  const hasOwnSender = mail.from === undefined
  const toCompose = { group, email, hasOwnSender, texts: rendered.texts, message, links, ...options }
  const composed = await composePreview(services, toCompose)
  if (!('message' in composed)) return { about, ...rendered, mail: composed }
  const mistake = { text: composed.text, content_block: null, line: null, column: null }
  return { about, ...rendered, mistakes: [{ ...mistake, message: `${composed.text} ${composed.message}` }] }
}

/** Completes the texts of a request. The sender of the installation has no Liquid, so it is left out. */
async function emailOf(tx: Tx, workspace: Workspace, mail: GivenMail): Promise<EmailObject> {
  const { email_template_id: id, app_id = [...workspace.apps.keys()][0] ?? '', from, ...texts } = mail
  const template = id === undefined ? undefined : await findTemplate(tx, workspace.workspace_id, id)
  if (id !== undefined && !template) throw notFound('There is no e-mail template with this id')
  const email = { app_id, ...(from !== undefined && { from }), ...texts } as EmailObject
  return withTemplate(email, template)
}

async function previewBlock(
  services: PreviewMailServices,
  workspace: Workspace,
  given: GivenPreview,
  { content_block_id: id, content }: GivenBlock,
): Promise<PreviewedMail> {
  const { workspace_id } = workspace
  const stored = id === undefined ? undefined : await findBlockById(services.db, workspace_id, id)
  if (id !== undefined && !stored) throw notFound('There is no content block with this id')
  const texts = { content: content ?? stored!.content }
  const about = await findPreviewPerson(services.db, workspace, given, [texts.content], services)
  const options = { workspace_id, nowMs: services.clock.now(), kind: 'preview' } as const
  return { about, ...(await renderEach(services.renderer, texts, about.variables, options)) }
}
