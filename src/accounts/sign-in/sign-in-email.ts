/** What the mail with a link says. */
export function signInEmail(given_name: string, url: string, minutes: number): { subject: string; text: string } {
  const greeting = given_name === '' ? 'Hello,' : `Hello ${given_name},`
  return {
    subject: 'Your link to sign in to Easel',
    text: `${greeting}

this link signs you in to Easel. It works once, for ${minutes} minutes:

${url}

If you did not ask for it, you need not do anything: nobody can sign in without it. Do not pass it on.
`,
  }
}
