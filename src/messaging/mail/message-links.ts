import { centerLink } from '../../content/centers/center-link.ts'
import { formatToken, type TokenTarget } from '../../people/addresses/message-token.ts'
import type { MailedConfirmation } from './email-object.ts'
import type { BodyLinks } from './encode-bodies.ts'

export type LinkSettings = {
  /** The installation's secret, which signs tokens. */
  readonly secret: Buffer
  /** `PUBLIC_URL`, without a slash at its end. */
  readonly publicUrl: string
  /** The domain of return paths; absent if returned mail goes to the sender of each mail. */
  readonly bounceDomain?: string
}

/** The links and addresses in the mail of one message that lead back to Easel. */
export type MessageLinks = {
  readonly unsubscribe: string
  readonly preferences: string
  /** The link to a preference center. */
  readonly center: (id: string) => string
  /** The link to the page that confirms a subscription. */
  readonly confirmation: (confirmation_id: string) => string
  /** Mail to this address unsubscribes the recipient; absent without a bounce domain. */
  readonly unsubscribeAddress?: string
  /** The address for bounces; absent without a bounce domain. */
  readonly returnPath?: string
  /** The URL of the tracking pixel. */
  readonly pixel: string
  /** The tracking link for a link of the mail, counted from 0. */
  readonly link: (index: number) => string
  /** The beginning of all boundaries between the parts of the mail. */
  readonly boundary: string
  /** The `Message-ID` without brackets. It is the same for each attempt to send the message. */
  readonly messageId: (domain: string) => string
}

/** Characters of a token in a boundary. */
const boundaryCharacters = 32

/** Makes the links of a message. Tokens are signed when they are used. */
export function messageLinks(target: TokenTarget, { secret, publicUrl, bounceDomain }: LinkSettings): MessageLinks {
  const unsubscribe = formatToken(target, 'unsubscribe', secret)
  let token: string | undefined
  const message = () => {
    token ??= formatToken(target, 'message', secret)
    return token
  }
  return {
    unsubscribe: `${publicUrl}/u/${unsubscribe}`,
    get preferences() {
      return `${publicUrl}/preferences/${formatToken(target, 'preferences', secret)}`
    },
    center: (id) => centerLink(target, id, { secret, publicUrl }),
    confirmation: (confirmation_id) => confirmationLink(target.profile_id, confirmation_id, { secret, publicUrl }),
    ...(bounceDomain && {
      unsubscribeAddress: `unsubscribe+${unsubscribe}@${bounceDomain}`,
      returnPath: returnPathOf(target, secret, bounceDomain),
    }),
    get pixel() {
      return `${publicUrl}/o/${formatToken(target, 'open', secret)}`
    },
    link: (index) => `${publicUrl}/l/${formatToken(target, 'link', secret, index)}/${index}`,
    get boundary() {
      return `=_m.${message().slice(0, boundaryCharacters)}`
    },
    messageId: (domain) => `m.${message()}@${domain}`,
  }
}

/** Returns the link by which a person confirms a subscription. The signature makes it unguessable, so no secret is stored. */
export function confirmationLink(
  profile_id: string,
  confirmation_id: string,
  { secret, publicUrl }: Pick<LinkSettings, 'secret' | 'publicUrl'>,
): string {
  return `${publicUrl}/confirm/${formatToken({ profile_id, message_id: confirmation_id }, 'confirmation', secret)}`
}

/** The link in a mail that is only looked at: administrators must not confirm for others. */
const shownLink = 'confirm/link-of-the-recipient'

/** Returns the Liquid variables of a mail that asks for a confirmation, such as `{{${confirmation_url}}}`. */
export function confirmationFields(
  { confirmation_id, group, valid_hours }: MailedConfirmation,
  links: MessageLinks,
  { publicUrl, isPreview }: { readonly publicUrl: string; readonly isPreview?: boolean },
): Readonly<Record<string, string>> {
  return {
    confirmation_url: isPreview ? `${publicUrl}/${shownLink}` : links.confirmation(confirmation_id),
    confirmation_group: group,
    confirmation_hours: String(valid_hours),
  }
}

/** Returns what the bodies of a message get, with this number of tracking links. */
export function bodyLinksOf(links: MessageLinks, count: number): BodyLinks {
  return {
    boundary: links.boundary,
    get pixel() {
      return links.pixel
    },
    tracked: Array.from({ length: count }, (_, n) => links.link(n)),
  }
}

/** Returns the address to which a mail that cannot be delivered comes back. */
export function returnPathOf(target: TokenTarget, secret: Buffer, bounceDomain: string): string {
  return `b+${formatToken(target, 'bounce', secret)}@${bounceDomain}`
}

/**
 * The links as Liquid variables beside the fields of the profile: `{{${set_user_to_unsubscribed_url}}}`, the name on engagement platforms,
 * its short form `{{${unsubscribe_url}}}`, and `{{${preferences_url}}}`.
 */
export function linkFields({ unsubscribe, preferences }: MessageLinks): Readonly<Record<string, string>> {
  return { set_user_to_unsubscribed_url: unsubscribe, unsubscribe_url: unsubscribe, preferences_url: preferences }
}
