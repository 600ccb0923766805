import assert from 'node:assert/strict'
import type { Account, NewAccount } from '../../src/accounts/accounts/account.ts'
import { changeAccount, removeAccount } from '../../src/accounts/accounts/accounts.ts'
import type { Db } from '../../src/base/db/db.ts'
import { makeAccount, maker } from './accounts.ts'
import { type Answer, type Service, type ServiceOptions, startService } from './harness.ts'

const mailMsMax = 240_000
const linkForm = /http\S+(\/sign-in\/link\/\S+)/

/** Accounts and their browsers, with their own service. */
export class Signing {
  service!: Service
  db!: Db
  #count = 0

  async start(options: ServiceOptions = {}): Promise<void> {
    this.service = await startService({ ...options, opened: (db) => (this.db = db) })
  }

  stop(): Promise<void> {
    return this.service[Symbol.asyncDispose]()
  }

  /** Returns the path of the link that the console prints. */
  get firstLink(): string | undefined {
    const made = this.service.app.made.find(({ name }) => name === 'First account')
    return made && new URL(made.text).pathname
  }

  newAddress(): string {
    return `ada.${++this.#count}@example.com`
  }

  account(given: Partial<NewAccount> = {}): Promise<Account> {
    return makeAccount(this.db, {}, { user_name: this.newAddress(), ...given })
  }

  async disable({ account_id }: Account): Promise<void> {
    await this.db.transaction((tx) =>
      changeAccount(tx, maker, account_id, (account) => ({ ...account, active: false })),
    )
  }

  async remove({ account_id }: Account): Promise<void> {
    await this.db.transaction((tx) => removeAccount(tx, maker, account_id))
  }

  get(path: string, cookie?: string): Promise<Answer> {
    return this.service.get(path, { key: null, ...(cookie && { headers: { cookie } }) })
  }

  send(path: string, fields: Readonly<Record<string, string>>, options: Sending = {}): Promise<Answer> {
    return sendForm(this.service, path, fields, options)
  }

  ask(email: string, from?: string): Promise<Answer> {
    return this.send('/sign-in', { email }, from ? { from } : {})
  }

  /** Returns the mails of the inbox to an address, newest first. */
  async mails(to: string): Promise<{ id: string; subject: string }[]> {
    const { body } = await this.service.admin('GET', `/admin/inbox?to=${encodeURIComponent(to)}`)
    return body.messages
  }

  /** Requests a link, waits for its mail and returns its path. */
  async link(user_name: string): Promise<string> {
    const before = (await this.mails(user_name)).length
    assert.equal((await this.ask(user_name)).status, 200)
    await this.until(async () => (await this.mails(user_name)).length > before)
    return this.linkIn((await this.mails(user_name))[0]!.id)
  }

  /** Waits until the work that follows an answer is done. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + mailMsMax
    while (!(await holds())) {
      assert.ok(performance.now() < deadline, 'the mail arrives')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async linkIn(id: string): Promise<string> {
    const { body } = await this.service.admin('GET', `/admin/inbox/${id}`)
    return linkForm.exec(body.text)![1]!
  }

  /** Signs in by a link. Returns the cookie. */
  async enter(user_name: string): Promise<string> {
    const answer = await this.send(await this.link(user_name), {})
    assert.equal(answer.status, 303, answer.text)
    return cookieOf(answer)
  }

  /** Returns the account of a cookie; undefined when it has none. */
  async whoIs(cookie: string): Promise<string | undefined> {
    const { text } = await this.get('/sign-in', cookie)
    return /Your account is <bdi>([^<]+)</.exec(text)?.[1]
  }

  async forgetTries(): Promise<void> {
    await this.db.execute('delete from sign_in_attempt')
  }
}

export type Sending = { readonly headers?: Readonly<Record<string, string>>; readonly from?: string }

/** Sends a form, as a browser does. */
export function sendForm(
  service: Pick<Service, 'post'>,
  path: string,
  fields: Readonly<Record<string, string>>,
  { headers, from }: Sending,
): Promise<Answer> {
  return service.post(path, new URLSearchParams(fields).toString(), {
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    ...(from && { from }),
  })
}

/** Returns the name and value of the only cookie of an answer, as a browser sends them. */
export function cookieOf({ headers }: Answer): string {
  const [cookie = '', ...more] = headers['set-cookie'] ?? []
  assert.equal(more.length, 0, 'one cookie')
  return cookie.split(';')[0]!
}
