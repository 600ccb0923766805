/** How messages are sent, in the words of the dashboard. */
export const channels = [
  { value: 'email', label: 'E-mail' },
  { value: 'sms', label: 'Text message' },
  { value: 'web_push', label: 'Push to browsers' },
  { value: 'apple_push', label: 'Push to Apple devices' },
  { value: 'android_push', label: 'Push to Android devices' },
  { value: 'webhook', label: 'Webhook' },
] as const

export type ChannelName = (typeof channels)[number]['value']
export type PushName = Extract<ChannelName, `${string}_push`>

/** Returns a channel of messages; e-mail when there is none of this name. Pure. */
export function channelNamed(name: unknown): ChannelName {
  return channels.find(({ value }) => value === name)?.value ?? 'email'
}

/** Returns whether a channel is one of pushes. Pure. */
export function isPush(channel: ChannelName): channel is PushName {
  return channel.endsWith('_push')
}
