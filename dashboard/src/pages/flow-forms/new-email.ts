/** What a mail is begun with. */
export type NewEmail = {
  readonly app_id: string
  readonly from: string
  readonly subject: string
  readonly body: string
}

/** Returns a mail to begin with. `apps` are those of the workspace; the first one is taken. Pure. */
export function newEmail(apps: readonly { readonly id: string }[], from: string): NewEmail {
  return {
    app_id: apps[0]?.id ?? '',
    from,
    subject: '',
    body: '<h1>Hello {{${first_name} | default: "there"}}</h1>\n<p>Write here what it is about.</p>\n',
  }
}
