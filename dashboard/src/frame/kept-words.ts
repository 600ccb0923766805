import { isPushChannel } from './push-view.tsx'

/** Words about a message of a channel: above it, within a sentence, and about what its server said. */
export type KeptWords = { readonly title: string; readonly inside: string; readonly answer: string }

const mail = { title: 'Mail', inside: 'email', answer: 'Answer of the mail server' }
const push = { title: 'Push', inside: 'push', answer: 'Answer of the push service' }
const others: Readonly<Record<string, KeptWords>> = {
  sms: { title: 'Text message', inside: 'text message', answer: 'Answer of the provider' },
  webhook: { title: 'Webhook', inside: 'webhook', answer: 'Answer of the receiver' },
}

/** Returns the words about messages of a channel. Pure. */
export function keptWords(channel: string): KeptWords {
  if (isPushChannel(channel)) return push
  return Object.hasOwn(others, channel) ? others[channel]! : mail
}
