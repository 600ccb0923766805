import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  type ChannelTransport,
  channelsWorkspace,
  channelTransports,
  type FarEnd,
} from '../support/channel-transports.ts'
import { eventually } from '../support/eventually.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { type Item, newId } from '../support/people.ts'

/** More than open the breaker, and few enough to be tried at once. */
const crowd = 7

for (const database of drawDatabases('channel-trouble')) {
  for (const channel of channelTransports) {
    describe(`troubles of the transport of ${channel.name} (${database})`, () => {
      let far: FarEnd
      let service: Service
      before(async () => {
        far = await channel.startFarEnd()
        const env = { EASEL_CLOCK: 'virtual', ...far.env }
        service = await startService({ database, env, workspace: channelsWorkspace })
      })
      after(async () => {
        await service?.[Symbol.asyncDispose]()
        await far?.close()
      })
      beforeEach(() => far.calm())

      const send = (people: readonly Reached[], more: Item = {}) => {
        const { content } = far.contents ?? channel
        return sendTo(service, { [channel.name]: content }, people, more)
      }
      const people = (count: number) => reach(service, channel, far, count)

      test('a message that is deferred is sent later, once', async () => {
        const [one] = await people(1)
        far.order('defer')
        const id = await send([one!])
        assert.deepEqual(await reasons(service, id), { queued: 1 })
        const before = countOf(far, one!)
        await service.advance('PT1H')
        assert.deepEqual(await reasons(service, id), { sent: 1 })
        assert.equal(countOf(far, one!), before + 1)
      })

      test('a message that is refused ends, and says why', async () => {
        const [one] = await people(1)
        far.order('refuse')
        const id = await send([one!])
        assert.deepEqual(await reasons(service, id), { refused_by_server: 1 })
        const next = await send([one!])
        assert.deepEqual(await reasons(service, next), { sent: 1 }, 'the refusal was about the message')
      })

      const marketing = channel.repeats ? 'sent again' : 'uncertain'
      test(`a marketing message whose answer is lost is ${marketing}, and a transactional one is sent again`, async () => {
        const [one, other] = await people(2)
        far.order('cut after')
        const id = await send([one!])
        assert.deepEqual(await reasons(service, id), channel.repeats ? { queued: 1 } : { uncertain: 1 })
        await service.advance('P4D')
        assert.equal(countOf(far, one!), channel.repeats ? 2 : 1)
        if (channel.repeats) assert.deepEqual(await reasons(service, id), { sent: 1 })
        far.order('cut after')
        const again = await send([other!], { recipient_subscription_state: 'all' })
        await service.advance('PT1H')
        assert.deepEqual(await reasons(service, again), { sent: 1 })
        assert.equal(countOf(far, other!), 2)
      })

      test('a message whose answer comes late is sent once, and others do not wait for it', async () => {
        const [slow, quick] = await people(2)
        const answered = Promise.withResolvers<void>()
        let held = 0
        far.beforeAnswers(() => (held++ === 0 ? answered.promise : Promise.resolve()))
        const first = send([slow!])
        await eventually('it has the message', () => countOf(far, slow!) === 1)
        const second = send([quick!])
        await eventually('it has the other one', () => countOf(far, quick!) === 1)
        answered.resolve()
        for (const id of [await first, await second]) assert.deepEqual(await reasons(service, id), { sent: 1 })
        assert.deepEqual([countOf(far, slow!), countOf(far, quick!)], [1, 1])
      })

      test('while it is away messages wait, one at a time tests it, and later each is sent once', async () => {
        const all = await people(crowd)
        await far.stop()
        const id = await send(all, { recipient_subscription_state: 'all' })
        await eventually('the breaker opens', async () => (await spared(service, channel.name)) === 1)
        assert.deepEqual(Object.keys(await reasons(service, id)), ['queued'])
        const [waiting] = (await service.admin('GET', `/admin/why?dispatch_id=${id}`)).body.open as Item[]
        assert.match(String(waiting!.waits_for), /was not reached: /)
        await far.start()
        await eventually('all are sent', async () => {
          await service.advance('PT2M')
          return ((await reasons(service, id)).sent ?? 0) === crowd
        })
        assert.deepEqual(
          all.map((one) => countOf(far, one)),
          all.map(() => 1),
        )
        await eventually('the breaker closes', async () => (await spared(service, channel.name)) === 0)
      })
    })
  }
}

type Reached = { readonly id: string; readonly address: string }

async function reach(service: Service, channel: ChannelTransport, far: FarEnd, count: number): Promise<Reached[]> {
  const made = Array.from({ length: count }, () => ({ id: newId(), ...channel.reachable(far) }))
  const attributes = made.map((one) => ({ external_id: one.id, ...one.attributes }))
  const answer = await service.post('/users/track', { attributes })
  assert.equal(answer.status, 201, answer.text)
  return made
}

async function sendTo(service: Service, messages: Item, people: readonly Reached[], more: Item): Promise<string> {
  const external_user_ids = people.map(({ id }) => id)
  const answer = await service.post('/messages/send', { external_user_ids, messages, ...more })
  assert.equal(answer.status, 201, answer.text)
  await service.advance('PT1S')
  return String(answer.body.dispatch_id)
}

/** Counts the messages of an order by the reasons of their ends, or by their states while they are open. */
async function reasons(service: Service, dispatch_id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const { messages } = (await service.admin('GET', `/admin/messages?dispatch=${dispatch_id}`)).body
  for (const { reason, state } of messages as { reason: string | null; state: string }[]) {
    counts[reason ?? state] = (counts[reason ?? state] ?? 0) + 1
  }
  return counts
}

function countOf(far: FarEnd, { address }: Reached): number {
  return far.taken().filter((one) => one === address).length
}

const gauges: Readonly<Record<string, string>> = {
  email: 'easel_mail_server_spared',
  sms: 'easel_sms_provider_spared',
  web_push: 'easel_web_push_service_spared',
  android_push: 'easel_android_push_service_spared',
  webhook: 'easel_webhook_receiver_spared',
}

async function spared(service: Service, channel: string): Promise<number> {
  const { text } = await service.get('/metrics', { key: null })
  const line = text.split('\n').find((one) => one.startsWith(`${gauges[channel]} `))
  assert.ok(line, `${gauges[channel]} in ${text}`)
  return Number(line.split(' ')[1])
}
