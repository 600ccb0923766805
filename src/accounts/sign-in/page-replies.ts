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
  /** Nobody has an account yet. */
  readonly isNew?: boolean
  /** What was typed, when it is no address. */
  readonly address?: string
  readonly wrong?: boolean
}

/** Where somebody asks for a link, or goes on to the identity provider. */
export function signInPage({ root, hasOidc, isNew = false, address = '', wrong = false }: SignInForm): PageReply {
  const told = wrong ? mistakeNote('Please enter your whole e-mail address, such as ada@example.com.') : ''
  const hint = isNew
    ? '<p class="told">Nobody has an account here yet. Whoever started Easel finds a link for the first one on its console.</p>\n'
    : ''
  const provider = `<div class="act"><a class="button quiet" href="${root}sign-in/oidc">Sign in with your company account</a></div>\n`
  return visitorPage({
    from,
    heading: 'Sign in',
    status: wrong ? 400 : 200,
    content: `${told}${hint}<p>We send a link to your e-mail address. It signs you in, without a password.</p>
<form method="post" action="${root}sign-in">
${field({ name: 'email', label: 'E-mail address', value: address, type: 'email', complete: 'email', wrong })}
<div class="act"><button>Send me a link</button></div>
</form>
${hasOidc ? provider : ''}`,
  })
}

/** The same for everybody: it tells nobody who has an account. */
export function linkSentPage(address: string, root: string): PageReply {
  return visitorPage({
    from,
    heading: 'Look into your mail',
    content: `<p class="told" role="status">If <bdi>${escapeHtml(address)}</bdi> has an account here, a link is on its way.</p>
<p>It works once, for ${linkMinutes} minutes.</p>
<p class="soft">Nothing there after a few minutes? Look into the folder for unwanted mail, or ask whoever keeps the accounts.</p>
<div class="act"><a href="${root}sign-in">Try another address</a></div>`,
  })
}

/** What a link leads to. */
export function confirmPage(): PageReply {
  return visitorPage({
    from,
    heading: 'Sign in',
    content: `<p>You are one step from being signed in on this device.</p>
<form method="post">
<div class="act"><button>Sign in</button></div>
</form>`,
  })
}

/** Who the first account is for; `person` is what was given, when something is missing. */
export function firstAccountPage(person?: FirstPerson): PageReply {
  const { user_name = '', given_name = '', family_name = '' } = person ?? {}
  const told = person ? mistakeNote('Please give a whole e-mail address, a first and a last name.') : ''
  return visitorPage({
    from,
    heading: 'The first account',
    status: person ? 400 : 200,
    content: `${told}<p>It may do everything here, and make other accounts.</p>
<form method="post">
${field({ name: 'email', label: 'E-mail address', value: user_name, type: 'email', complete: 'email' })}
${field({ name: 'given_name', label: 'First name', value: given_name, complete: 'given-name' })}
${field({ name: 'family_name', label: 'Last name', value: family_name, complete: 'family-name' })}
<div class="act"><button>Make it and sign in</button></div>
</form>`,
  })
}

/** Who is signed in, with the way out. `leaving`: they came to leave. */
export function signedInPage(session: AccountSession | undefined, root: string, leaving = false): PageReply {
  if (!session) return signedOutPage(root)
  return visitorPage({
    from,
    heading: leaving ? 'Sign out' : 'You are signed in',
    content: `<p>Your account is <bdi>${escapeHtml(session.user_name)}</bdi>.</p>
<form method="post" action="${root}sign-out">
<div class="act"><button${leaving ? '' : ' class="quiet"'}>Sign out</button><a href="${root}">To the first page</a></div>
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

/** Somebody's provider knows them, and we do not. They have proved who they are, so this tells nothing to others. */
export function unknownAccountPage(address: string, root: string): PageReply {
  return visitorPage({
    from,
    heading: 'You have no account here',
    status: 403,
    content: `<p class="wrong" role="alert">There is no account for <bdi>${escapeHtml(address)}</bdi>, or it may not sign in.</p>
<p>Please ask whoever keeps the accounts.</p>
<div class="act"><a href="${root}sign-in">Sign in another way</a></div>`,
  })
}

const unusableText = `<p>It was used already, or it is too old, or it is not whole. Nothing was changed.</p>
<p class="soft">Links to sign in work once, for ${linkMinutes} minutes.</p>`

/** How an error looks, with the way back to the beginning. */
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
    const text = '<p>We could not do this just now. Please try again in a few minutes.</p>'
    return { heading: 'Please try again', text, button: 'Try again' }
  }
  const text = `<p class="wrong" role="alert">${escapeHtml(failure.message)}.</p>\n<p>Nobody was signed in.</p>`
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
