import { channels } from '../api/channels.ts'

type Channel = (typeof channels)[number]

/** Words about messages of a channel: the title above a message, its name in a sentence, and the name of the server's answer. */
export type ChannelWords = {
  readonly title: string
  readonly one: string
  readonly answer: string
  readonly look: Channel['look']
}

/** A channel that this version does not have, such as one of an older version. */
const unknown = { one: 'message', server: 'server', look: 'text' } as const

/** Returns the words about messages of a channel. Pure. */
export function channelWords(channel: string): ChannelWords {
  const { one, server, look } = channels.find(({ name }) => name === channel) ?? unknown
  return { title: one.charAt(0).toUpperCase() + one.slice(1), one, answer: `Answer of the ${server}`, look }
}
