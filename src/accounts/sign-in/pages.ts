import { forbidden, notFound } from '../../base/errors.ts'
import type { Page, PageReply, PageRequest } from '../../base/http/page.ts'
import type { Query } from '../../base/http/route.ts'
import { hasAdministrator } from '../accounts/account-store.ts'
import { isAddress } from '../accounts/address.ts'
import { type Cookie, readCookie } from '../sessions/cookies.ts'
import { type AccountSession, findSession, type OpenedSession, sessionMs, type Visitor } from '../sessions/sessions.ts'
import { countFailedSignIn, countLinkRequest } from './limit-attempts.ts'
import type { SignInLinks } from './links.ts'
import { readNextPage, rememberPage, wantedPage } from './next-page.ts'
import {
  confirmPage,
  failurePage,
  firstAccountPage,
  linkSentPage,
  signedInPage,
  signedOutPage,
  signInPage,
} from './page-replies.ts'
import {
  type FirstPerson,
  findUsableLink,
  type SignInServices,
  signInAsFirst,
  signInByLink,
  signOut,
} from './sign-in.ts'

export type SignInPageServices = SignInServices & {
  readonly links: SignInLinks
  readonly publicUrl: string
  readonly sessionCookie: Cookie
  readonly nextPageCookie: Cookie
  /** Whether an identity provider is configured. */
  readonly hasOidc: boolean
}

const nameCharactersMax = 100

/** `/sign-in`, `/sign-in/link/{token}` and `/sign-out`; the forms work without scripts. */
export function signInPages(services: SignInPageServices): Page[] {
  const get = (path: string, render: Page['render']): Page => ({
    path,
    render: withReferrerPolicy(render),
    renderError: failurePage,
  })
  const post = (path: string, render: Page['render']): Page => {
    return {
      path,
      method: 'POST',
      render: withReferrerPolicy(refuseOtherSites(render, services)),
      renderError: failurePage,
    }
  }
  return [
    get('/sign-in', (request) => showForm(request, services)),
    post('/sign-in', (request) => submitAddress(request, services)),
    get('/sign-in/link/{token}', (request) => showLink(request, services)),
    post('/sign-in/link/{token}', (request) => submitLink(request, services)),
    get('/sign-out', async (request) => signedInPage(await currentSession(request, services), request.root, true)),
    post('/sign-out', (request) => submitSignOut(request, services)),
  ]
}

async function showForm(request: PageRequest, services: SignInPageServices): Promise<PageReply> {
  const { query, root } = request
  const next = readNextPage(query)
  const session = await currentSession(request, services)
  if (session) return next === undefined ? signedInPage(session, root) : leadTo(next, root)
  const page = signInPage({ ...services, root, isNew: !(await hasAdministrator(services.db)) })
  if (next === undefined) return page
  return { ...page, headers: { ...page.headers, 'Set-Cookie': rememberPage(next, services.nextPageCookie) } }
}

function leadTo(path: string, root: string): PageReply {
  return { status: 303, headers: { Location: root + path.slice(1) }, body: '' }
}

/** Mails a link. The answer and its timing do not depend on whether the address has an account, because the account is looked up later. */
async function submitAddress(request: PageRequest, services: SignInPageServices): Promise<PageReply> {
  const address = (singleValue(request.form, 'email') ?? '').trim()
  if (!isAddress(address)) return signInPage({ ...services, root: request.root, address, wrong: true })
  await countLinkRequest(services.db, services, { ip: request.ip, address })
  services.links.request(address, request)
  return linkSentPage(address, request.root)
}

/** Shows a button instead of signing in at once: mail scanners open every link of a mail and would use it up. */
async function showLink({ params }: PageRequest, services: SignInPageServices): Promise<PageReply> {
  const link = await findUsableLink(services, params.token ?? '')
  if (!link) throw notFound('Unknown link')
  return link === 'first' ? firstAccountPage() : confirmPage()
}

