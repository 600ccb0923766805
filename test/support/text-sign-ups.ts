import assert from 'node:assert/strict'
import { eventually } from './eventually.ts'
import { type Item, newId } from './people.ts'
import { newCaller, SignUps } from './sign-ups.ts'
import { type SmsProvider, startSmsProvider, type TakenText } from './sms-provider.ts'

export const textSender = '+15550001111'
export const otherSender = '+15550002222'
export const publicUrl = 'https://easel.example.com'

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
