import { forbidden, notFound } from '../../base/errors.ts'
import type { Page, PageReply, PageRequest } from '../../base/http/page.ts'
import type { Query } from '../../base/http/route.ts'
import { isAddress } from '../accounts/address.ts'
import { type Cookie, cookieIn } from '../sessions/cookies.ts'
import { hasAccounts } from '../sessions/link-store.ts'
import { findSession, type Opened, type Session, sessionMs, type Visitor } from '../sessions/sessions.ts'
import type { Links } from './links.ts'
import { failedSheet, firstSheet, formSheet, linkSheet, sentSheet, signedInSheet, signedOutSheet } from './sheets.ts'
import { type FirstPerson, lookAtLink, type SignInParts, signOut, useFirstLink, useLink } from './sign-in.ts'
import { countAttempt } from './throttle.ts'

export type SignInPageParts = SignInParts & {
  readonly links: Links
  readonly secret: Buffer
  readonly publicUrl: string
  readonly sessionCookie: Cookie
  /** Whether an identity provider is configured. */
  readonly hasOidc: boolean
}

const nameCharactersMax = 100

/** `/sign-in`, `/sign-in/link/{token}`, `/sign-out`: forms that need no scripts. */
export function signInPages(parts: SignInPageParts): Page[] {
  const get = (path: string, render: Page['render']): Page => ({
    path,
    render: asForm(render),
    renderError: failedSheet,
  })
  const post = (path: string, render: Page['render']): Page => {
    return { path, method: 'POST', render: asForm(fromUs(render, parts)), renderError: failedSheet }
  }
  return [
    get('/sign-in', (request) => showForm(request, parts)),
    post('/sign-in', (request) => askForLink(request, parts)),
    get('/sign-in/link/{token}', (request) => showLink(request, parts)),
    post('/sign-in/link/{token}', (request) => takeLink(request, parts)),
    get('/sign-out', async (request) => signedInSheet(await sessionIn(request, parts), request.root, true)),
    post('/sign-out', (request) => leave(request, parts)),
  ]
}

async function showForm(request: PageRequest, parts: SignInPageParts): Promise<PageReply> {
  const session = await sessionIn(request, parts)
  if (session) return signedInSheet(session, request.root)
  return formSheet({ ...parts, root: request.root, isNew: !(await hasAccounts(parts.db)) })
}

/** The same answer whoever is meant, after the same work: everything that depends on it comes later. */
async function askForLink(request: PageRequest, parts: SignInPageParts): Promise<PageReply> {
  const address = (one(request.form, 'email') ?? '').trim()
  if (!isAddress(address)) return formSheet({ ...parts, root: request.root, address, wrong: true })
  await countAttempt(parts.db, parts, request.ip, address)
  parts.links.request(address)
  return sentSheet(address, request.root)
}

/** Shows a button: programs that open every link of a mail before its reader does use nothing up. */
async function showLink({ params }: PageRequest, parts: SignInPageParts): Promise<PageReply> {
  const link = await lookAtLink(parts, params.token ?? '')
  if (!link) throw notFound('Unknown link')
  return link.account_id === null ? firstSheet() : linkSheet()
}

async function takeLink(request: PageRequest, parts: SignInPageParts): Promise<PageReply> {
  const { db } = parts
  const { params, form, ip } = request
  const token = params.token ?? ''
  await countAttempt(db, parts, ip)
  const link = await lookAtLink(parts, token)
  if (!link) throw notFound('Unknown link')
  if (link.account_id !== null) return enterWith(await useLink(parts, token, visitorIn(request)), request, parts)
  const person = readPerson(form)
  if (!isComplete(person)) return firstSheet(person)
  return enterWith(await useFirstLink(parts, token, person, visitorIn(request)), request, parts)
}

/** To the page that says who is signed in, with the cookie. Throws 404 when nothing was opened. */
export function enterWith(
  opened: Opened | undefined,
  { root }: PageRequest,
  { sessionCookie }: SignInPageParts,
): PageReply {
  if (!opened) throw notFound('Unknown link')
  return {
    status: 303,
    headers: { Location: `${root}sign-in`, 'Set-Cookie': sessionCookie.set(opened.token, sessionMs / 1000) },
    body: '',
  }
}

async function leave(request: PageRequest, parts: SignInPageParts): Promise<PageReply> {
  const token = cookieIn(request.headers.cookie, parts.sessionCookie.name)
  if (token !== undefined) await signOut(parts, token, visitorIn(request))
  const page = signedOutSheet(request.root)
  return { ...page, headers: { ...page.headers, 'Set-Cookie': parts.sessionCookie.cleared } }
}

async function sessionIn({ headers }: PageRequest, parts: SignInPageParts): Promise<Session | undefined> {
  const token = cookieIn(headers.cookie, parts.sessionCookie.name)
  return token === undefined ? undefined : findSession(parts.db, parts.clock, token)
}

export function visitorIn({ ip, request_id, headers }: PageRequest): Visitor {
  return { ip, request_id, agent: headers['user-agent'] ?? '' }
}

/** Forms tell where they come from only with this policy; a link's token goes to nobody else with it either. */
function asForm(render: Page['render']): Page['render'] {
  return async (request) => {
    const page = await render(request)
    return { ...page, headers: { ...page.headers, 'Referrer-Policy': 'same-origin' } }
  }
}

/** Refuses forms that other sites send: they would sign somebody in as somebody else. */
function fromUs(render: Page['render'], { publicUrl }: SignInPageParts): Page['render'] {
  return async (request) => {
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const sent = origin === undefined ? undefined : (URL.parse(origin)?.host ?? '')
    const isOurs = sent === undefined || origin === new URL(publicUrl).origin || (sent !== '' && sent === host)
    // The browser's own word counts too: it tells http from https, which the host does not.
    if (!isOurs || !(site === undefined || site === 'same-origin' || site === 'none'))
      throw forbidden('This form was sent from another site')
    return render(request)
  }
}

function readPerson(form: Query): FirstPerson {
  const [user_name = '', given_name = '', family_name = ''] = ['email', 'given_name', 'family_name'].map((name) =>
    (one(form, name) ?? '').trim(),
  )
  return { user_name, given_name, family_name }
}

function isComplete({ user_name, given_name, family_name }: FirstPerson): boolean {
  return isAddress(user_name) && [given_name, family_name].every(isName)
}

function isName(text: string): boolean {
  return text !== '' && text.length <= nameCharactersMax && !/\p{C}/u.test(text)
}

function one(form: Query, name: string): string | undefined {
  const [value, ...more] = form[name] ?? []
  return more.length === 0 ? value : undefined
}
