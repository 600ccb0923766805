import { Failure, forbidden } from '../../base/errors.ts'
import type { Page, PageReply, PageRequest } from '../../base/http/page.ts'
import { type Cookie, readCookie } from '../sessions/cookies.ts'
import { countFailedSignIn, useAttempt } from './limit-attempts.ts'
import { attemptMs, type Oidc } from './oidc.ts'
import type { AnswerPace } from './pace-answers.ts'
import { failurePage, unknownAccountPage } from './page-replies.ts'
import { type SignInPageServices, signedInReply, visitorOf } from './pages.ts'
import { signInByOidc } from './sign-in.ts'

export type OidcPageServices = SignInPageServices & {
  readonly oidc: Oidc
  readonly answerPace: AnswerPace
  readonly attemptCookie: Cookie
}

/** `/sign-in/oidc`, and the page to which the identity provider sends browsers back. */
export function oidcPages(services: OidcPageServices): Page[] {
  return [
    { path: '/sign-in/oidc', render: (request) => begin(request, services), renderError: failurePage },
    { path: '/sign-in/oidc/callback', render: (request) => finish(request, services), renderError: failurePage },
  ]
}

async function begin(request: PageRequest, { oidc, attemptCookie }: OidcPageServices): Promise<PageReply> {
  // Otherwise an image on another site could replace the attempt of a visitor who is signing in.
  if ((request.headers['sec-fetch-mode'] ?? 'navigate') !== 'navigate')
    throw forbidden('This page must be opened in a browser')
  const { url, attempt } = await oidc.begin()
  return {
    status: 302,
    headers: { Location: url, 'Set-Cookie': attemptCookie.set(attempt, attemptMs / 1000) },
    body: '',
  }
}

async function finish(request: PageRequest, services: OidcPageServices): Promise<PageReply> {
  const { attemptCookie } = services
  const { opened, address } = await countingFailures(request, services, () => signIn(request, services))
  if (!opened) await countFailedSignIn(services.db, services, request.ip)
  const page = opened ? signedInReply(opened, request, services) : unknownAccountPage(address, request.root)
  const own = [page.headers['Set-Cookie'] ?? []].flat()
  return { ...page, headers: { ...page.headers, 'Set-Cookie': [...own, attemptCookie.cleared] } }
}

async function signIn(request: PageRequest, services: OidcPageServices) {
  const { db, oidc, attemptCookie, answerPace } = services
  const { query, headers, ip } = request
  const attempt = oidc.readAttempt(query, readCookie(headers.cookie, attemptCookie.name))
  const person = await answerPace.run(ip, async () => {
    // Before the provider is asked: otherwise one attempt would be enough for any number of requests to it.
    if (!(await useAttempt(db, services, attempt.state))) throw forbidden('This attempt to sign in was used already')
    return oidc.finish(query, attempt)
  })
  const opened = await signInByOidc(services, person, visitorOf(request))
  return { opened, address: 'address' in person.email ? person.email.address : '' }
}

/** Counts a refused answer of the provider as a failed sign-in of its network. */
async function countingFailures<T>(
  { ip }: PageRequest,
  services: OidcPageServices,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure && error.kind === 'forbidden') await countFailedSignIn(services.db, services, ip)
    throw error
  }
}
