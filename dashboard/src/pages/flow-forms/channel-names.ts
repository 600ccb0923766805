export type PushName = 'web_push' | 'apple_push' | 'android_push'
export type ChannelName = 'email' | 'sms' | PushName
/** How a message can be sent. */
export const channels = [
  { value: 'email', label: 'E-mail' },
  { value: 'sms', label: 'Text message' },
  { value: 'web_push', label: 'Push to browsers' },
  { value: 'apple_push', label: 'Push to Apple devices' },
  { value: 'android_push', label: 'Push to Android devices' },
] as const

/** Returns the channel of a name; e-mail for a name that has no form. Pure. */
export function channelNamed(name: unknown): ChannelName {
  return channels.find(({ value }) => value === name)?.value ?? 'email'
}

/** Whether a channel is one of pushes. Pure. */
export function isPush(channel: unknown): channel is PushName {
  return channel === 'web_push' || channel === 'apple_push' || channel === 'android_push'
}
