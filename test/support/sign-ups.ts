import assert from 'node:assert/strict'
import { sql } from '../../src/base/db/sql.ts'
import { eventually } from './eventually.ts'
import type { Answer } from './http-requests.ts'
import { Mailed } from './mailed-people.ts'
import { groups, type Item, newEmail, newId } from './people.ts'

export const optIn = { enabled: true, from: 'Shop <shop@example.com>' } as const

const linkForm = /https?:\/\/\S+?(\/confirm\/[0-9a-v]{52})/
const shownForm = /name="shown_at" value="([^"]+)"/

/** How a form is sent, if not from its page, by somebody of a network of their own. */
export type SentForm = { readonly ip?: string; readonly fields?: Readonly<Record<string, string>> }

let callers = 0

/** Returns an IP address that no other test uses, so that limits of callers do not meet. */
export function newCaller(): string {
  callers++
  return `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}`
}

/** Signs people up by forms, and confirms what mails ask. Needs `EASEL_TRUSTED_PROXIES=127.0.0.1`. */
export class SignUps extends Mailed {
  /** Makes a group with double opt-in. Returns its id. */
  async group(more: Item = {}): Promise<{ id: string; name: string }> {
    const name = newId('group')
    const given = { name, channel: 'email', double_opt_in: { ...optIn, ...more } }
    const { body } = await this.service.admin('POST', '/admin/subscription_groups', given)
    return { id: body.subscription_group.id, name }
  }

  /** Makes a form of a group, which needs no seconds to be filled in. Returns its path. */
  async formOf(group: { readonly id: string }, more: Item = {}): Promise<string> {
    const given = { name: newId('form'), subscription_group_id: group.id, min_seconds: 0, ...more }
    const { body } = await this.service.admin('POST', '/admin/sign_up_forms', given)
    return `/forms/default/${body.sign_up_form.id}`
  }

  /** Reads the signed time on the page of a form. */
  async shownAt(path: string): Promise<string> {
    const { status, text } = await this.page(path)
    assert.equal(status, 200, text)
    return shownForm.exec(text)![1]!
  }

  /** Opens the page of a form and sends it with an address. */
  async signUp(path: string, email: string, { ip = newCaller(), fields = {} }: SentForm = {}): Promise<Answer> {
    const given = new URLSearchParams({ shown_at: await this.shownAt(path), website: '', email, ...fields })
    return this.form(path, String(given), { 'x-forwarded-for': ip })
  }

  /** Returns the ids of the mails of the inbox to an address, newest first. */
  async mailsTo(address: string): Promise<string[]> {
    const { body } = await this.service.admin('GET', `/admin/inbox?to=${encodeURIComponent(address)}`)
    return body.messages.map(({ id }: { id: string }) => id)
  }

  /** Waits for a number of mails to an address, and returns the path of the link in the newest one. */
  async linkTo(address: string, count = 1): Promise<string> {
    await this.due()
    await eventually(`${count} mails to ${address}`, async () => (await this.mailsTo(address)).length >= count)
    const mails = await this.mailsTo(address)
    assert.equal(mails.length, count)
    const { body } = await this.service.admin('GET', `/admin/inbox/${mails[0]}`)
    return linkForm.exec(body.text)![1]!
  }

  /** Lets a virtual clock do what is due now. */
  async due(): Promise<void> {
    await this.service.advance('PT1S')
  }

  press(link: string, ip = newCaller()): Promise<Answer> {
    return this.form(link, 'wish=confirm', { 'x-forwarded-for': ip })
  }

  /** Returns the states of groups of an address, by name; undefined when nobody has it. */
  async groupsOf(email: string): Promise<readonly string[] | undefined> {
    const { body } = await this.service.get(`/subscription/user/status?email=${encodeURIComponent(email)}`)
    const [found] = body.users as { subscription_groups: { name: string; status: string }[] }[]
    return found?.subscription_groups.map(({ name, status }) => `${name}: ${status}`)
  }

  /** Returns the profiles with an address. */
  profilesOf(email: string): Promise<{ external_id: string | null; email_subscribe: string; updated_at: Date }[]> {
    return this.db.query(sql`
      select external_id, email_subscribe, updated_at from profile where email = ${email} and merged_into is null
      order by external_id`)
  }

  /** Reads the confirmations of a group. */
  async confirmations(group: { readonly id: string }, query = ''): Promise<Item[]> {
    const path = `/admin/subscription_groups/${group.id}/confirmations${query}`
    return (await this.service.admin('GET', path)).body.confirmations
  }

  /** Makes a person with an address. */
  async somebody(more: Item = {}): Promise<{ external_id: string; email: string }> {
    const [external_id, email] = [newId(), newEmail()]
    await this.set({ external_id, email, ...more })
    return { external_id, email }
  }
}

export const signUpWorkspace = { subscription_groups: Object.values(groups) }
