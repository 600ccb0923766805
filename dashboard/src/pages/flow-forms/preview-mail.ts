import type { PostAdminPreviewSendBody } from '../../api/generated.ts'
import type { Members } from './members.ts'

const texts = [
  ...['email_template_id', 'app_id', 'from', 'reply_to', 'subject', 'preheader', 'body', 'plaintext_body'],
] as const

/** Returns the parts of an e-mail that a preview shows. An empty text counts as absent, as it does for the server. Pure. */
export function mailOf(email: Members): PostAdminPreviewSendBody['mail'] {
  const given = texts.flatMap((name) => {
    const text = email[name]
    return typeof text === 'string' && text !== '' ? [[name, text] as const] : []
  })
  const { should_inline_css } = email
  return { ...Object.fromEntries(given), ...(typeof should_inline_css === 'boolean' && { should_inline_css }) }
}
