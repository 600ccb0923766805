import type { Tx } from '../../base/db/db.ts'
import { freeNames } from '../../base/db/free-names.ts'
import { sql } from '../../base/db/sql.ts'
import { decrypt, encrypt } from '../../base/encrypt.ts'
import { getSealingKey } from '../../workspace/settings/installation-store.ts'
import type { EventType } from '../feed/event-types.ts'
import { keepFeedOn } from '../feed/number-store.ts'

/** A webhook as administrators write it. `secret` is readable; absent: a new one is made. */
export type WebhookEntry = {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly event_types: readonly EventType[]
  readonly state: 'active' | 'paused'
  readonly secret?: string
}

/** Lists webhooks with readable secrets, oldest first. */
export async function listWebhooks(tx: Tx, workspace_id: number): Promise<(WebhookEntry & { secret: string })[]> {
  const key = await getSealingKey(tx)
  const rows = await tx.query<Omit<WebhookEntry, 'secret'> & { secret: Buffer }>(sql`
    select id, name, url, event_types, state, secret from webhook where workspace_id = ${workspace_id}
    order by created_at, id collate "C"`)
  return rows.map((row) => ({ ...row, secret: unsealSecret(row.secret, workspace_id, row.id, key) }))
}

/** Inserts webhooks. They get what happens from now on. Returns the ids of those that were written: others have a name that is taken. */
export async function insertWebhooks(
  tx: Tx,
  workspace_id: number,
  webhooks: readonly (WebhookEntry & { readonly secret: string })[],
  at: Date,
): Promise<Set<string>> {
  const key = await getSealingKey(tx)
  const given = webhooks.map(({ secret, ...each }) => ({ ...each, secret: seal(secret, workspace_id, each.id, key) }))
  await keepFeedOn(tx, workspace_id)
  const rows = await tx.query<{ id: string }>(sql`
    insert into webhook (workspace_id, id, name, url, event_types, state, secret, position, due_at, created_at, updated_at)
    select ${workspace_id}::int, g.id, g.name, g.url, g.event_types, g.state, decode(g.secret, 'base64'),
      coalesce((select f.last_position from feed f where f.workspace_id = ${workspace_id}::int), 0), 'epoch',
      ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as g (id text, name text, url text, event_types text[], state text, secret text)
    on conflict do nothing returning id`)
  return new Set(rows.map(({ id }) => id))
}

/** Updates webhooks. Another secret replaces the one before at once. The next attempt is due now. */
export async function updateWebhooks(
  tx: Tx,
  workspace_id: number,
  webhooks: readonly WebhookEntry[],
  at: Date,
): Promise<void> {
  const key = await getSealingKey(tx)
  const stored = new Map((await listWebhooks(tx, workspace_id)).map(({ id, secret }) => [id, secret]))
  const given = webhooks.map(({ secret, ...each }) => ({
    ...each,
    secret: secret === undefined || secret === stored.get(each.id) ? null : seal(secret, workspace_id, each.id, key),
  }))
  const text = JSON.stringify(given)
  await freeNames(tx, 'webhook', workspace_id, text)
  await tx.query(sql`
    update webhook h set name = g.name, url = g.url, event_types = g.event_types, state = g.state,
      secret = coalesce(decode(g.secret, 'base64'), h.secret),
      previous_secret = case when g.secret is null then h.previous_secret end,
      previous_until = case when g.secret is null then h.previous_until end, due_at = 'epoch',
      updated_at = ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${text}::jsonb)
      as g (id text, name text, url text, event_types text[], state text, secret text)
    where h.workspace_id = ${workspace_id} and h.id = g.id`)
}

export async function deleteWebhook(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const deleted = await tx.query(sql`
    delete from webhook where workspace_id = ${workspace_id} and id = ${id} returning id`)
  await tx.query(sql`delete from webhook_attempt where workspace_id = ${workspace_id} and webhook_id = ${id}`)
  return deleted.length > 0
}

/** Replaces the secret. The one before signs until `untilMs`, machine time. Returns false when there is no such webhook. */
export async function replaceSecret(
  tx: Tx,
  workspace_id: number,
  id: string,
  secret: string,
  untilMs: number,
): Promise<boolean> {
  const sealed = seal(secret, workspace_id, id, await getSealingKey(tx))
  const rows = await tx.query(sql`
    update webhook set previous_secret = secret, previous_until = ${new Date(untilMs)}, secret = decode(${sealed}, 'base64')
    where workspace_id = ${workspace_id} and id = ${id} returning id`)
  return rows.length > 0
}

function contextOf(workspace_id: number, id: string): string {
  return `webhook ${workspace_id} ${id}`
}

function seal(secret: string, workspace_id: number, id: string, key: Buffer): string {
  return encrypt(secret, contextOf(workspace_id, id), key).toString('base64')
}

export function unsealSecret(sealed: Buffer, workspace_id: number, id: string, key: Buffer): string {
  return decrypt(sealed, contextOf(workspace_id, id), key)
}

/** Encrypts every secret with another key. */
export async function resealWebhooks(tx: Tx, from: Buffer, to: Buffer): Promise<void> {
  const rows = await tx.query<{ workspace_id: number; id: string; secret: Buffer; previous_secret: Buffer | null }>(sql`
    select workspace_id, id, secret, previous_secret from webhook order by workspace_id, id`)
  const again = (sealed: Buffer, workspace_id: number, id: string) =>
    seal(unsealSecret(sealed, workspace_id, id, from), workspace_id, id, to)
  const given = rows.map(({ workspace_id, id, secret, previous_secret }) => ({
    workspace_id,
    id,
    secret: again(secret, workspace_id, id),
    previous_secret: previous_secret && again(previous_secret, workspace_id, id),
  }))
  await tx.query(sql`
    update webhook h set secret = decode(g.secret, 'base64'), previous_secret = decode(g.previous_secret, 'base64')
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as g (workspace_id int, id text, secret text, previous_secret text)
    where h.workspace_id = g.workspace_id and h.id = g.id`)
}
