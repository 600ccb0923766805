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
