import { setTimeout as pause } from 'node:timers/promises'
import { type Ask, queryOf } from './admin.ts'
import type { InboxMail, WholeMail } from './types.ts'

export type MailFilter = {
  readonly to?: string
  readonly external_id?: string
  /** A part of the subject. */
  readonly subject?: string
}

const lookEveryMs = 25
const waitMsDefault = 10_000
const listMax = 200

/** The inbox of a workspace. */
export class Inbox {
  readonly #admin: Ask
  readonly #workspace: string
  /** Mails that `next` has returned. */
  readonly #seen = new Set<string>()

  constructor(admin: Ask, workspace: string) {
    this.#admin = admin
    this.#workspace = workspace
  }

  /** Lists the mails that are there, the newest first. */
  async list({ to, external_id, subject }: MailFilter = {}): Promise<InboxMail[]> {
    const query = queryOf({ to, external_id, workspace: this.#workspace, limit: listMax })
    const { messages } = await this.#admin<{ messages: InboxMail[] }>('GET', `/admin/inbox${query}`)
    return messages.filter((mail) => subject === undefined || mail.subject.includes(subject))
  }

  /** Returns the oldest mail that this method has not returned yet. Waits for it, in machine time; throws when none comes. */
  async next(filter: MailFilter = {}, { withinMs = waitMsDefault } = {}): Promise<WholeMail> {
    const endMs = performance.now() + withinMs
    for (;;) {
      const found = (await this.list(filter)).findLast(({ id }) => !this.#seen.has(id))
      if (found) {
        this.#seen.add(found.id)
        return this.#admin<WholeMail>('GET', `/admin/inbox/${found.id}${queryOf({ workspace: this.#workspace })}`)
      }
      if (performance.now() >= endMs) throw new Error(await this.#describe(filter, withinMs))
      await pause(lookEveryMs)
    }
  }

  /** Business time. */
  async now(): Promise<string> {
    return (await this.#admin<{ now: string }>('GET', '/admin/clock')).now
  }

  /** Empties the inbox. */
  async clear(): Promise<void> {
    await this.#admin('DELETE', `/admin/inbox${queryOf({ workspace: this.#workspace })}`)
    this.#seen.clear()
  }

  async #describe(filter: MailFilter, withinMs: number): Promise<string> {
    const others = (await this.list()).map(({ to, subject }) => `${to}: ${subject}`)
    const seen = others.length === 0 ? 'The inbox is empty' : `The inbox has ${others.slice(0, 10).join(' · ')}`
    return `No further mail like ${JSON.stringify(filter)} came within ${withinMs} ms. ${seen}`
  }
}
