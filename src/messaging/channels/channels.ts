import type { Channel } from './channel.ts'
import { email } from './email/channel.ts'
import { pushes } from './push/channel.ts'
import { sms } from './sms/channel.ts'
import { webhook } from './webhook/channel.ts'

/** All channels that are delivered, by name. The first is that of decisions about people who are not known. */
const table = new Map<string, Channel>(
  [email as Channel, sms as Channel, ...(pushes as readonly Channel[]), webhook as Channel].map((channel) => {
    return [channel.name, channel]
  }),
)

/** Returns all channels that are delivered. */
export function allChannels(): readonly Channel[] {
  return [...table.values()]
}

export function channelNames(): readonly string[] {
  return [...table.keys()]
}

export function findChannel(name: string): Channel | undefined {
  return table.get(name)
}

/** Returns the channel of a message. Throws when there is none: a message is made only for a channel that is delivered. */
export function channelOf(name: string): Channel {
  const channel = table.get(name)
  if (!channel) throw new Error(`there is no channel ${JSON.stringify(name)}`)
  return channel
}

/** Adds a channel until the result is disposed. Call it before a service is started. */
export function addChannel<Content, Prepared extends Parameters<Channel['keep']>[0], Row>(
  channel: Channel<Content, Prepared, Row>,
): Disposable {
  const { name } = channel
  if (table.has(name)) throw new Error(`there is a channel ${JSON.stringify(name)} already`)
  table.set(name, channel as Channel)
  return { [Symbol.dispose]: () => void table.delete(name) }
}
