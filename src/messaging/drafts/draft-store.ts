import type { Actor } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { decrypt, encrypt } from '../../base/encrypt.ts'
import { getSealingKey } from '../../workspace/settings/installation-store.ts'
import type { FlowKind } from '../flows/flow.ts'
import type { HeaderTexts } from './hidden-headers.ts'

/** Which draft: that of a canvas or a campaign, which need not exist. */
export type DraftKey = { readonly workspace_id: number; readonly kind: FlowKind; readonly id: string }

/** A draft in a list. */
export type DraftHeadRow = {
  readonly id: string
  readonly name: string
  readonly base_version: number | null
  readonly author_kind: string
  readonly author_id: string
  readonly author_name: string
  readonly updated_at: Date
}

/** A draft. `definition`: JSON, without the texts of secret headers. */
export type DraftRow = DraftHeadRow & { readonly definition: string; readonly secrets: Buffer | null }

export type WrittenDraft = {
  readonly name: string
  readonly definition: string
  readonly bytes: number
  readonly base_version: number | null
  readonly texts: HeaderTexts
}

const rowsOfPage = 100

export async function findDraft(tx: Tx, { workspace_id, kind, id }: DraftKey): Promise<DraftRow | undefined> {
  const [row] = await tx.query<DraftRow>(sql`
    select id, name, base_version, author_kind, author_id, author_name, updated_at, definition, secrets
    from flow_draft where workspace_id = ${workspace_id} and kind = ${kind} and id = ${id}`)
  return row
}

/** Lists the drafts of canvases or campaigns without their definitions, the last changed first. */
export function listDraftHeads(tx: Tx, workspace_id: number, kind: FlowKind): Promise<DraftHeadRow[]> {
  return tx.query<DraftHeadRow>(sql`
    select id, name, base_version, author_kind, author_id, author_name, updated_at
    from flow_draft where workspace_id = ${workspace_id} and kind = ${kind}
    order by updated_at desc, id collate "C"`)
}

/** Counts the other drafts of a kind, and their bytes. */
export async function countOtherDrafts(
  tx: Tx,
  { workspace_id, kind, id }: DraftKey,
): Promise<{ readonly drafts: number; readonly bytes: number }> {
  const [row] = await tx.query<{ drafts: number; bytes: number }>(sql`
    select count(*)::int as drafts, coalesce(sum(bytes), 0)::float8 as bytes
    from flow_draft where workspace_id = ${workspace_id} and kind = ${kind} and id <> ${id}`)
  return row!
}

/** Inserts a draft, or replaces the one with the same key. */
export async function upsertDraft(
  tx: Tx,
  key: DraftKey,
  { name, definition, bytes, base_version, texts }: WrittenDraft,
  author: Pick<Actor, 'kind' | 'id' | 'name'>,
  nowMs: number,
): Promise<void> {
  const { workspace_id, kind, id } = key
  const secrets = texts.length === 0 ? null : encrypt(JSON.stringify(texts), contextOf(key), await getSealingKey(tx))
  await tx.query(sql`
    insert into flow_draft (workspace_id, kind, id, name, definition, secrets, bytes, base_version, author_kind, author_id,
      author_name, updated_at)
    values (${workspace_id}, ${kind}, ${id}, ${name}, ${definition}, ${secrets}, ${bytes}, ${base_version},
      ${author.kind}, ${author.id}, ${author.name}, ${timestampFromMs(nowMs)})
    on conflict (workspace_id, kind, id) do update set name = excluded.name, definition = excluded.definition,
      secrets = excluded.secrets, bytes = excluded.bytes, base_version = excluded.base_version,
      author_kind = excluded.author_kind, author_id = excluded.author_id, author_name = excluded.author_name,
      updated_at = excluded.updated_at`)
}

export async function deleteDraft(tx: Tx, { workspace_id, kind, id }: DraftKey): Promise<void> {
  await tx.query(sql`delete from flow_draft where workspace_id = ${workspace_id} and kind = ${kind} and id = ${id}`)
}

/** Returns the texts of the secret headers of a draft. The key is read only when there are any. */
export async function openTexts(tx: Tx, key: DraftKey, { secrets }: Pick<DraftRow, 'secrets'>): Promise<HeaderTexts> {
  if (secrets === null) return []
  return JSON.parse(decrypt(secrets, contextOf(key), await getSealingKey(tx))) as HeaderTexts
}

/** Encrypts the secret headers of all drafts with another key. */
export async function resealDrafts(tx: Tx, from: Buffer, to: Buffer): Promise<void> {
  type Row = DraftKey & { readonly secrets: Buffer }
  for (let last: DraftKey | undefined = { workspace_id: 0, kind: 'campaign', id: '' }; last; ) {
    const rows: Row[] = await tx.query<Row>(sql`
      select workspace_id, kind, id, secrets from flow_draft
      where secrets is not null and (workspace_id, kind, id) > (${last.workspace_id}::int, ${last.kind}::text, ${last.id}::text)
      order by workspace_id, kind, id limit ${rowsOfPage}`)
    const written = rows.map((row) => {
      const secrets = encrypt(decrypt(row.secrets, contextOf(row), from), contextOf(row), to).toString('base64')
      return { workspace_id: row.workspace_id, kind: row.kind, id: row.id, secrets }
    })
    await tx.query(sql`
      update flow_draft as stored set secrets = decode(given.secrets, 'base64')
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
        as given (workspace_id int, kind text, id text, secrets text)
      where stored.workspace_id = given.workspace_id and stored.kind = given.kind and stored.id = given.id`)
    last = rows.length < rowsOfPage ? undefined : rows.at(-1)
  }
}

function contextOf({ workspace_id, kind, id }: DraftKey): string {
  return `flow_draft ${workspace_id} ${kind} ${id}`
}