async function submitLink(request: PageRequest, services: SignInPageServices): Promise<PageReply> {
  const { params, form } = request
  const token = params.token ?? ''
  const link = await findUsableLink(services, token)
  if (!link) return refuseLink(request, services)
  if (link === 'account') return linkReply(await signInByLink(services, token, visitorOf(request)), request, services)
  const person = readPerson(form)
  if (!isComplete(person)) return firstAccountPage(person)
  return linkReply(await signInAsFirst(services, person, visitorOf(request)), request, services)
}

function linkReply(
  opened: OpenedSession | undefined,
  request: PageRequest,
  services: SignInPageServices,
): PageReply | Promise<never> {
  return opened ? signedInReply(opened, request, services) : refuseLink(request, services)
}

/** Throws 404, and 429 when the network had too many failures. */
async function refuseLink({ ip }: PageRequest, services: SignInPageServices): Promise<never> {
  await countFailedSignIn(services.db, services, ip)
  throw notFound('Unknown link')
}

/** Sets the cookie and redirects to the page of the dashboard that the visitor wanted, or to its first page. */
export function signedInReply(
  opened: OpenedSession,
  { root, headers }: PageRequest,
  { sessionCookie, nextPageCookie }: SignInPageServices,
): PageReply {
  const next = wantedPage(headers.cookie, nextPageCookie)
  const session = sessionCookie.set(opened.token, sessionMs / 1000)
  const cookies = next === undefined ? session : [session, nextPageCookie.cleared]
  return { status: 303, headers: { Location: root + (next?.slice(1) ?? 'dashboard'), 'Set-Cookie': cookies }, body: '' }
}

async function submitSignOut(request: PageRequest, services: SignInPageServices): Promise<PageReply> {
  const token = readCookie(request.headers.cookie, services.sessionCookie.name)
  if (token !== undefined) await signOut(services, token, visitorOf(request))
  const page = signedOutPage(request.root)
  return { ...page, headers: { ...page.headers, 'Set-Cookie': services.sessionCookie.cleared } }
}

async function currentSession(
  { headers }: PageRequest,
  services: SignInPageServices,
): Promise<AccountSession | undefined> {
  const token = readCookie(headers.cookie, services.sessionCookie.name)
  return token === undefined ? undefined : findSession(services.db, services.clock, token)
}

export function visitorOf({ ip, request_id, headers }: PageRequest): Visitor {
  return { ip, request_id, agent: headers['user-agent'] ?? '' }
}

/** With this policy browsers send `Origin` with our forms, and other sites never get the token of a link as referrer. */
function withReferrerPolicy(render: Page['render']): Page['render'] {
  return async (request) => {
    const page = await render(request)
    return { ...page, headers: { ...page.headers, 'Referrer-Policy': 'same-origin' } }
  }
}

/** Refuses forms from other sites: they could sign a visitor in to the attacker's account. */
function refuseOtherSites(render: Page['render'], { publicUrl }: SignInPageServices): Page['render'] {
  return async (request) => {
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const sent = origin === undefined ? undefined : (URL.parse(origin)?.host ?? '')
    const isOurs = sent === undefined || origin === new URL(publicUrl).origin || (sent !== '' && sent === host)
    // `Sec-Fetch-Site` is checked too: it distinguishes http from https, which the host does not.
    if (!isOurs || !(site === undefined || site === 'same-origin' || site === 'none'))
      throw forbidden('This form was sent from another site')
    return render(request)
  }
}

function readPerson(form: Query): FirstPerson {
  const [user_name = '', given_name = '', family_name = ''] = ['email', 'given_name', 'family_name'].map((name) =>
    (singleValue(form, name) ?? '').trim(),
  )
  return { user_name, given_name, family_name }
}

function isComplete({ user_name, given_name, family_name }: FirstPerson): boolean {
  return isAddress(user_name) && [given_name, family_name].every(isName)
}

function isName(text: string): boolean {
  return text !== '' && text.length <= nameCharactersMax && !/\p{C}/u.test(text)
}

function singleValue(form: Query, name: string): string | undefined {
  const [value, ...more] = form[name] ?? []
  return more.length === 0 ? value : undefined
}
