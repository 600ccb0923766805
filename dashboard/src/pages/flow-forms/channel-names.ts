/** How messages are sent, in the words of the dashboard. */
export const channels = [
  { value: 'email', label: 'E-mail' },
  { value: 'sms', label: 'Text message' },
  { value: 'webhook', label: 'Webhook' },
] as const

export type ChannelName = (typeof channels)[number]['value']

/** Returns a channel of messages; e-mail when there is none of this name. Pure. */
export function channelNamed(name: unknown): ChannelName {
  return channels.find(({ value }) => value === name)?.value ?? 'email'
}
