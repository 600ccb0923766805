import assert from 'node:assert/strict'
import { callsMax } from '../../src/messaging/channels/webhook/retry.ts'
import type { Service } from './harness.ts'
import { mail } from './messages.ts'
import { apps, type Item, many } from './people.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

/** The days of the walk, and the Mondays in them. */
export const days = 60
export const rounds = 9
export const sender = '+15550001111'
export const robot = { id: 'a0000000-0000-4000-8000-0000000000e1', name: 'Robot', platform: 'android' }
export const texts = { id: 'c0000000-0000-4000-8000-0000000000e1', name: 'Texts', channel: 'sms' }
/** The round in which the receiver answers 500 all the time, and the one in which it does so to as many calls as there are people. */
const downIn = 5
const stumblesIn = 6

export const sentBy = ['email', 'sms', 'webhook', 'android_push'] as const
type SentBy = (typeof sentBy)[number]

/** What stops messages of a channel, from a round on. */
type Loss = { readonly channel: SentBy; readonly from: number; readonly reason: string }
type Somebody = {
  readonly id: string
  /** The rounds in which the person is in the audience. */
  readonly since: number
  readonly until: number
  readonly loss?: Loss
}

/** The people of the walk. Each loses at most one channel; `leaves` lets it happen. */
export const crowd: readonly Somebody[] = [
  ...many(3, (n) => ({ id: `all-${n}`, since: 0, until: rounds })),
  { id: 'no-mail', since: 0, until: rounds, loss: { channel: 'email', from: 3, reason: 'unsubscribed' } },
  { id: 'no-texts', since: 0, until: rounds, loss: { channel: 'sms', from: 4, reason: 'group_unsubscribed' } },
  { id: 'no-pushes', since: 0, until: rounds, loss: { channel: 'android_push', from: 2, reason: 'no_address' } },
  { id: 'no-phone', since: 0, until: rounds, loss: { channel: 'sms', from: 0, reason: 'no_address' } },
  { id: 'late', since: 4, until: rounds },
  { id: 'early', since: 0, until: 6 },
  { id: 'never', since: rounds, until: rounds },
]

export const emailOf = (id: string): string => `${id}@example.com`
export const phoneOf = (id: string): string =>
  `+49151120001${String(crowd.findIndex((one) => one.id === id)).padStart(2, '0')}`
export const tokenOf = (id: string): string => `token-of-${id}`

const isGold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }

/** A workspace with the canvas: each Monday a mail, on Wednesday a text and a webhook, and a day later a push. */
export function sixtyDays(receiver: Pick<WebhookReceiver, 'url'>): Item {
  const message = (id: string, channel: SentBy, content: Item, next?: string): Item => {
    return { id, name: id, type: 'message', channel, message: content, ...(next !== undefined && { next }) }
  }
  const hi = 'Hi {{${first_name}}}'
  const webhook = { url: `${receiver.url}/in/{{\${user_id}}}`, body: { name: '{{${first_name}}}' } }
  return {
    settings: { time_zone: 'UTC', sms: { from: sender } },
    apps: [...Object.values(apps), robot],
    subscription_groups: [texts],
    canvases: [
      {
        ...{ id: 'weekly', name: 'Weekly', state: 'active', audience: isGold },
        entry: { schedule: { at: '09:00', days: ['mon'], zone: 'UTC' }, again: 'always' },
        first: 'mail',
        steps: [
          message('mail', 'email', mail({ subject: hi }), 'until-wednesday'),
          { id: 'until-wednesday', type: 'delay', until: '09:00', weekdays: ['wed'], next: 'text' },
          message('text', 'sms', { body: hi, subscription_group_id: texts.id }, 'call'),
          message('call', 'webhook', webhook, 'a-day'),
          { id: 'a-day', type: 'delay', for: 'P1D', next: 'push' },
          message('push', 'android_push', { title: hi, alert: 'It is Thursday' }),
        ],
      },
    ],
  }
}

/** What differs between a service with servers and one without: how people leave. Each resolves when it is recorded. */
export type Leaving = {
  mail(id: string): Promise<void>
  texts(id: string): Promise<void>
  pushes(id: string): Promise<void>
}

type Outcomes = Record<string, number>

