import { type Act, type Step, startMailServer } from '../servers/smtp.ts'
import { mail, sendingWorkspace } from './messages.ts'
import { type Item, newId } from './people.ts'
import { startSmsProvider } from './sms-provider.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

/** What the far end of a transport does with the next message. */
export type Trouble = 'defer' | 'refuse' | 'cut after'

/** The far end of the transport of a channel: a server that takes messages, and that has troubles on order. */
export type FarEnd = {
  /** The settings with which a service uses it. */
  readonly env: { readonly [name: string]: string }
  /** The member of `messages` in a request, where it names the far end. */
  readonly content?: Item
  /** The addresses of the messages that it has taken, in their order. */
  taken(): readonly string[]
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
  /** A message whose answer is lost is sent again whatever its class, because its server recognizes a repetition. */
  readonly repeats?: boolean
}

const group = { id: 'c0000000-0000-4000-8000-0000000000fa', name: 'Texts', channel: 'sms' }

/** A workspace that sends by every channel. */
export const channelsWorkspace = {
  ...sendingWorkspace,
  settings: { ...sendingWorkspace.settings, time_zone: 'UTC', sms: { from: '+15550001111' } },
  subscription_groups: [...sendingWorkspace.subscription_groups, group],
}

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
  },
  {
    name: 'webhook',
    startFarEnd: startWebhookEnd,
    reachable() {
      const address = `hook-${++made}`
      return { attributes: { hook: address }, address }
    },
    content: { url: 'https://example.com/' },
    repeats: true,
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
    refuse: { status: 400, code: 21_610, message: 'Unsubscribed recipient' },
    'cut after': 'cut after',
  } as const
  return {
    env: { SMS_URL: provider.url },
    taken: () => provider.taken.map(({ to }) => to),
    order: (trouble) => void provider.next.push(answers[trouble]),
    calm: () => void provider.next.splice(0),
    stop: provider.stop,
    start: provider.start,
    close: provider.close,
  }
}

async function startWebhookEnd(): Promise<FarEnd> {
  const receiver = await startWebhookReceiver()
  const answers = { defer: 503, refuse: 404, 'cut after': 'cut after' } as const
  const takes = new Set<unknown>()
  const order = (trouble: Trouble) => {
    if (trouble !== 'cut after') takes.add(receiver.calls.length)
    receiver.next.push(answers[trouble])
  }
  return {
    env: { EASEL_FETCH_ALLOW: `127.0.0.1:${receiver.port}` },
    content: { url: `${receiver.url}/{{custom_attribute.\${hook}}}`, body: { text: 'Hello' } },
    // A call that was deferred or refused was not taken.
    taken: () => receiver.calls.flatMap(({ url = '' }, i) => (takes.has(i) ? [] : [url.slice(1)])),
    order,
    calm: () => void receiver.next.splice(0),
    stop: receiver.stop,
    start: receiver.start,
    close: receiver.close,
  }
}
