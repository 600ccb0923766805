import assert from 'node:assert/strict'
import { eventually } from './eventually.ts'
import type { Database } from './harness.ts'
import { sendingWorkspace } from './messages.ts'
import { groups, type Item, newId } from './people.ts'
import { newCaller, SignUps } from './sign-ups.ts'
import { type SmsProvider, startSmsProvider, type TakenText } from './sms-provider.ts'

export const textSender = '+15550001111'
export const otherSender = '+15550002222'
export const publicUrl = 'https://easel.example.com'

export const deals = {
  ...{ id: 'deals', name: 'Deals', channel: 'sms' },
  double_opt_in: { enabled: true, keyword: 'Ja', through_api: true },
}
/** The answer to HELP, and to a reply to nothing. */
export const helpReply = 'Reply STOP to get no more messages.'
/** What a person is merged by who has an address alone. */
export const prioritization = ['unidentified', 'most_recently_updated']

/** What the provider says of a reply, if not the usual. */
export type ReplyMore = {
  readonly to?: string
  readonly sid?: string
  readonly type?: string
  readonly secret?: string
}

let made = 0

/** Returns a number that no other test has. */
export function newPhone(): string {
  return `+4915113${String(++made).padStart(6, '0')}`
}

/** Signs people up for groups of texts, and replies as a phone does. The provider is open between `openProvider` and `close`. */
export class TextSignUps extends SignUps {
  provider!: SmsProvider

  async openProvider(): Promise<SmsProvider> {
    this.provider = await startSmsProvider()
    return this.provider
  }

  async close(): Promise<void> {
    await this.stop()
    await this.provider.close()
  }

  /** Starts a service that sends texts, with these groups and with `deals`, which has a sender and a keyword of its own. */
  async startTexts(database: Database, subscription_groups: readonly object[] = []): Promise<void> {
    const { url } = await this.openProvider()
    const sms = { from: textSender, from_by_group: { [deals.id]: otherSender } }
    await this.start({
      database,
      workspace: {
        ...sendingWorkspace,
        settings: { time_zone: 'UTC', feed: true, sms },
        subscription_groups: [...Object.values(groups), deals, ...subscription_groups],
      },
      env: { EASEL_CLOCK: 'virtual', EASEL_TRUSTED_PROXIES: '127.0.0.1', SMS_URL: url, PUBLIC_URL: publicUrl },
    })
  }

  /** Signs a number up for a new group, and waits for the text. */
  async pendingFor(more: Item = {}, phone = newPhone()) {
    const group = await this.textGroup(more)
    const path = await this.formOf(group)
    await this.signUpPhone(path, phone)
    const { body } = await this.textTo(phone, this.textsTo(phone).length + 1)
    return { group, path, phone, body }
  }

  /** Returns the state of a number in a group; undefined without one. */
  async stateIn({ name }: { readonly name: string }, phone: string): Promise<string | undefined> {
    const found = (await this.groupsOfPhone(phone))!.find((state) => state.startsWith(`${name}: `))
    return found?.slice(name.length + 2)
  }

  /** Makes a group for texts with double opt-in. */
  async textGroup(more: Item = {}): Promise<{ id: string; name: string }> {
    const name = newId('group')
    const given = { name, channel: 'sms', double_opt_in: { enabled: true, ...more } }
    const { body } = await this.service.admin('POST', '/admin/subscription_groups', given)
    return { id: body.subscription_group.id, name }
  }

  /** Opens the page of a form and sends it with a number. */
  async signUpPhone(path: string, phone: string): Promise<{ status: number; text: string }> {
    const given = new URLSearchParams({ shown_at: await this.shownAt(path), website: '', phone })
    return this.form(path, String(given), { 'x-forwarded-for': newCaller() })
  }

  textsTo(phone: string): TakenText[] {
    return this.provider.taken.filter(({ to }) => to === phone)
  }

  /** Waits for a number of texts to a phone, and returns the last one. */
  async textTo(phone: string, count = 1): Promise<TakenText> {
    await this.due()
    await eventually(`${count} texts to ${phone}`, async () => this.textsTo(phone).length >= count)
    const texts = this.textsTo(phone)
    assert.equal(texts.length, count)
    return texts.at(-1)!
  }

  /** Replies as a phone does. Returns the text of the answer; empty for none. */
  async reply(phone: string, body: string, more: ReplyMore = {}): Promise<string> {
    const { status, text } = await this.inbound(phone, body, more)
    assert.equal(status, 200, text)
    return /<Message>(.*)<\/Message>/.exec(text)?.[1] ?? ''
  }

  inbound(phone: string, body: string, { to = textSender, sid = newId('SM'), type, secret }: ReplyMore) {
    const fields = { From: phone, To: to, Body: body, MessageSid: sid, ...(type && { OptOutType: type }) }
    return this.provider.call(this.service.url, `${publicUrl}/webhooks/sms/default/inbound`, fields, secret)
  }

  /** Returns the states of groups of a phone number, by name; undefined when nobody has it. */
  async groupsOfPhone(phone: string): Promise<readonly string[] | undefined> {
    const { body } = await this.service.get(`/subscription/user/status?phone=${encodeURIComponent(phone)}`)
    const [found] = body.users as { subscription_groups: { name: string; status: string }[] }[]
    return found?.subscription_groups.map(({ name, status }) => `${name}: ${status}`).sort()
  }
}
