import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import PostalMime, { type Email } from 'postal-mime'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { nextProfileId } from '../../src/base/ids.ts'
import { openRenderer, type Renderer } from '../../src/content/rendering/renderer.ts'
import { DecoratedBodies } from '../../src/messaging/mail/decorated-bodies.ts'
import type { EmailObject } from '../../src/messaging/mail/email-object.ts'
import { type PrepareServices, prepareEmails } from '../../src/messaging/mail/prepare-emails.ts'
import type { MessageToPrepare, PreparedMail } from '../../src/messaging/mail/prepared-mail.ts'
import type { NotPrepared } from '../../src/messaging/messages/prepared-message.ts'
import { addressHasher } from '../../src/people/identity/person.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'
import type { Workspace } from '../../src/workspace/settings/workspaces.ts'
import { cachedCharactersMax, linkParts, secret } from './composed-mails.ts'
import { onBothDatabases } from './databases.ts'
import { watchedSources } from './liquid.ts'

export const workspace_id = 1
export const nowMs = Date.UTC(2026, 2, 3, 10, 5, 7)
const group = { group_id: 7, workspace_id, id: 'g-news', name: 'News', channel: 'email' as const, archived: false }
const hashAddress = addressHasher(secret)
export const email: EmailObject = {
  app_id: 'app',
  from: 'Shop <shop@example.com>',
  subject: 'Hello',
  body: '<p>Hello</p>',
}
export const dispatch_id = randomUUID()

export type Mailed = PreparedMail & { mail: Email }
export type Bed = {
  db: Db
  parts: PrepareServices
  settings(more: object): void
  /** Inserts a person with an address and these columns. */
  person(columns?: Readonly<Record<string, unknown>>): Promise<MessageToPrepare>
  /** Prepares mails of an e-mail object for people, in their order. */
  prepare(
    email: EmailObject,
    people: readonly MessageToPrepare[],
    more?: Partial<MessageToPrepare>,
  ): Promise<(PreparedMail | NotPrepared)[]>
  /** Prepares the mail for one person. */
  mail(more: Partial<EmailObject>, one?: MessageToPrepare, how?: Partial<MessageToPrepare>): Promise<Mailed>
}

/** Runs each test with a bed, on both databases. */
export function testPrepared(title: string, tests: Readonly<Record<string, (bed: Bed) => Promise<void>>>): void {
  onBothDatabases(title, async (openDb, t) => {
    const db = await openDb()
    const renderer = openRenderer({ sources: watchedSources({}), processes: 1 })
    t.after(() => renderer.close())
    const bed = openBed(db, renderer)
    for (const [name, body] of Object.entries(tests)) {
      await t.test(name, async () => {
        bed.settings({})
        await body(bed)
      })
    }
  })
}

export const fetchAttachments: PrepareServices['fetchAttachments'] = async (files) => {
  const refused = files.find(({ url }) => url.includes('refused'))
  if (refused) return { failed: `attachments[0]: ${refused.url}` }
  const fetched = files.map(({ url, file_name }) => {
    return { filename: `${file_name}.txt`, content_type: 'text/plain', bytes: Buffer.from(url) }
  })
  return { files: fetched, warnings: ['a warning'] }
}

function openBed(db: Db, renderer: Renderer): Bed {
  const clock = virtualClock(nowMs)
  let workspace = {
    workspace_id,
    settings: completeSettings({}),
    apps: new Map([['app', { id: 'app', name: 'Phone', platform: 'ios' }]]),
    groups: new Map([[group.id, group]]),
  } as unknown as Workspace
  const parts: PrepareServices = {
    ...linkParts,
    db,
    clock,
    renderer,
    decoratedBodies: new DecoratedBodies(cachedCharactersMax),
    workspaces: { get: () => workspace },
    hashAddress,
    formatServiceId: (profile_id) => `service-${profile_id}`,
    fetchAttachments,
  }
  const prepare: Bed['prepare'] = (email, people, more) =>
    prepareEmails(
      parts,
      people.map((one) => ({ ...one, content: email, ...more })),
    )
  const person: Bed['person'] = (columns) => insertPerson(db, columns)
  return {
    db,
    parts,
    prepare,
    person,
    settings(more) {
      workspace = { ...workspace, settings: { ...completeSettings({}), ...more } }
    },
    async mail(more, one, how) {
      const [mail] = await prepare({ ...email, ...more }, [one ?? (await person())], how)
      assert.ok(mail && 'raw' in mail, JSON.stringify(mail))
      return { ...mail, mail: await PostalMime.parse(mail.raw) }
    },
  }
}

async function insertPerson(db: Db, columns: Readonly<Record<string, unknown>> = {}): Promise<MessageToPrepare> {
  const bucket = 1234
  const profile_id = nextProfileId(bucket, nowMs)
  const row = { email: 'ann@example.org', first_name: 'Ann', ...columns }
  await db.query(sql`
    insert into profile (profile_id, bucket, workspace_id, random_bucket, email, first_name, custom, date_of_last_session,
      merged_into, merged_bucket, created_at, updated_at)
    select ${profile_id}::int8, ${bucket}, ${workspace_id}, 77, v.email, v.first_name, coalesce(v.custom, '{}'),
      '2026-02-28T08:43:50Z', v.merged_into, v.merged_bucket, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'
    from jsonb_to_record(${JSON.stringify(row)}::jsonb)
      v(email text, first_name text, custom jsonb, merged_into int8, merged_bucket int)`)
  const where = { message_id: nextProfileId(bucket, nowMs), profile_id, bucket, workspace_id, address: row.email }
  return { ...where, tracking: { opens: true, clicks: true }, class: 'marketing', dispatch_id, content: email }
}

export async function ended(bed: Bed, more: Partial<EmailObject>, one?: MessageToPrepare): Promise<NotPrepared> {
  const [outcome] = await bed.prepare({ ...email, ...more }, [one ?? (await bed.person())])
  assert.ok(outcome && 'reason' in outcome, 'a mail was made')
  return outcome
}
