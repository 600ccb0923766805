import { randomUUID } from 'node:crypto'
import { after, before } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import { formatToken, type TokenPurpose, type TokenTarget } from '../../src/people/addresses/message-token.ts'
import { bucketOfId } from '../../src/people/identity/person.ts'
import { getInstallation } from '../../src/workspace/settings/installation-store.ts'
import type { Database, ServiceOptions } from './harness.ts'
import { People } from './people.ts'

export type Written = {
  /** When the mail server accepted it; long ago when absent. */
  readonly ended_at?: string
  readonly state?: string
  readonly address?: string | null
  readonly links?: readonly string[]
}

export type Engaged = {
  readonly kind: string
  readonly link: number
  readonly count: number
  first_at: Date
  last_at: Date
}

/** Creates people of a service, and messages to them. */
export class Mailed extends People {
  #db: Db | undefined
  #secret: Buffer | undefined

  get db(): Db {
    return this.#db!
  }

  override async start(options: ServiceOptions): Promise<void> {
    const opened = (db: Db) => {
      this.#db = db
    }
    await super.start({ ...options, opened })
    this.#secret = (await getInstallation(this.db)).secret
  }

  token(named: TokenTarget, purpose: TokenPurpose, index = 0): string {
    return formatToken(named, purpose, this.#secret!, index)
  }

  /** Reads the profile id of the person with this external_id. */
  async idOf(external_id: string): Promise<string> {
    const { service_id } = await this.person(external_id, ['service_id'])
    return BigInt(`0x${service_id!.slice(0, 16)}`).toString()
  }

  /** Writes a message to a person that the mail server accepted. */
  async write(
    external_id: string,
    { ended_at, state = 'accepted', address, links = [] }: Written = {},
  ): Promise<TokenTarget> {
    const profile_id = await this.idOf(external_id)
    const bucket = bucketOfId(profile_id)
    const message_id = nextProfileId(bucket, Date.now())
    const { email = null } = await this.person(external_id, ['email'])
    const at = ended_at ?? '2026-01-01T00:00:00Z'
    await this.db.query(sql`
      insert into message (message_id, profile_id, bucket, workspace_id, cause, channel, class, state, planned_at, due_at, ended_at,
        address, links)
      select ${message_id}::int8, ${profile_id}::int8, ${bucket}::int4, workspace_id, ${randomUUID()}::uuid, 'email', 'marketing',
        ${state}, ${at}::timestamptz, ${at}::timestamptz, ${state === 'handed_over' ? null : at}::timestamptz,
        ${address === undefined ? email : address},
        array(select jsonb_array_elements_text(${JSON.stringify(links)}::jsonb))
      from profile where bucket = ${bucket} and profile_id = ${profile_id}::int8`)
    return { profile_id, message_id }
  }

  /** Reads the engagement of a message, whichever person it belongs to now. */
  async engaged({ message_id }: TokenTarget): Promise<Engaged[]> {
    return this.db.query<Engaged>(sql`
      select kind, link, count, first_at, last_at from engagement where message_id = ${message_id}::int8 order by kind, link`)
  }

  /** Reads when a person marked mail as spam. */
  async markedAt(external_id: string): Promise<Date | null> {
    const profile_id = await this.idOf(external_id)
    const [row] = await this.db.query<{ at: Date | null }>(sql`
      select marked_email_as_spam_at as at from profile
      where bucket = ${bucketOfId(profile_id)} and profile_id = ${profile_id}::int8`)
    return row!.at
  }

  /** Finds the message that became a mail of the inbox. */
  async messageOf(mail_id: string): Promise<TokenTarget> {
    const [row] = await this.db.query<TokenTarget>(sql`
      select profile_id::text as profile_id, message_id::text as message_id from inbox where mail_id = ${mail_id}::int8`)
    return row!
  }

  /** Reads the events of a message after the mail server accepted it. */
  async factsOf({
    message_id,
  }: TokenTarget): Promise<{ state: string; bounced_at: Date | null; complained_at: Date | null }> {
    const [row] = await this.db.query<{ state: string; bounced_at: Date | null; complained_at: Date | null }>(sql`
      select state, bounced_at, complained_at from message where message_id = ${message_id}::int8`)
    return row!
  }

  /** Reads the suppressions of an address, in order. */
  async suppressed(address: string): Promise<readonly string[]> {
    const path = `/admin/suppressions?address=${encodeURIComponent(address)}`
    const { body } = await this.service.admin('GET', path)
    return body.suppressions.map(({ reason }: { reason: string }) => reason).toSorted()
  }

  page(path: string, headers: Readonly<Record<string, string>> = {}) {
    return this.service.get(path, { key: null, headers })
  }

  form(path: string, fields: string, headers: Readonly<Record<string, string>> = {}) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.service.post(path, fields, { key: null, headers: { ...type, ...headers } })
  }
}

export function mailedOf(database: Database, options: Omit<ServiceOptions, 'database'> = {}): Mailed {
  const people = new Mailed()
  before(() => people.start({ ...options, database }))
  after(() => people.stop())
  return people
}
