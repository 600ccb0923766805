import type { Db } from '../base/db/db.ts'
import { notFound } from '../base/errors.ts'
import { escapeHtml, type PageReply } from '../base/http/page.ts'
import type { Query } from '../base/http/route.ts'
import { findRecipient, type Recipient } from '../email/recipient-store.ts'
import { formatToken, type Named } from '../email/token.ts'
import type { Workspaces } from '../workspace/cache.ts'
import { maskedAddress, sheetPage } from './layout.ts'
import { addressesOf, setOwnState, type UnsubscribeParts, unsubscribe } from './unsubscribe.ts'

export type UnsubscribePageParts = UnsubscribeParts & {
  readonly db: Db
  readonly secret: Buffer
  readonly workspaces: Workspaces
}

/** What will happen, and a button that does it. Nothing changes here: scanners look at every link. */
export async function showUnsubscribe(named: Named, parts: UnsubscribePageParts): Promise<PageReply> {
  const recipient = await findRecipient(parts.db, named)
  if (!recipient) throw notFound('Nobody has this token')
  if (recipient.email_subscribe === 'unsubscribed') return unsubscribedPage(named, recipient, 'subscribed', parts)
  return askPage(named, recipient, parts)
}

/**
 * Unsubscribes at once: a mail program by one click (RFC 8058), or a person by the button. What the page's other button sends leads back.
 * Somebody who was deleted gets no mail: a mail program is told that all is well.
 */
export async function answerUnsubscribe(named: Named, form: Query, parts: UnsubscribePageParts): Promise<PageReply> {
  const isOneClick = form['List-Unsubscribe']?.[0]?.toLowerCase() === 'one-click'
  const wish = isOneClick ? 'unsubscribe' : form.wish?.[0]
  if (wish === 'unsubscribe') {
    const before = await unsubscribe(parts.db, parts, named)
    if (isOneClick)
      return { status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'Unsubscribed\n' }
    if (!before) throw notFound('Nobody has this token')
    return unsubscribedPage(named, before, before.email_subscribe === 'opted_in' ? 'opted_in' : 'subscribed', parts)
  }
  const recipient = await findRecipient(parts.db, named)
  if (!recipient) throw notFound('Nobody has this token')
  if (wish !== 'subscribe') return { ...askPage(named, recipient, parts), status: 400 }
  // Who had opted in has said so with this very mailbox, and comes back to it.
  const state = form.state?.[0] === 'opted_in' ? 'opted_in' : 'subscribed'
  if (recipient.email_subscribe === 'unsubscribed') await setOwnState(parts.db, parts, recipient, state)
  return subscribedPage(named, recipient, parts)
}

function askPage(named: Named, recipient: Recipient, parts: UnsubscribePageParts): PageReply {
  const from = nameOf(recipient, parts)
  return sheetPage({
    from,
    heading: 'Unsubscribe',
    content: `<p>Press the button, and <bdi>${escapeHtml(from)}</bdi> sends no more e-mails to ${whom(recipient)}.</p>
<p class="soft">Only messages that belong to something you do, such as a receipt, may still come.</p>
<form method="post">
<input type="hidden" name="wish" value="unsubscribe">
<div class="act"><button>Unsubscribe</button>${preferencesLink(named, 'Choose what you get instead', parts)}</div>
</form>`,
  })
}

function unsubscribedPage(
  named: Named,
  recipient: Recipient,
  state: 'opted_in' | 'subscribed',
  parts: UnsubscribePageParts,
): PageReply {
  const from = nameOf(recipient, parts)
  return sheetPage({
    from,
    heading: 'You are unsubscribed',
    content: `<p><bdi>${escapeHtml(from)}</bdi> sends no more e-mails to ${whom(recipient)}.</p>
<p class="soft">Only messages that belong to something you do, such as a receipt, may still come.</p>
<form method="post">
<input type="hidden" name="wish" value="subscribe">
<input type="hidden" name="state" value="${state}">
<div class="act"><button class="quiet">Subscribe again</button>${preferencesLink(named, 'Your e-mail preferences', parts)}</div>
</form>`,
  })
}

function subscribedPage(named: Named, recipient: Recipient, parts: UnsubscribePageParts): PageReply {
  const from = nameOf(recipient, parts)
  return sheetPage({
    from,
    heading: 'You are subscribed again',
    content: `<p>E-mails from <bdi>${escapeHtml(from)}</bdi> go to ${whom(recipient)} as before.</p>
<form method="post">
<input type="hidden" name="wish" value="unsubscribe">
<div class="act"><button class="quiet">Unsubscribe</button>${preferencesLink(named, 'Your e-mail preferences', parts)}</div>
</form>`,
  })
}

function nameOf({ workspace_id }: Recipient, { workspaces }: UnsubscribePageParts): string {
  return workspaces.get(workspace_id).name
}

/** The addresses that are meant, as HTML. */
export function whom(recipient: Recipient): string {
  const shown = addressesOf(recipient).map((email) => `<bdi>${escapeHtml(maskedAddress(email))}</bdi>`)
  return shown.length === 0 ? 'you' : shown.join(' and ')
}

/** Relative, because a proxy may serve all of this below a path. */
function preferencesLink(named: Named, text: string, { secret }: UnsubscribePageParts): string {
  return `<a href="../preferences/${formatToken(named, 'preferences', secret)}">${text}</a>`
}
