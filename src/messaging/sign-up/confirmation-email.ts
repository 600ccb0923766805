import { type DoubleOptIn, sendsDefault, validHoursDefault } from '../../workspace/settings/double-opt-in.ts'
import type { EmailObject } from '../mail/email-object.ts'
import { noReplyTo } from '../mail/read-email-object.ts'
import { type Wording, wordingOf } from './wording.ts'

/** The link as Liquid; a text of an administrator must have it. */
export const linkVariable = 'confirmation_url'
const groupLiquid = '{{${confirmation_group}}}'
const hoursLiquid = '{{${confirmation_hours}}}'
const linkLiquid = `{{\${${linkVariable}}}}`

/** Mails of one confirmation, the first one included. Pure. */
export function sendsMaxOf({ sends_max = sendsDefault }: DoubleOptIn): number {
  return sends_max
}

/** Returns the mail that asks a person to confirm: the texts of the group, or the built-in ones of the language. Pure. */
export function confirmationEmail(
  { from, reply_to, subject, body, plaintext_body, valid_hours = validHoursDefault }: DoubleOptIn,
  {
    confirmation_id,
    group,
    language,
  }: { readonly confirmation_id: string; readonly group: string; readonly language: string },
): EmailObject {
  const wording = wordingOf(language)
  const plain = plaintext_body ?? (body === undefined ? plainBody(wording) : undefined)
  return {
    // The mail belongs to no app: it is the same for all.
    app_id: '',
    from: from ?? '',
    reply_to: reply_to === noReplyTo ? null : reply_to,
    subject: subject ?? liquidOf(wording.mail.subject),
    body: body ?? htmlBody(wording, language),
    ...(plain !== undefined && { plaintext_body: plain }),
    confirmation: { confirmation_id, group, valid_hours },
  } as EmailObject
}

function liquidOf(text: string): string {
  return text.replaceAll('{group}', groupLiquid).replaceAll('{hours}', hoursLiquid)
}

function plainBody({ mail }: Wording): string {
  return `${liquidOf(mail.asked)}\n\n${linkLiquid}\n\n${liquidOf(mail.valid)} ${mail.notYou}\n`
}

/** The look of the hosted pages. Mail programs know no style sheets, so each element has its own style. */
function htmlBody({ mail }: Wording, language: string): string {
  const text = (given: string) => liquidOf(given).replaceAll(groupLiquid, '{{${confirmation_group} | escape}}')
  const font = 'font-family:system-ui,-apple-system,Segoe UI,sans-serif'
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body style="margin:0;padding:0;background:#f4f2ee">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f2ee"><tr><td style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" align="center"
 style="max-width:544px;margin:0 auto;background:#ffffff;border:1px solid #dcd8d0;border-radius:16px"><tr>
<td style="padding:36px;${font};font-size:17px;line-height:1.6;color:#1c242c">
<p style="margin:0 0 24px">${text(mail.asked)}</p>
<p style="margin:0 0 24px"><a href="${linkLiquid}"
 style="display:inline-block;padding:12px 24px;border-radius:10px;background:#1d5b86;color:#ffffff;font-weight:600;text-decoration:none"
>${mail.button}</a></p>
<p style="margin:0;font-size:15px;color:#535e69">${text(mail.valid)} ${mail.notYou}</p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`
}