/** Walks through the sixty days. A round begins on the Sunday before it. */
export async function walkSixtyDays(service: Service, receiver: WebhookReceiver, leaving: Leaving): Promise<void> {
  await people(
    service,
    crowd.filter(({ since }) => since !== 4),
  )
  for (let round = 0; round < rounds; round++) {
    if (round === 2) await leaving.pushes('no-pushes')
    if (round === 3) await leaving.mail('no-mail')
    if (round === 4) await leaving.texts('no-texts')
    if (round === 4) await people(service, [crowd.find(({ id }) => id === 'late')!])
    if (round === 6) await track(service, [{ external_id: 'early', plan: 'silver' }])
    const there = peopleIn(round).length
    if (round === downIn) receiver.next.push(...many(there * callsMax, () => 500))
    if (round === stumblesIn) receiver.next.push(...many(there, () => 500))
    const before = receiver.calls.length
    // The last of the sixty days is a Thursday.
    await service.advance(round === rounds - 1 ? `P${days - 7 * round}D` : 'P7D')
    assert.deepEqual(receiver.next, [], `the receiver has answered 500 as often as it should in round ${round}`)
    assert.equal(receiver.calls.length - before, callsIn(round), `calls of round ${round}`)
  }
}

export function peopleIn(round: number): readonly Somebody[] {
  return crowd.filter(({ since, until }) => since <= round && round < until)
}

function callsIn(round: number): number {
  const { length } = peopleIn(round)
  if (round === downIn) return length * callsMax
  return round === stumblesIn ? 2 * length : length
}

function people(service: Service, some: readonly Somebody[]): Promise<void> {
  const attributes = some.map(({ id, since, loss }) => ({
    ...{ external_id: id, first_name: id, email: emailOf(id), plan: since === rounds ? 'silver' : 'gold' },
    ...(!(loss?.channel === 'sms' && loss.from === 0) && { phone: phoneOf(id) }),
    push_tokens: [{ app_id: robot.id, token: tokenOf(id), device_id: `device-of-${id}` }],
    subscription_groups: [{ subscription_group_id: texts.id, subscription_state: 'subscribed' }],
  }))
  return track(service, attributes)
}

export async function track(service: Service, attributes: readonly Item[]): Promise<void> {
  const answer = await service.post('/users/track', { attributes })
  assert.equal(answer.status, 201, answer.text)
}

/** Gives the device of a person to somebody else, as when another person signs in on it. */
export function giveDevice(service: Service, id: string): Promise<void> {
  const push_tokens = [{ app_id: robot.id, token: tokenOf(id), device_id: `device-of-${id}` }]
  return track(service, [{ external_id: 'heir', push_tokens }])
}

/** Returns what is due to a person, counted by channel and reason. `first` replaces the reason of the first push that is lost. */
export function dueTo({ since, until, loss }: Somebody, first?: string): Outcomes {
  const due: Outcomes = {}
  for (let round = since; round < until; round++) {
    for (const channel of sentBy) {
      const isLost = loss?.channel === channel && round >= loss.from
      const isFirst = first !== undefined && channel === 'android_push' && round === loss?.from
      const lost = isFirst ? first : loss?.reason
      const reason = isLost ? lost : channel === 'webhook' && round === downIn ? 'expired' : 'sent'
      count(due, `${channel} ${reason}`)
    }
  }
  return due
}

export function count(counts: Outcomes, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Returns how many messages of each channel each person was sent, by `id channel`. Webhooks with another of the reasons count too. */
export function sentToAll(calls: readonly string[] = ['sent'], first?: string): Outcomes {
  const sent: Outcomes = {}
  for (const somebody of crowd) {
    for (const [name, times] of Object.entries(dueTo(somebody, first))) {
      const [channel, reason] = name.split(' ') as [string, string]
      if (reason !== 'sent' && !(channel === 'webhook' && calls.includes(reason))) continue
      const key = `${somebody.id} ${channel}`
      sent[key] = (sent[key] ?? 0) + times
    }
  }
  return sent
}

/** Returns all pages of a list of administrators. */
export async function listAll(service: Service, path: string, member: string): Promise<Item[]> {
  const all: Item[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { status, text, body } = await service.admin('GET', `${path}&limit=200${cursor && `&cursor=${cursor}`}`)
    assert.equal(status, 200, text)
    all.push(...body[member])
    cursor = body.cursor
  }
  return all
}
