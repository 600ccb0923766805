import { formatToken, parseToken, type TokenTarget } from '../../people/addresses/message-token.ts'

export type CenterLinkSettings = {
  /** The installation's secret, which signs tokens. */
  readonly secret: Buffer
  /** `PUBLIC_URL`, without a slash at its end. */
  readonly publicUrl: string
}

/** The message of a link that was made without one. No message has this number. */
export const noMessage = '0'

/** Returns the link to a preference center for one person. */
export function centerLink(target: TokenTarget, center_id: string, { secret, publicUrl }: CenterLinkSettings): string {
  return `${publicUrl}/preferences/${formatToken(target, 'preference_center', secret, center_id)}/${center_id}`
}

/** Returns the person of such a link; undefined if this installation has not made it for this preference center. */
export function parseCenterLink(token: string, center_id: string, secret: Buffer): TokenTarget | undefined {
  return parseToken(token, 'preference_center', secret, center_id)
}
