import type { Channel } from '../src/messaging/channels/channel.ts'

/** Prints what the dashboard says about channels, and how it shows their messages. */
export function printChannels(channels: readonly Channel[]): string {
  const rows = channels.map(({ name, words: { one, server }, look }) => {
    return `  { name: '${name}', one: '${one}', server: '${server}', look: '${look}' },`
  })
  const head = [
    '// Written by npm run generate from src/messaging/channels.',
    '',
    '/** The channels: one message, what takes it, and how it is shown. */',
  ]
  return `${head.join('\n')}\nexport const channels = [\n${rows.join('\n')}\n] as const\n`
}
