import { formatToken, type TokenTarget } from '../../people/addresses/message-token.ts'

export type LinkSettings = {
  /** The installation's secret, which signs tokens. */
  readonly secret: Buffer
  /** `PUBLIC_URL`, without a slash at its end. */
  readonly publicUrl: string
  /** `BOUNCE_DOMAIN`, where somebody listens for mail that comes back. */
  readonly bounceDomain?: string
}

/** Everything in a mail that leads back here, for one message. */
export type MessageLinks = {
  readonly unsubscribe: string
  readonly preferences: string
  /** The address that unsubscribes whoever writes to it; absent where nobody listens. */
  readonly unsubscribeAddress?: string
  /** Where bounces go; absent where nobody listens. */
  readonly returnPath?: string
  /** The image that tells that the mail was opened. */
  readonly pixel: string
  /** The link at this place of the mail, counted from 0. */
  readonly link: (index: number) => string
  /** `Message-ID` without its brackets: the same however often the message is sent. */
  readonly messageId: (domain: string) => string
}

/** The links of a message; what a mail does not need is not signed. */
export function messageLinks(named: TokenTarget, { secret, publicUrl, bounceDomain }: LinkSettings): MessageLinks {
  const unsubscribe = formatToken(named, 'unsubscribe', secret)
  let message: string | undefined
  return {
    unsubscribe: `${publicUrl}/u/${unsubscribe}`,
    get preferences() {
      return `${publicUrl}/preferences/${formatToken(named, 'preferences', secret)}`
    },
    ...(bounceDomain && {
      unsubscribeAddress: `unsubscribe+${unsubscribe}@${bounceDomain}`,
      returnPath: `b+${formatToken(named, 'bounce', secret)}@${bounceDomain}`,
    }),
    get pixel() {
      return `${publicUrl}/o/${formatToken(named, 'open', secret)}`
    },
    link: (index) => `${publicUrl}/l/${formatToken(named, 'link', secret, index)}/${index}`,
    messageId(domain) {
      message ??= formatToken(named, 'message', secret)
      return `m.${message}@${domain}`
    },
  }
}

/**
 * What templates may say of the links, beside the names of the profile: `{{${set_user_to_unsubscribed_url}}}`, as engagement platforms
 * call it, or `{{${unsubscribe_url}}}`, and `{{${preferences_url}}}`.
 */
export function linkFields({ unsubscribe, preferences }: MessageLinks): Readonly<Record<string, string>> {
  return { set_user_to_unsubscribed_url: unsubscribe, unsubscribe_url: unsubscribe, preferences_url: preferences }
}
