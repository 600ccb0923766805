import { pushConnections } from '../../src/messaging/channels/push/send-pushes.ts'
import { smsConnections } from '../../src/messaging/channels/sms/provider.ts'
import { callsAtOnce } from '../../src/messaging/channels/webhook/caller.ts'
import { type Act, type Step, startMailServer } from '../servers/smtp.ts'
import { type CuttableServer, type NextAnswer, startCuttableServer } from './cuttable-server.ts'
import { fcmError, startFakeFcm } from './fake-fcm.ts'
import { mail, sendingWorkspace } from './messages.ts'
import { type Item, newId } from './people.ts'
import { startPushService } from './push-service.ts'
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
  /** What messages contain, where that names the far end. */
  readonly contents?: MessageContents
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

/** The member of `messages` in a request. */
export type MessageContents = {
  readonly content: Item
  /** The same for marketing messages, which the far end can tell from others. */
  readonly marketing: Item
}

/** A channel as fault tests need it: its far end, and a person and contents for it. */
export type ChannelTransport = MessageContents & {
  readonly name: string
  startFarEnd(): Promise<FarEnd>
  /** Returns the attributes of a person who gets its messages, and the address. A browser subscribes at its far end. */
  reachable(far?: FarEnd): { readonly attributes: Item; readonly address: string }
  /** Settings with few connections, and how many these are: so many messages can be uncertain, or are sent again, after a kill. */
  readonly few: { readonly env: { readonly [name: string]: string }; readonly connections: number }
  /** A message whose answer is lost is sent again whatever its class, because its server recognizes a repetition. */
  readonly repeats?: boolean
}

const site = { id: 'a0000000-0000-4000-8000-0000000000fb', name: 'Site', platform: 'web' }
const robot = { id: 'a0000000-0000-4000-8000-0000000000fc', name: 'Robot', platform: 'android' }
const group = { id: 'c0000000-0000-4000-8000-0000000000fa', name: 'Texts', channel: 'sms' }

/** A workspace that sends by every channel. */
export const channelsWorkspace = {
  ...sendingWorkspace,
  settings: { ...sendingWorkspace.settings, time_zone: 'UTC', sms: { from: '+15550001111' } },
  apps: [...sendingWorkspace.apps, site, robot],
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
  {
    name: 'web_push',
    startFarEnd: startBrowsersEnd,
    reachable: (far) => (far as BrowsersEnd).subscribe(),
    content: { alert: 'Hello' },
    marketing: { alert: offer },
    few: { env: {}, connections: pushConnections },
  },
  {
    name: 'android_push',
    startFarEnd: startFcmEnd,
    reachable() {
      const token = newId()
      const attributes = { push_tokens: [{ app_id: robot.id, token, device_id: token }] }
      return { attributes, address: `${token}@android` }
    },
    content: { alert: 'Hello' },
    marketing: { alert: offer },
    few: { env: {}, connections: pushConnections },
  },
  {
    name: 'webhook',
    startFarEnd: startWebhookEnd,
    reachable() {
      const address = `hook-${++made}`
      return { attributes: { hook: address }, address }
    },
    // What calls the far end is known when it listens.
    content: { url: 'https://example.com/' },
    marketing: { url: 'https://example.com/', body: offer },
    few: { env: {}, connections: callsAtOnce },
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

/** A browser subscribes at the service, so only the far end can make a person who is reachable. */
type BrowsersEnd = FarEnd & { subscribe(): ReturnType<ChannelTransport['reachable']> }

async function startBrowsersEnd(): Promise<BrowsersEnd> {
  const service = await startPushService()
  const answers = { defer: { status: 503 }, refuse: { status: 400 }, 'cut after': 'cut after' } as const
  const addresses = new Map<string, string>()
  return {
    env: service.env,
    subscribe() {
      const { token, endpoint } = service.subscribe()
      const device_id = newId()
      const address = `${device_id}@${new URL(endpoint).host}`
      addresses.set(endpoint, address)
      return { attributes: { push_tokens: [{ app_id: site.id, token, device_id }] }, address }
    },
    taken: () => service.taken.map((endpoint) => addresses.get(endpoint)!),
    seen: () =>
      service.seen.map(({ endpoint, push: { topic: key, payload }, connection }) => {
        // A push without a title shows its text as the title.
        return { to: addresses.get(endpoint)!, key, isMarketing: payload.title === offer, connection }
      }),
    ...endOf(service.server, (trouble) => answers[trouble]),
    close: service.close,
  }
}

async function startFcmEnd(): Promise<FarEnd> {
  const service = await startFakeFcm()
  const answers = {
    defer: { status: 503, body: fcmError(503, 'UNAVAILABLE', 'later') },
    refuse: { status: 400, body: fcmError(400, 'INVALID_ARGUMENT', 'refused by policy') },
    'cut after': 'cut after',
  } as const
  return {
    env: service.env,
    taken: () => service.taken.map(({ token }) => `${token}@android`),
    seen: () =>
      service.seen.map(({ push: { token, notification, android }, connection }) => {
        const key = String(android!.notification.tag)
        return { to: `${token}@android`, key, isMarketing: notification!.body === offer, connection }
      }),
    ...endOf(service.server, (trouble) => answers[trouble]),
    close: service.close,
  }
}

async function startWebhookEnd(): Promise<FarEnd> {
  const seen: SeenMessage[] = []
  const server = await startCuttableServer(({ path, headers, body, connection }) => {
    const key = String(headers['idempotency-key'])
    const isMarketing = body.toString() === offer
    return { status: 200, take: () => void seen.push({ to: path.slice(1), key, isMarketing, connection }) }
  })
  const answers = { defer: { status: 503 }, refuse: { status: 404 }, 'cut after': 'cut after' } as const
  const url = `http://127.0.0.1:${server.port}/{{custom_attribute.\${hook}}}`
  return {
    env: { EASEL_FETCH_ALLOW: `127.0.0.1:${server.port}` },
    contents: { content: { url, body: 'Hello' }, marketing: { url, body: offer } },
    taken: () => seen.map(({ to }) => to),
    seen: () => seen,
    ...endOf(server, (trouble) => answers[trouble]),
    close: server.close,
  }
}

/** Returns what all far ends have in common that are a server of HTTP. */
function endOf(server: CuttableServer, answerOf: (trouble: Trouble) => NextAnswer) {
  return {
    opened: () => server.opened,
    beforeAnswers(work: () => Promise<unknown>) {
      server.beforeAnswer = work
    },
    order: (trouble: Trouble) => void server.next.push(answerOf(trouble)),
    calm() {
      server.next.length = 0
      server.beforeAnswer = undefined
    },
    stop: server.stop,
    start: server.start,
  }
}
