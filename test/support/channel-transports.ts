import { smsConnections } from '../../src/messaging/channels/sms/provider.ts'
import { type Act, type Step, startMailServer } from '../servers/smtp.ts'
import { mail, sendingWorkspace } from './messages.ts'
import { type Item, newId } from './people.ts'
import { startSmsProvider } from './sms-provider.ts'

/** What the far end of a transport does with the next message. */
export type Trouble = 'defer' | 'refuse' | 'cut after'

/** A message as the far end got it. `key` is the same when it is sent again. */
export type SeenMessage = {
  readonly to: string
  readonly key: string
  readonly isMarketing: boolean
  /** The number of its connection, counted from 1 since the start. */
  readonly connection: number
}

/** The far end of the transport of a channel: a server that takes messages, and that has troubles on order. */
export type FarEnd = {
  /** The settings with which a service uses it. */
  readonly env: { readonly [name: string]: string }
  /** The addresses of the messages that it has taken, in their order. */
  taken(): readonly string[]
  /** The messages that it got, in their order, also those whose answer was lost. */
  seen(): readonly SeenMessage[]
  /** How many connections there were since the start. */
  opened(): number
  /** Lets this pass between a message and its answer. */
  beforeAnswers(work: () => Promise<unknown>): void
  /** Orders a trouble for the next message. `cut after`: it takes the message, and the connection ends before its answer. */
  order(trouble: Trouble): void
  calm(): void
  /** Closes its port; connections are cut. */
  stop(): Promise<void>
  /** Opens the same port again. */
  start(): Promise<void>
  close(): Promise<void>
}

/** A channel as fault tests need it: its far end, and a person and content for it. */
export type ChannelTransport = {
  readonly name: string
  startFarEnd(): Promise<FarEnd>
  /** Returns the attributes of a person who gets its messages, and the address. */
  reachable(): { readonly attributes: Item; readonly address: string }
  /** The member of `messages` in a request. */
  readonly content: Item
  /** The same for marketing messages, which the far end can tell from others. */
  readonly marketing: Item
  /** Settings with few connections, and how many these are: so many messages can be uncertain after a kill. */
  readonly few: { readonly env: { readonly [name: string]: string }; readonly connections: number }
}

const group = { id: 'c0000000-0000-4000-8000-0000000000fa', name: 'Texts', channel: 'sms' }

/** A workspace that sends by every channel. */
export const channelsWorkspace = {
  ...sendingWorkspace,
  settings: { ...sendingWorkspace.settings, time_zone: 'UTC', sms: { from: '+15550001111' } },
  subscription_groups: [...sendingWorkspace.subscription_groups, group],
}

/** The text by which the provider tells marketing from other texts. */
const offer = 'An offer'

let made = 0

/** Every channel with a transport. A channel that is added gets a row, and with it all fault tests. */
export const channelTransports: readonly ChannelTransport[] = [
  {
    name: 'email',
    startFarEnd: startMailEnd,
    reachable() {
      const address = `${newId()}@example.com`
      return { attributes: { email: address }, address }
    },
    content: mail(),
    marketing: mail(),
    few: { env: { SMTP_CONNECTIONS: '5' }, connections: 5 },
  },
  {
    name: 'sms',
    startFarEnd: startSmsEnd,
    reachable() {
      const address = `+4915113${String(++made).padStart(6, '0')}`
      const subscription_groups = [{ subscription_group_id: group.id, subscription_state: 'subscribed' }]
      return { attributes: { phone: address, subscription_groups }, address }
    },
    content: { body: 'Hello', subscription_group_id: group.id },
    marketing: { body: offer, subscription_group_id: group.id },
    few: { env: {}, connections: smsConnections },
  },
]

async function startMailEnd(): Promise<FarEnd> {
  let server = await startMailServer()
  const { url, port } = server
  const earlier: string[] = []
  const once = (step: Step, act: Act) => {
    let isDone = false
    server.at(step, () => {
      if (isDone) return undefined
      isDone = true
      return act
    })
  }
  const orders: Readonly<Record<Trouble, () => void>> = {
    defer: () => once('data', { code: 450, text: '4.2.0 try again' }),
    refuse: () => once('rcpt', { code: 550, text: '5.7.1 refused by policy' }),
    'cut after': () => once('data', 'drop'),
  }
  const addresses = () => server.seen.map(({ to }) => to[0]!)
  return {
    env: { SMTP_URL: url },
    taken: () => [...earlier, ...addresses()],
    seen: () =>
      server.seen.map(({ to, content, connection }) => {
        const key = /^Message-ID:\s*(<[^>]+>)/im.exec(content)![1]!
        return { to: to[0]!, key, isMarketing: /^List-Unsubscribe:/im.test(content), connection }
      }),
    opened: () => server.opened,
    beforeAnswers(work) {
      server.at('data', () => work().then(() => undefined))
    },
    order: (trouble) => orders[trouble](),
    calm: () => server.calm(),
    async stop() {
      earlier.push(...addresses())
      await server.close()
    },
    async start() {
      server = await startMailServer({ port })
    },
    close: () => server.close(),
  }
}

async function startSmsEnd(): Promise<FarEnd> {
  const provider = await startSmsProvider()
  const answers = {
    defer: { status: 503, code: 20_503, message: 'Service unavailable' },
    refuse: { status: 400, code: 30_007, message: 'Message filtered' },
    'cut after': 'cut after',
  } as const
  return {
    env: { SMS_URL: provider.url },
    taken: () => provider.taken.map(({ to }) => to),
    seen: () =>
      provider.taken.map(({ to, key, body, connection }) => {
        return { to, key: key!, isMarketing: body === offer, connection }
      }),
    opened: () => provider.opened,
    beforeAnswers(work) {
      provider.beforeAnswer = work
    },
    order: (trouble) => void provider.next.push(answers[trouble]),
    calm() {
      provider.next.length = 0
      provider.beforeAnswer = undefined
    },
    stop: provider.stop,
    start: provider.start,
    close: provider.close,
  }
}
