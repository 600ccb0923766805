import { type Failure, notFound } from '../../base/errors.ts'
import type { Page, PageHead, PageReply } from '../../base/http/page.ts'
import { visitorPage } from '../../base/http/visitor-page.ts'
import { hashToken, parseToken, readUnsigned } from '../../people/addresses/message-token.ts'
import type { ConfirmServices, LinkTarget } from '../../people/confirmations/confirm.ts'
import { showConfirm, takeConfirm } from './confirm-page.ts'
import { type SignUpServices, showForm, takeForm } from './sign-up.ts'

export type SignUpPageServices = SignUpServices & ConfirmServices

/** Returns the pages of sign-up forms, `/forms`, and the page behind the link in the mail, `/confirm`. They work without scripts. */
export function signUpPages(services: SignUpPageServices): Page[] {
  const admit = ({ params }: PageHead) => {
    if (!services.workspaces.find(params.workspace ?? '')) throw notFound('There is no such form')
  }
  const form = { path: '/forms/{workspace}/{form}', admit, renderError }
  const read = (request: PageHead) => readLink(request, services.secret)
  const link = { path: '/confirm/{token}', admit: (request: PageHead) => void read(request), renderError }
  return [
    { ...form, render: (request) => showForm(request, services) },
    { ...form, method: 'POST', render: (request) => takeForm(request, services) },
    { ...link, render: (request) => showConfirm(read(request), services) },
    { ...link, method: 'POST', render: (request) => takeConfirm(read(request), request, services) },
  ]
}

/** A link that this installation has not signed may be of a person who was imported from the one that has. */
function readLink({ params: { token = '' } }: PageHead, secret: Buffer): LinkTarget {
  const target = parseToken(token, 'confirmation', secret)
  if (target) return target
  const unsigned = readUnsigned(token)
  if (!unsigned) throw notFound('Unknown link')
  return { ...unsigned, linkHash: hashToken(token) }
}

/** An error as a page. It says nothing about the person or the workspace. */
function renderError(failure: Failure | undefined): PageReply {
  if (failure?.kind === 'notFound') {
    return visitorPage({
      heading: 'This link does not work',
      content: '<p>It may be incomplete, or what it led to no longer exists. Nothing was changed.</p>',
    })
  }
  if (failure?.kind === 'rateLimited') {
    return visitorPage({
      heading: 'Please try again later',
      content: '<p>There were too many sign-ups. Nothing was changed.</p>',
    })
  }
  if (!failure || failure.kind === 'unavailable') {
    return visitorPage({
      heading: 'Please try again',
      content: '<p>We could not do this just now. Please try again in a few minutes.</p>',
    })
  }
  return visitorPage({ heading: 'This was not understood', content: '<p>Nothing was changed.</p>' })
}
