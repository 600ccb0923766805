import { smsConnections } from '../src/messaging/channels/sms/provider.ts'
import { BareRequests } from './bound-request.ts'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { addPeople } from './mail.ts'
import { everybody } from './mail-template.ts'
import type { Figure } from './report.ts'
import { measureIdle, sendBroadcast } from './send-broadcast.ts'
import { startServer } from './server.ts'
import { Sink } from './sink.ts'
import { inTurns } from './turns.ts'

/** Channels whose messages are requests by HTTP. */
export const httpChannels = ['sms', 'webhook'] as const
export type HttpChannel = (typeof httpChannels)[number]

const groupId = '7d1d5b53-93f5-4c53-9e6a-0d3f4b6b9a12'
const groups = `  - {id: ${groupId}, name: Offers, channel: sms}\n`
const account = `AC${'1'.repeat(32)}`

/** How a message of a channel looks, and how many of its requests are open at a time. A receiver of webhooks gets one at a time. */
const channels: Readonly<Record<HttpChannel, { connections: number; messageOf(port: number): object }>> = {
  sms: {
    connections: smsConnections,
    messageOf: () => ({
      sms: {
        body: 'Hi {{${first_name} | default: "there"}}, our sale ends on Sunday: https://shop.example/sale Reply STOP to leave',
        subscription_group_id: groupId,
        from: '+15550001111',
      },
    }),
  },
  webhook: {
    connections: 1,
    messageOf: (port) => ({
      webhook: {
        url: `http://127.0.0.1:${port}/people/{{\${user_id} | url_encode}}`,
        headers: { 'X-Source': 'easel' },
        body: {
          name: '{{${first_name}}}',
          email: '{{${email_address}}}',
          plan: '{{custom_attribute.${plan}}}',
          city: '{{custom_attribute.${city}}}',
          campaign: 'sale',
        },
      },
    }),
  },
}

/** How long the service is measured without work. */
const idleMs = 8_000

export function boundOf(channel: HttpChannel): string {
  return `bound: undici alone, ${channel}`
}

/** The figures of a channel: without the feed, and with it. */
export function namesOf(channel: HttpChannel): readonly [string, string] {
  return [`${channel} messages`, `${channel} messages, with the feed`]
}

/**
 * Measures a broadcast of a channel from the request until all outcomes are written, in CPU time for each message, with a server that
 * answers as the provider does. The bound sends the same requests with undici alone. All are measured in turns.
 */
export async function benchChannel(
  channel: HttpChannel,
  people: number,
  turns: number,
  cluster: Cluster | undefined,
  nowMs: number,
): Promise<Figure[]> {
  const database = cluster ? 'postgres' : 'pglite'
  const { connections, messageOf } = channels[channel]
  await using directory = makeTemporaryFolder(channel)
  await using sink = new Sink('http')
  await using bare = new BareRequests()
  const { port } = await sink.read()
  const databaseUrl = await cluster?.createDatabase(channel)
  await using server = await startServer({
    directory: directory.path,
    groups,
    ...(databaseUrl !== undefined && { databaseUrl }),
    env: { SMS_URL: `http://${account}:secret@127.0.0.1:${port}`, EASEL_FETCH_ALLOW: `127.0.0.1:${port}` },
  })
  await addPeople(server, people, nowMs, personOf)
  const body = { broadcast: true, audience: everybody, messages: messageOf(port) }
  const place = { server, sink, postmaster: cluster?.postmaster, people }
  const [plain, fed] = namesOf(channel)
  const common = { database, people, unit: 'messages/s' } as const
  // A warm-up.
  await sendBroadcast(place, body, { nodeUs: 0, databaseUs: 0 })
  const idle = await measureIdle(place, idleMs)
  const sendWith = (feed: boolean) => async () => {
    await server.change('/admin/settings', { feed })
    return sendBroadcast(place, body, idle)
  }
  const measured = await inTurns(turns, {
    [plain]: sendWith(false),
    [boundOf(channel)]: async () => {
      const { seconds, cpuUs } = await bare.send(sink, connections, people)
      return { seconds: seconds / people, nodeUs: cpuUs / people }
    },
    [fed]: sendWith(true),
  })
  return measured.map(({ seconds, ...figure }) => ({ ...figure, ...common, value: 1 / seconds }))
}

function personOf(number: number): object {
  const subscribed = { subscription_group_id: groupId, subscription_state: 'subscribed' }
  return { phone: `+49151${String(number).padStart(8, '0')}`, subscription_groups: [subscribed] }
}
