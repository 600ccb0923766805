import type { Settings } from '../../workspace/settings/settings.ts'
import type { Channel, DestinationServices } from '../channels/channel.ts'

/** Says where the messages of each channel go now. Pure. */
export function deliverySentence(
  channels: readonly Pick<Channel, 'words' | 'destination'>[],
  delivery: Settings['mail_delivery'],
  services: DestinationServices,
): string {
  if (delivery === 'inbox')
    return 'All messages of this workspace are kept here and go to nobody: its setting mail_delivery is inbox.'
  const byDestination = Map.groupBy(channels, (channel) => channel.destination(services))
  const kept = byDestination.get(undefined)?.map(manyOf)
  byDestination.delete(undefined)
  const sentences = [...byDestination].map(([destination, some]) => `${listOf(some.map(manyOf))} go to ${destination}.`)
  if (kept)
    sentences.unshift(`${listOf(kept)} are kept here and go to nobody, because no server for them is configured.`)
  return sentences.join(' ')
}

function manyOf({ words: { many } }: Pick<Channel, 'words'>): string {
  return many
}

function listOf(names: readonly string[]): string {
  const joined = names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return joined.charAt(0).toUpperCase() + joined.slice(1)
}
