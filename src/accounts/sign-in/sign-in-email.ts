import type { Actor } from '../../base/call.ts'

export function signInEmail(given_name: string, url: string, minutes: number): { subject: string; text: string } {
  const greeting = given_name === '' ? 'Hello,' : `Hello ${given_name},`
  return {
    subject: 'Your link to sign in to Easel',
    text: `${greeting}

This link signs you in to Easel. It works once, for ${minutes} minutes:

${url}

If you did not ask for it, ignore this mail: nobody can sign in without the link. Do not share it.
`,
  }
}

export type Invitation = {
  readonly given_name: string
  readonly user_name: string
  readonly url: string
  readonly hours: number
  /** Who invites; only an account has a name that the person knows. */
  readonly from: Pick<Actor, 'kind' | 'name'>
  readonly signInPage: string
}

export function invitationEmail({ given_name, user_name, url, hours, from, signInPage }: Invitation) {
  const inviter = from.kind === 'account' ? from.name : 'An administrator'
  return {
    subject: 'You are invited to Easel',
    text: `Hello ${given_name},

${inviter} has made an account of Easel for you. This link signs you in. It works once, for ${hours / 24} days:

${url}

Later, sign in with your address ${user_name} at:

${signInPage}

If you do not expect this, ignore this mail. Do not share the link.
`,
  }
}
