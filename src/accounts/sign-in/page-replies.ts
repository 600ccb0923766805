import type { Failure } from '../../base/errors.ts'
import { escapeHtml, type PageReply } from '../../base/http/page.ts'
import { visitorPage } from '../../base/http/visitor-page.ts'
import type { AccountSession } from '../sessions/sessions.ts'
import { linkMinutes } from './links.ts'
import type { FirstPerson } from './sign-in.ts'

const from = 'Easel'

export type SignInForm = {
  readonly root: string
  readonly hasOidc: boolean
  /** There is no administrator yet. */
  readonly isNew?: boolean
  /** The typed text, when it is not an address. */
  readonly address?: string
  readonly wrong?: boolean
}

/** The form for a link, with a button for the identity provider. */
export function signInPage({ root, hasOidc, isNew = false, address = '', wrong = false }: SignInForm): PageReply {
  const note = wrong ? mistakeNote('Please enter your full e-mail address, such as ada@example.com.') : ''
  const hint = isNew
    ? '<p class="notice">There is no administrator here yet. The console where Easel was started shows a link for the first account.</p>\n'
    : ''
  const provider = `<div class="act"><a class="button quiet" href="${root}sign-in/oidc">Sign in with your company account</a></div>\n`
  return visitorPage({
    from,
    heading: 'Sign in',
    status: wrong ? 400 : 200,
    content: `${note}${hint}<p>We send a link to your e-mail address. It signs you in, without a password.</p>
<form method="post" action="${root}sign-in">
${field({ name: 'email', label: 'E-mail address', value: address, type: 'email', complete: 'email', wrong })}
<div class="act"><button>Send me a link</button></div>
</form>
${hasOidc ? provider : ''}`,
  })
}

/** The same page with and without an account, so that it does not show who has one. */
export function linkSentPage(address: string, root: string): PageReply {
  return visitorPage({
    from,
    heading: 'Check your e-mail',
    content: `<p class="notice" role="status">If <bdi>${escapeHtml(address)}</bdi> has an account here, a link is on its way.</p>
<p>It works once, for ${linkMinutes} minutes.</p>
<p class="soft">No mail after a few minutes? Look in your spam folder, or ask an administrator.</p>
<div class="act"><a href="${root}sign-in">Try another address</a></div>`,
  })
}

/** The page behind a link. */
export function confirmPage(): PageReply {
  return visitorPage({
    from,
    heading: 'Sign in',
    content: `<p>Press the button to sign in on this device.</p>
<form method="post">
<div class="act"><button>Sign in</button></div>
</form>`,
  })
}

/** The form for the first account; `person` is the incomplete form that was sent before. */
export function firstAccountPage(person?: FirstPerson): PageReply {
  const { user_name = '', given_name = '', family_name = '' } = person ?? {}
  const note = person ? mistakeNote('Please enter a full e-mail address, a first name and a last name.') : ''
  return visitorPage({
    from,
    heading: 'The first account',
    status: person ? 400 : 200,
    content: `${note}<p>It may do everything here and create other accounts. An account that exists already gets these permissions.</p>
<form method="post">
${field({ name: 'email', label: 'E-mail address', value: user_name, type: 'email', complete: 'email' })}
${field({ name: 'given_name', label: 'First name', value: given_name, complete: 'given-name' })}
${field({ name: 'family_name', label: 'Last name', value: family_name, complete: 'family-name' })}
<div class="act"><button>Create it and sign in</button></div>
</form>`,
  })
}

/** Shows the signed-in account with a button to sign out. `leaving`: the page was opened to sign out. */
export function signedInPage(session: AccountSession | undefined, root: string, leaving = false): PageReply {
  if (!session) return signedOutPage(root)
  return visitorPage({
    from,
    heading: leaving ? 'Sign out' : 'You are signed in',
    content: `<p>Your account is <bdi>${escapeHtml(session.user_name)}</bdi>.</p>
<form method="post" action="${root}sign-out">
<div class="act">${leaving ? '' : `<a class="button" href="${root}dashboard">Open the dashboard</a>`}
<button${leaving ? '' : ' class="quiet"'}>Sign out</button>${leaving ? `<a href="${root}dashboard">Back to the dashboard</a>` : ''}</div>
</form>`,
  })
}

export function signedOutPage(root: string): PageReply {
  return visitorPage({
    from,
    heading: 'You are signed out',
    content: `<div class="act"><a class="button" href="${root}sign-in">Sign in</a></div>`,
  })
}

/** Returns the page for a confirmed address that has no account. The message is safe, because only the owner of the address sees it. */
export function unknownAccountPage(address: string, root: string): PageReply {
  const visitor = address === '' ? 'you' : `<bdi>${escapeHtml(address)}</bdi>`
  return visitorPage({
    from,
    heading: 'You have no account here',
    status: 403,
    content: `<p class="wrong" role="alert">There is no account for ${visitor}, or it may not sign in.</p>
<p>Please ask an administrator.</p>
<div class="act"><a href="${root}sign-in">Sign in another way</a></div>`,
  })
}

const unusableText = `<p>It was used already, has expired, or is incomplete. Nothing was changed.</p>
<p class="soft">Sign-in links work once, for ${linkMinutes} minutes.</p>`

/** The page for an error, with a link to the sign-in form. */
export function failurePage(failure: Failure | undefined, root: string): PageReply {
  const { heading, text, button } = describeFailure(failure)
  const again = `<div class="act"><a class="button" href="${root}sign-in">${button}</a></div>`
  return visitorPage({ from, heading, content: `${text}\n${again}` })
}

function describeFailure(failure: Failure | undefined): { heading: string; text: string; button: string } {
  if (failure?.kind === 'notFound')
    return { heading: 'This link does not work', text: unusableText, button: 'Ask for a new link' }
  if (failure?.kind === 'rateLimited') {
    const minutes = Math.max(1, Math.ceil((failure.details.retryAfterS ?? 0) / 60))
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
    const text = `<p>There were too many attempts. Please try again in ${wait}.</p>`
    return { heading: 'Please wait', text, button: 'Back' }
  }
  if (!failure || failure.kind === 'unavailable') {
    const text = '<p>This is not possible right now. Please try again in a few minutes.</p>'
    return { heading: 'Please try again', text, button: 'Try again' }
  }
  const text = `<p class="wrong" role="alert">${escapeHtml(failure.message)}.</p>\n<p>You were not signed in.</p>`
  return { heading: 'This did not work', text, button: 'Start again' }
}

type Field = {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly type?: 'text' | 'email'
  readonly complete: string
  readonly wrong?: boolean
}

function field({ name, label, value, type = 'text', complete, wrong = false }: Field): string {
  const marked = wrong ? ' aria-invalid="true" aria-describedby="wrong"' : ''
  const plain = type === 'email' ? ' autocapitalize="none" spellcheck="false"' : ''
  return `<label class="field">${label}
<input type="${type}" name="${name}" value="${escapeHtml(value)}" autocomplete="${complete}"${plain} required${marked}></label>`
}

function mistakeNote(text: string): string {
  return `<p class="wrong" role="alert" id="wrong">${text}</p>\n`
}
