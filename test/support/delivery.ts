import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import type { Clock } from '../../src/base/clock.ts'
import { int4Array, int8Array, textArray } from '../../src/base/db/arrays.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { timestampFromUs } from '../../src/base/db/timestamps.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import type { ChannelRates, MessageTransport, OpenChannel } from '../../src/messaging/channels/channel.ts'
import { email as emailChannel } from '../../src/messaging/channels/email/channel.ts'
import { sizeOfEmail as sizeOf } from '../../src/messaging/channels/email/open-email.ts'
import { type DelivererServices, openDeliverer } from '../../src/messaging/delivery/deliver.ts'
import type { Deliverer } from '../../src/messaging/delivery/deliverer.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import { mailTextBytesMax } from '../../src/messaging/mail/prepare-emails.ts'
import type { PreparedMail } from '../../src/messaging/mail/prepared-mail.ts'
import type { MessageClass } from '../../src/messaging/messages/message.ts'
import type { MessageToPrepare } from '../../src/messaging/messages/prepared-message.ts'
import type { Sending, WantedState } from '../../src/messaging/orders/sending.ts'
import { addressHasher } from '../../src/people/identity/person.ts'
import { insertInstallation } from '../../src/workspace/settings/installation-store.ts'
import { completeSettings, type SettingsGiven } from '../../src/workspace/settings/settings.ts'

const secret = Buffer.alloc(32, 7)
export const hashAddress = addressHasher(secret)

/** A person with a message. */
export type Addressee = {
  readonly bucket: number
  readonly profile_id: string
  readonly message_id: string
  readonly address: string | null
}

export type OrderOptions = {
  readonly class?: MessageClass
  readonly wanted?: WantedState
  readonly workspace_id?: number
  readonly state?: 'active' | 'paused' | 'cancelled'
}

/** Writes an order to people with these addresses, in the state after the expansion. Returns its id and the people. */
export async function order(
  db: Db,
  clock: Clock,
  addresses: readonly (string | null)[],
  { class: kind = 'marketing', wanted = 'subscribed', workspace_id = 1, state = 'active' }: OrderOptions = {},
): Promise<{ dispatch_id: string; people: readonly Addressee[] }> {
  const dispatch_id = randomUUID()
  const now = timestampFromUs(Math.round(clock.now() * 1000))
  const email = { app_id: 'shop', from: 'Shop <shop@example.com>', subject: 'News', body: '<p>News</p>' }
  const rules = { recipient_subscription_state: wanted, override_frequency_capping: false }
  const sending: Sending & { email: unknown } = { broadcast: false, ...rules, email }
  await db.query(sql`
    insert into dispatch (dispatch_id, workspace_id, class, state, sending, created_at, updated_at)
    values (${dispatch_id}::uuid, ${workspace_id}, ${kind}, ${state}, ${JSON.stringify(sending)}::jsonb, ${now}, ${now})`)
  const people = addresses.map((address, i) => {
    const bucket = (i * 37) % 4096
    return {
      bucket,
      profile_id: nextProfileId(bucket, clock.elapsed()),
      message_id: nextProfileId(bucket, clock.elapsed()),
      address,
    }
  })
  const buckets = int4Array(people.map(({ bucket }) => bucket))
  const ids = int8Array(people.map(({ profile_id }) => profile_id))
  await db.query(sql`
    insert into profile (profile_id, bucket, workspace_id, random_bucket, email, created_at, updated_at)
    select v.id, v.bucket, ${workspace_id}::int4, 0, v.email, ${now}, ${now} from unnest(${buckets}::int4[], ${ids}::int8[],
      ${textArray(addresses)}::text[]) v(bucket, id, email)`)
  await db.query(sql`
    insert into message (message_id, profile_id, bucket, workspace_id, cause, channel, class, state, planned_at, due_at)
    select v.message_id, v.id, v.bucket, ${workspace_id}::int4, ${dispatch_id}::uuid, 'email', ${kind}, 'queued', ${now}, ${now}
    from unnest(${buckets}::int4[], ${ids}::int8[], ${int8Array(people.map(({ message_id }) => message_id))}::int8[])
      v(bucket, id, message_id)`)
  return { dispatch_id, people }
}

/** Replaces the composer of mails: a mail is a few bytes that name the message. */
export const prepareBriefly = async (batch: readonly MessageToPrepare[]): Promise<PreparedMail[]> =>
  batch.map(({ address, message_id, dispatch_id }) => ({
    raw: Buffer.from(
      `Message-ID: <${message_id}@easel.test>\r\nTo: ${address}\r\nSubject: s\r\n\r\nfor ${dispatch_id}\r\n`,
    ),
    bytes: 100,
    envelope: { from: 'b@easel.test', to: [address] },
    subject: 's',
    links: ['https://example.com/a'],
    warnings: [],
    domain: address.slice(address.indexOf('@') + 1),
  }))

export type DelivererOptions = Partial<Pick<DelivererServices, 'leaseMs' | 'onResult' | 'log' | 'hashAddress'>> & {
  prepare?: OpenChannel['prepare']
  rates?: ChannelRates
  settings?: SettingsGiven
  workspaceIds?: readonly number[]
}

/** Opens a deliverer of mail. Without a transport the inbox keeps it. */
export function deliverer<P>(
  db: Db,
  clock: Clock,
  transport: MessageTransport<P> | undefined,
  options: DelivererOptions = {},
): Deliverer {
  const { prepare = prepareBriefly, rates, settings: given = {}, workspaceIds = [1], ...others } = options
  const settings = completeSettings({ ...given, ...(rates && { email_rates: rates }) })
  return openDeliverer({
    db,
    clock,
    transport: transport && { ...(transport as unknown as MessageTransport<PreparedMail>), words: emailChannel.words },
    hashAddress,
    log: pino({ level: 'silent' }),
    channels: new Map([['email', { prepare, sizeOf: sizeOf as OpenChannel['sizeOf'], bytesMax: mailTextBytesMax }]]),
    newId: (bucket) => nextProfileId(bucket, clock.elapsed()),
    graphs: new Graphs(),
    settingsOf: () => settings,
    queues: () => workspaceIds.map((workspace_id) => ({ workspace_id, channel: 'email' })),
    ...others,
  })
}

export type MessageRow = {
  message_id: string
  state: string
  reason: string | null
  attempts: number
  due_at: Date
  address: string | null
  response: string | null
  links: string[] | null
  bounced_at: Date | null
}

export function messages(db: Db, dispatch_id: string): Promise<MessageRow[]> {
  return db.query<MessageRow>(sql`
    select message_id, state, reason, attempts, due_at, address, response, links, bounced_at from message
    where cause = ${dispatch_id}::uuid order by message_id`)
}

export type DecisionRow = {
  message_id: string
  reason: string
  rule: string | null
  inputs: Record<string, unknown> | null
}

export function decisions(db: Db, dispatch_id: string): Promise<DecisionRow[]> {
  return db.query<DecisionRow>(sql`
    select message_id, reason, rule, inputs from decision where cause = ${dispatch_id}::uuid order by message_id, time`)
}

/** Writes the secret of the installation, which is the key for the hashes of addresses. */
export async function keepSecret(db: Db): Promise<void> {
  await insertInstallation(db, secret, new Date(0))
}
