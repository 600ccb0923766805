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

/** Who has opened the page: the message it is about, whom that was written to, and the way to the root of the site. */
type Visit = { readonly named: TokenTarget; readonly recipient: MessageRecipient; readonly root: string }

/** What will happen, and a button that does it. Nothing changes here: scanners look at every link. */
export async function showUnsubscribe(
  named: TokenTarget,
  { root }: PageRequest,
  parts: UnsubscribePageServices,
): Promise<PageReply> {
  const visit = { named, root, recipient: await recipientOf(named, parts) }
  return visit.recipient.email_subscribe === 'unsubscribed' ? unsubscribedPage(visit, parts) : confirmPage(visit, parts)
}

/**
 * Unsubscribes at once: a mail program by one click (RFC 8058), or a person by the button. What the page's other button sends leads back.
 * Somebody who was deleted gets no mail: a mail program is told that all is well.
 */
export async function answerUnsubscribe(
  named: TokenTarget,
  { root, form }: PageRequest,
  parts: UnsubscribePageServices,
): Promise<PageReply> {
  const isOneClick = form['List-Unsubscribe']?.[0]?.toLowerCase() === 'one-click'
  const wish = isOneClick ? 'unsubscribe' : form.wish?.[0]
  if (wish === 'unsubscribe') {
    const before = await unsubscribe(parts.db, parts, named)
    if (isOneClick)
      return { status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'Unsubscribed\n' }
    if (!before) throw unknownRecipient()
    return unsubscribedPage({ named, root, recipient: before }, parts)
  }
  const visit = { named, root, recipient: await recipientOf(named, parts) }
  if (wish !== 'subscribe') return { ...confirmPage(visit, parts), status: 400 }
  await subscribe(parts.db, parts, visit.recipient, hadOptedIn(form, named, parts) ? 'opted_in' : 'subscribed')
  return subscribedPage(visit, await listActiveSuppressions(parts.db, parts, visit.recipient), parts)
}

async function recipientOf(named: TokenTarget, { db }: UnsubscribePageServices): Promise<MessageRecipient> {
  const recipient = await findRecipient(db, named)
  if (!recipient) throw unknownRecipient()
  return recipient
}

function unknownRecipient(): Failure {
  return notFound('Nobody has this token')
}

/** Who had opted in has said so with this very mailbox, and comes back to it; our own page told so, signed. */
function hadOptedIn({ state }: Query, named: TokenTarget, { secret }: UnsubscribePageServices): boolean {
  const told = parseToken(state?.[0] ?? '', 'opted_in', secret)
  return told?.profile_id === named.profile_id && told.message_id === named.message_id
}

function confirmPage(visit: Visit, parts: UnsubscribePageServices): PageReply {
  const { recipient } = visit
  const from = nameOf(recipient, parts)
  return visitorPage({
    from,
    heading: 'Unsubscribe',
    content: `<p>Press the button, and <bdi>${escapeHtml(from)}</bdi> sends no more e-mails to ${addressesHtml(recipient)}.</p>
<p class="soft">Only messages that belong to something you do, such as a receipt, may still come.</p>
<form method="post">
<input type="hidden" name="wish" value="unsubscribe">
<div class="act"><button>Unsubscribe</button>${preferencesLink(visit, 'Choose what you get instead', parts)}</div>
</form>`,
  })
}

/** `recipient` as they were before they unsubscribed here, or as they are when that was before. */
function unsubscribedPage(visit: Visit, parts: UnsubscribePageServices): PageReply {
  const { named, recipient } = visit
  const from = nameOf(recipient, parts)
  const token = recipient.email_subscribe === 'opted_in' && formatToken(named, 'opted_in', parts.secret)
  const state = token ? `<input type="hidden" name="state" value="${token}">\n` : ''
  return visitorPage({
    from,
    heading: 'You are unsubscribed',
    content: `<p><bdi>${escapeHtml(from)}</bdi> sends no more e-mails to ${addressesHtml(recipient)}.</p>
<p class="soft">Only messages that belong to something you do, such as a receipt, may still come.</p>
<form method="post">
<input type="hidden" name="wish" value="subscribe">
${state}<div class="act"><button class="quiet">Subscribe again</button>${preferencesLink(visit, 'Your e-mail preferences', parts)}</div>
</form>`,
  })
}

function subscribedPage(
  visit: Visit,
  stopped: readonly SuppressionReason[],
  parts: UnsubscribePageServices,
): PageReply {
  const { recipient } = visit
  const from = nameOf(recipient, parts)
  const asBefore = `<p>E-mails from <bdi>${escapeHtml(from)}</bdi> go to ${currentAddressHtml(recipient)} as before.</p>\n`
  return visitorPage({
    from,
    heading: 'You are subscribed again',
    content: `${suppressedNote(recipient, stopped, from) || asBefore}<form method="post">
<input type="hidden" name="wish" value="unsubscribe">
<div class="act"><button class="quiet">Unsubscribe</button>${preferencesLink(visit, 'Your e-mail preferences', parts)}</div>
</form>`,
  })
}

/** That nothing is sent although somebody wants it, as HTML; empty when that is not so. */
export function suppressedNote(
  recipient: MessageRecipient,
  stopped: readonly SuppressionReason[],
  from: string,
): string {
  if (recipient.email === null) return '<p>We have no e-mail address of yours any more, so no e-mails can come.</p>\n'
  if (stopped.length === 0) return ''
  const cameBack = stopped.some((reason) => reason === 'hard_bounce' || reason === 'soft_bounces')
  const why = cameBack ? 'e-mails to it came back' : 'it was taken off the list'
  return `<p>But nothing is sent to ${currentAddressHtml(recipient)} for now: ${why}.</p>
<p class="soft">Only <bdi>${escapeHtml(from)}</bdi> can change that.</p>\n`
}

/** The address that the person has now, as HTML. */
function currentAddressHtml({ email }: MessageRecipient): string {
  return addressesHtml({ address: null, email })
}

function nameOf({ workspace_id }: MessageRecipient, { workspaces }: UnsubscribePageServices): string {
  return workspaces.get(workspace_id).name
}

/** The addresses that are meant, as HTML. */
export function addressesHtml(recipient: Pick<MessageRecipient, 'address' | 'email'>): string {
  const shown = addressesOf(recipient).map((email) => `<bdi>${escapeHtml(maskedAddress(email))}</bdi>`)
  return shown.length === 0 ? 'you' : shown.join(' and ')
}

/** Relative, because a proxy may serve all of this below a path. */
function preferencesLink({ named, root }: Visit, text: string, { secret }: UnsubscribePageServices): string {
  return `<a href="${root}preferences/${formatToken(named, 'preferences', secret)}">${text}</a>`
}

/** An address as far as its owner needs it to know which one is meant; whoever was forwarded the mail learns little. */
function maskedAddress(email: string): string {
  const at = email.lastIndexOf('@')
  const [first = ''] = email
  return `${first}…${email.slice(at)}`
}
