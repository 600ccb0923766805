import type { Db } from '../../base/db/db.ts'
import { type Failure, notFound } from '../../base/errors.ts'
import type { Page, PageReply, PageRequest } from '../../base/http/page.ts'
import { visitorPage } from '../../base/http/visitor-page.ts'
import { parseToken, type TokenPurpose, type TokenTarget } from '../../people/addresses/message-token.ts'
import type { EngagementQueue } from './engagement-queue.ts'
import { findLinkTarget } from './engagement-store.ts'
import type { EngagementRequest } from './machine-engagement.ts'
import { changePreferences, type PreferencesPageServices, showPreferences } from './preferences-page.ts'
import { answerUnsubscribe, showUnsubscribe } from './unsubscribe-page.ts'

export type HostedPageServices = PreferencesPageServices & {
  readonly db: Db
  readonly secret: Buffer
  readonly engagements: EngagementQueue
}

/** `/u`, `/preferences`, `/o`, `/l`: where mails lead back to, for whoever has the mail. */
export function hostedPages(parts: HostedPageServices): Page[] {
  const { secret } = parts
  const of = (purpose: TokenPurpose, render: (named: TokenTarget, request: PageRequest) => Promise<PageReply>) => ({
    render: (request: PageRequest) => render(namedBy(request, purpose, secret), request),
    renderError,
  })
  return [
    { path: '/u/{token}', ...of('unsubscribe', (named, request) => showUnsubscribe(named, request, parts)) },
    {
      path: '/u/{token}',
      method: 'POST',
      ...of('unsubscribe', (named, request) => answerUnsubscribe(named, request, parts)),
    },
    { path: '/preferences/{token}', ...of('preferences', (named) => showPreferences(named, parts)) },
    {
      path: '/preferences/{token}',
      method: 'POST',
      ...of('preferences', (named, { form }) => changePreferences(named, form, parts)),
    },
    { path: '/o/{token}', render: async (request) => showPixel(request, parts) },
    { path: '/l/{token}/{index}', render: (request) => follow(request, parts), renderError },
  ]
}

function namedBy({ params }: PageRequest, purpose: TokenPurpose, secret: Buffer): TokenTarget {
  const named = parseToken(params.token ?? '', purpose, secret)
  if (!named) throw notFound('Unknown token')
  return named
}

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Always the picture, whatever the token and the database say: a mail must not look broken. */
function showPixel(request: PageRequest, { secret, engagements }: HostedPageServices): PageReply {
  const named = parseToken((request.params.token ?? '').replace(/\.gif$/i, ''), 'open', secret)
  if (named) engagements.addOpen(named, seenIn(request))
  return { status: 200, headers: { 'Content-Type': 'image/gif' }, body: gif }
}

const indexForm = /^(?:0|[1-9]\d{0,5})$/

/** To where the link of that message leads, and nowhere else. */
async function follow(request: PageRequest, { db, secret, engagements }: HostedPageServices): Promise<PageReply> {
  const { token = '', index = '' } = request.params
  const link = indexForm.test(index) ? Number(index) : undefined
  const named = link === undefined ? undefined : parseToken(token, 'link', secret, link)
  if (!named || link === undefined) throw notFound('Unknown link')
  const target = URL.parse((await findLinkTarget(db, named, link)) ?? '')
  if (!target || !/^https?:$/.test(target.protocol)) throw notFound('Unknown link')
  await engagements.addClick(named, link, seenIn(request))
  return { status: 302, headers: { Location: target.href, 'X-Robots-Tag': 'noindex, nofollow' }, body: '' }
}

function seenIn({ method, headers, ip }: PageRequest): Omit<EngagementRequest, 'kind'> {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-purpose']
  return { method, agent: headers['user-agent'], purpose: purpose?.toString(), ip }
}

/** The same for a token that was made elsewhere, changed or guessed, and for somebody who was deleted. */
const goneText = `<p>It may not be whole, or what it led to is not kept any more. Nothing was changed.</p>
<p class="soft">Please open it from the message once more.</p>`
const laterText = '<p>We could not do this just now. Please try again in a few minutes.</p>'
const unclearText = '<p>Nothing was changed. Please open the link in the message once more.</p>'

function renderError(failure: Failure | undefined): PageReply {
  if (failure?.kind === 'notFound') return visitorPage({ heading: 'This link does not work', content: goneText })
  if (!failure || failure.kind === 'unavailable')
    return visitorPage({ heading: 'Please try again', content: laterText })
  return visitorPage({ heading: 'This was not understood', content: unclearText })
}
