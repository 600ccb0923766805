/** Where a mail comes from. */
export type MailOf = 'messages' | 'inbox' | 'previews'

/** Returns the path of the page that shows the HTML of a mail, or makes it anew for that. */
export function htmlPathOf(of: MailOf, id: string, workspace: string, rendersAnew = false): string {
  return `/dashboard/mail/${of}/${id}?workspace=${encodeURIComponent(workspace)}${rendersAnew ? '&render=true' : ''}`
}
