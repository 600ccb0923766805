/** A file to attach to a mail (specification 2.9). The extension of its name is taken from the URL. */
export type EmailAttachment = {
  readonly file_name: string
  readonly url: string
  /** The name of a stored credential. */
  readonly basic_auth_credential?: string
}

/**
 * The e-mail object of specification 2.9 after it was read and checked. Texts may contain Liquid. Missing members are taken from the
 * template if there is one, otherwise from the settings of the workspace.
 */
export type EmailObject = {
  readonly app_id: string
  readonly from: string
  readonly subject?: string
  /** `null` (`NO_REPLY_TO`): no Reply-To header; absent: the Reply-To of the workspace. */
  readonly reply_to?: string | null
  /** Present only if the workspace has BCC addresses and this is one of them. */
  readonly bcc?: string
  readonly body?: string
  readonly plaintext_body?: string
  readonly preheader?: string
  readonly email_template_id?: string
  readonly message_variation_id?: string
  readonly extras?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly should_inline_css?: boolean
  readonly attachments?: readonly EmailAttachment[]
  /** What the recipient is asked to confirm. No request can set it. */
  readonly confirmation?: MailedConfirmation
}

/** The confirmation of a mail with such a link. */
export type MailedConfirmation = {
  readonly confirmation_id: string
  readonly group: string
  readonly valid_hours: number
}
