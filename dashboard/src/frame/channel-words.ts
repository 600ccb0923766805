import { channels } from '../api/channels.ts'

type Channel = (typeof channels)[number]

/** What is said about messages of a channel: above one, within a sentence, and about the answer of its server. */
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
