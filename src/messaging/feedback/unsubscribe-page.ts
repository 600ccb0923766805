import type { Db } from '../../base/db/db.ts'
import { type Failure, notFound } from '../../base/errors.ts'
import { escapeHtml, type PageReply, type PageRequest } from '../../base/http/page.ts'
import type { Query } from '../../base/http/route.ts'
import { visitorPage } from '../../base/http/visitor-page.ts'
import { formatToken, parseToken, type TokenTarget } from '../../people/addresses/message-token.ts'
import { findRecipient, type MessageRecipient } from '../../people/addresses/recipient-store.ts'
import type { SuppressionReason } from '../../people/addresses/suppression-store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { addressesOf, listActiveSuppressions, subscribe, type UnsubscribeServices, unsubscribe } from './unsubscribe.ts'

export type UnsubscribePageServices = UnsubscribeServices & {
  readonly db: Db
  readonly secret: Buffer
  readonly workspaces: Workspaces
}

/** The message of the token, its recipient, and the relative path to the root of the site. */
type Visit = { readonly target: TokenTarget; readonly recipient: MessageRecipient; readonly root: string }

/** Shows a button that unsubscribes. The page itself changes nothing, since scanners open every link. */
export async function showUnsubscribe(
  target: TokenTarget,
  { root }: PageRequest,
  services: UnsubscribePageServices,
): Promise<PageReply> {
  const visit = { target, root, recipient: await recipientOf(target, services) }
  return visit.recipient.email_subscribe === 'unsubscribed'
    ? unsubscribedPage(visit, services)
    : confirmPage(visit, services)
}

/**
 * Unsubscribes a mail program's one-click request (RFC 8058) or a person who pressed the button; the other button subscribes again. If the
 * person was deleted, a one-click request still succeeds, since no mail will be sent.
 */
export async function answerUnsubscribe(
  target: TokenTarget,
  { root, form }: PageRequest,
  services: UnsubscribePageServices,
): Promise<PageReply> {
  const isOneClick = form['List-Unsubscribe']?.[0]?.toLowerCase() === 'one-click'
  const wish = isOneClick ? 'unsubscribe' : form.wish?.[0]
  if (wish === 'unsubscribe') {
    const before = await unsubscribe(services.db, services, target)
    if (isOneClick)
      return { status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'Unsubscribed\n' }
    if (!before) throw unknownRecipient()
    return unsubscribedPage({ target, root, recipient: before }, services)
  }
  const visit = { target, root, recipient: await recipientOf(target, services) }
  if (wish !== 'subscribe') return { ...confirmPage(visit, services), status: 400 }
  await subscribe(
    services.db,
    services,
    visit.recipient,
    hadOptedIn(form, target, services) ? 'opted_in' : 'subscribed',
  )
  return subscribedPage(visit, await listActiveSuppressions(services.db, services, visit.recipient), services)
}

async function recipientOf(target: TokenTarget, { db }: UnsubscribePageServices): Promise<MessageRecipient> {
  const recipient = await findRecipient(db, target)
  if (!recipient) throw unknownRecipient()
  return recipient
}

function unknownRecipient(): Failure {
  return notFound('The person of this token was deleted')
}

/** Returns whether the recipient was opted in before. A signed field of the page has this, so subscribing again restores it. */
function hadOptedIn({ state }: Query, target: TokenTarget, { secret }: UnsubscribePageServices): boolean {
  const previous = parseToken(state?.[0] ?? '', 'opted_in', secret)
  return previous?.profile_id === target.profile_id && previous.message_id === target.message_id
}

function confirmPage(visit: Visit, services: UnsubscribePageServices): PageReply {
  const { recipient } = visit
  const from = nameOf(recipient, services)
  return visitorPage({
    from,
    heading: 'Unsubscribe',
    content: `<p>Press the button, and <bdi>${escapeHtml(from)}</bdi> sends no more e-mails to ${addressesHtml(recipient)}.</p>
<p class="soft">You may still get messages about things you do, such as receipts.</p>
<form method="post">
<input type="hidden" name="wish" value="unsubscribe">
<div class="act"><button>Unsubscribe</button>${preferencesLink(visit, 'Choose what you get instead', services)}</div>
</form>`,
  })
}

