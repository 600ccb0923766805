/** A file that goes with a mail; the extension is that of the URL (specification 2.9). */
export type EmailAttachment = {
  readonly file_name: string
  readonly url: string
  /** Name of a stored credential. */
  readonly basic_auth_credential?: string
}

/**
 * The e-mail object of specification 2.9, read and checked. Texts may hold Liquid. What is missing comes from the template when there is
 * one, else from the settings of the workspace.
 */
export type EmailObject = {
  readonly app_id: string
  readonly from: string
  readonly subject?: string
  /** `null`: no Reply-To (`NO_REPLY_TO`); absent: the workspace's. */
  readonly reply_to?: string | null
  /** Present only where the feature is on and the address is one of the workspace's. */
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
}
