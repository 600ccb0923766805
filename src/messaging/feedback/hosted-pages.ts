import type { Db } from '../../base/db/db.ts'
import { type Failure, notFound } from '../../base/errors.ts'
import type { Page, PageHead, PageReply, PageRequest } from '../../base/http/page.ts'
import { visitorPage } from '../../base/http/visitor-page.ts'
import { parseCenterLink } from '../../content/centers/center-link.ts'
import { parseToken, type TokenPurpose, type TokenTarget } from '../../people/addresses/message-token.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type CenterPageServices, CenterPages } from './center-page.ts'
import type { EngagementQueue } from './engagement-queue.ts'
import { findLinkTarget } from './engagement-store.ts'
import type { EngagementRequest } from './machine-engagement.ts'
import { changePreferences, showPreferences } from './preferences-page.ts'
import { answerUnsubscribe, showUnsubscribe } from './unsubscribe-page.ts'

export type HostedPageServices = CenterPageServices & {
  readonly db: Db
  readonly secret: Buffer
  readonly engagements: EngagementQueue
}

/** Returns the pages behind the links in mails: `/u`, `/preferences`, `/o` and `/l`. The token in the path is the only permission. */
export function hostedPages(services: HostedPageServices): Page[] {
  const { secret, workspaces } = services
  const renderError = (failure: Failure | undefined) => errorPage(failure, onlyName(workspaces))
  const withToken = (
    purpose: TokenPurpose,
    render: (target: TokenTarget, request: PageRequest) => Promise<PageReply>,
  ) => ({
    admit: (request: PageHead) => void readToken(request, purpose, secret),
    render: (request: PageRequest) => render(readToken(request, purpose, secret), request),
    renderError,
  })
  return [
    {
      path: '/u/{token}',
      ...withToken('unsubscribe', (target, request) => showUnsubscribe(target, request, services)),
    },
    {
      path: '/u/{token}',
      method: 'POST',
      ...withToken('unsubscribe', (target, request) => answerUnsubscribe(target, request, services)),
    },
    { path: '/preferences/{token}', ...withToken('preferences', (target) => showPreferences(target, services)) },
    {
      path: '/preferences/{token}',
      method: 'POST',
      ...withToken('preferences', (target, { form }) => changePreferences(target, form, services)),
    },
    ...centerPages(services, renderError),
    { path: '/o/{token}', render: async (request) => showPixel(request, services) },
    { path: '/l/{token}/{index}', render: (request) => followLink(request, services), renderError },
  ]
}

/** Returns the pages of preference centers, `/preferences/{token}/{center}`. */
function centerPages(services: HostedPageServices, renderError: Page['renderError'] & {}): Page[] {
  const pages = new CenterPages(services)
  const read = ({ params: { token = '', center = '' } }: PageHead) => {
    const target = parseCenterLink(token, center, services.secret)
    if (!target) throw notFound('Unknown token')
    return { target, center }
  }
  const all = { path: '/preferences/{token}/{center}', admit: (request: PageHead) => void read(request), renderError }
  return [
    {
      ...all,
      render(request) {
        const { target, center } = read(request)
        return pages.show(target, center)
      },
    },
    {
      ...all,
      method: 'POST',
      render(request) {
        const { target, center } = read(request)
        return pages.save(target, center, request)
      },
    },
  ]
}

function readToken({ params }: PageHead, purpose: TokenPurpose, secret: Buffer): TokenTarget {
  const target = parseToken(params.token ?? '', purpose, secret)
  if (!target) throw notFound('Unknown token')
  return target
}

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Always answers with the pixel, also without a valid token or a database, so that the mail does not look broken. */
function showPixel(request: PageRequest, { secret, engagements }: HostedPageServices): PageReply {
  const target = parseToken((request.params.token ?? '').replace(/\.gif$/i, ''), 'open', secret)
  if (target) engagements.addOpen(target, engagementRequestOf(request))
  return { status: 200, headers: { 'Content-Type': 'image/gif' }, body: gif }
}

const indexForm = /^(?:0|[1-9]\d{0,5})$/

/** Redirects to the target of the link in that message, and nowhere else. */
async function followLink(request: PageRequest, { db, secret, engagements }: HostedPageServices): Promise<PageReply> {
  const { token = '', index = '' } = request.params
  const link = indexForm.test(index) ? Number(index) : undefined
  const target = link === undefined ? undefined : parseToken(token, 'link', secret, link)
  if (!target || link === undefined) throw notFound('Unknown link')
  const url = URL.parse((await findLinkTarget(db, target, link)) ?? '')
  if (!url || !/^https?:$/.test(url.protocol)) throw notFound('Unknown link')
  await engagements.addClick(target, link, engagementRequestOf(request))
  return { status: 302, headers: { Location: url.href, 'X-Robots-Tag': 'noindex, nofollow' }, body: '' }
}

function engagementRequestOf({ method, headers, ip }: PageRequest): Omit<EngagementRequest, 'kind'> {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-purpose']
  return { method, agent: headers['user-agent'], purpose: purpose?.toString(), ip }
}

/** The same text for a token that is not valid and for a person who was deleted. */
const goneText = `<p>It may be incomplete, or what it led to no longer exists. Nothing was changed.</p>
<p class="soft">Please open it from the message again.</p>`
const laterText = '<p>We could not do this just now. Please try again in a few minutes.</p>'
const unclearText = '<p>Nothing was changed. Please open the link in the message again.</p>'

/** The name of the workspace where there is only one. With several, a token that is not valid does not say whose mail it was in. */
function onlyName(workspaces: Workspaces): string | undefined {
  const [first, ...others] = workspaces.all()
  return others.length === 0 ? first?.name : undefined
}

function errorPage(failure: Failure | undefined, name: string | undefined): PageReply {
  const from = name === undefined ? {} : { from: name }
  if (failure?.kind === 'notFound')
    return visitorPage({ ...from, heading: 'This link does not work', content: goneText })
  if (!failure || failure.kind === 'unavailable')
    return visitorPage({ ...from, heading: 'Please try again', content: laterText })
  return visitorPage({ ...from, heading: 'This was not understood', content: unclearText })
}