/** `visit.recipient` has the state before unsubscribing on this page, or the current one if the person was unsubscribed already. */
function unsubscribedPage(visit: Visit, services: UnsubscribePageServices): PageReply {
  const { target, recipient } = visit
  const from = nameOf(recipient, services)
  const token = recipient.email_subscribe === 'opted_in' && formatToken(target, 'opted_in', services.secret)
  const state = token ? `<input type="hidden" name="state" value="${token}">\n` : ''
  return visitorPage({
    from,
    heading: 'You are unsubscribed',
    content: `<p><bdi>${escapeHtml(from)}</bdi> sends no more e-mails to ${addressesHtml(recipient)}.</p>
<p class="soft">You may still get messages about things you do, such as receipts.</p>
<form method="post">
<input type="hidden" name="wish" value="subscribe">
${state}<div class="act"><button class="quiet">Subscribe again</button>${preferencesLink(visit, 'Your e-mail preferences', services)}</div>
</form>`,
  })
}

function subscribedPage(
  visit: Visit,
  suppressions: readonly SuppressionReason[],
  services: UnsubscribePageServices,
): PageReply {
  const { recipient } = visit
  const from = nameOf(recipient, services)
  const asBefore = `<p>E-mails from <bdi>${escapeHtml(from)}</bdi> go to ${currentAddressHtml(recipient)} as before.</p>\n`
  return visitorPage({
    from,
    heading: 'You are subscribed again',
    content: `${suppressedNote(recipient, suppressions, from) || asBefore}<form method="post">
<input type="hidden" name="wish" value="unsubscribe">
<div class="act"><button class="quiet">Unsubscribe</button>${preferencesLink(visit, 'Your e-mail preferences', services)}</div>
</form>`,
  })
}

/** Explains, as HTML, that nothing is sent although the person wants mail. Returns an empty text if mail is sent. */
export function suppressedNote(
  recipient: MessageRecipient,
  suppressions: readonly SuppressionReason[],
  from: string,
): string {
  if (recipient.email === null)
    return '<p>We no longer have an e-mail address for you, so we cannot send you e-mails.</p>\n'
  if (suppressions.length === 0) return ''
  const cameBack = suppressions.some((reason) => reason === 'hard_bounce' || reason === 'soft_bounces')
  const why = cameBack ? 'e-mails to it came back' : 'it was taken off the list'
  return `<p>But nothing is sent to ${currentAddressHtml(recipient)} for now: ${why}.</p>
<p class="soft">Only <bdi>${escapeHtml(from)}</bdi> can change that.</p>\n`
}

/** Formats the person's current address as HTML. */
function currentAddressHtml({ email }: MessageRecipient): string {
  return addressesHtml({ address: null, email })
}

function nameOf({ workspace_id }: MessageRecipient, { workspaces }: UnsubscribePageServices): string {
  return workspaces.get(workspace_id).name
}

/** Formats the masked addresses as HTML. */
export function addressesHtml(recipient: Pick<MessageRecipient, 'address' | 'email'>): string {
  const masked = addressesOf(recipient).map((email) => `<bdi>${escapeHtml(maskedAddress(email))}</bdi>`)
  return masked.length === 0 ? 'you' : masked.join(' and ')
}

/** Formats the link to the preferences. It is relative, because a proxy may serve the site below a path. */
function preferencesLink({ target, root }: Visit, text: string, { secret }: UnsubscribePageServices): string {
  return `<a href="${root}preferences/${formatToken(target, 'preferences', secret)}">${text}</a>`
}

/** Masks an address: its owner recognises it, but a reader of a forwarded mail learns little. */
function maskedAddress(email: string): string {
  const at = email.lastIndexOf('@')
  const [first = ''] = email
  return `${first}…${email.slice(at)}`
}
