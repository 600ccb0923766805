import { channels as all } from '../../api/channels.ts'
import { channelWords } from '../../frame/channel-words.ts'

export type ChannelName = (typeof all)[number]['name']
export type PushName = Extract<(typeof all)[number], { readonly look: 'notification' }>['name']

/** How messages are sent, as choices. */
export const channels: readonly { readonly value: ChannelName; readonly label: string }[] = all.map(({ name }) => {
  return { value: name, label: channelWords(name).title }
})

/** Returns a channel of messages; mail when there is none of this name. Pure. */
export function channelNamed(name: unknown): ChannelName {
  return channels.find(({ value }) => value === name)?.value ?? 'email'
}

/** Returns whether a channel is one of pushes. Pure. */
export function isPush(channel: ChannelName): channel is PushName {
  return channelWords(channel).look === 'notification'
}
