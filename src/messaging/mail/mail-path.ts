/** Where a mail comes from. */
export type MailOf = 'messages' | 'inbox'

/** Returns the path of the page that shows the HTML of a mail. */
export function htmlPathOf(of: MailOf, id: string, workspace: string): string {
  return `/dashboard/mail/${of}/${id}?workspace=${encodeURIComponent(workspace)}`
}
