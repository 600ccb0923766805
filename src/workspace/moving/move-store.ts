import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

export type Move = {
  readonly move_id: string
  readonly role: 'source' | 'target'
  /** The other database, without a password. */
  readonly other: string
  readonly begun_at: Date
  /** When the other one had everything. */
  readonly ended_at: Date | null
}

export async function getMove(tx: Tx): Promise<Move | undefined> {
  const [found] = await tx.query<Move>(sql`select move_id, role, other, begun_at, ended_at from database_move`)
  return found
}

export async function insertMove(tx: Tx, { move_id, role, other, begun_at }: Omit<Move, 'ended_at'>): Promise<void> {
  await tx.query(sql`
    insert into database_move (move_id, role, other, begun_at) values (${move_id}, ${role}, ${other}, ${begun_at})`)
}

export async function updateMoveEnd(tx: Tx, at: Date): Promise<void> {
  await tx.query(sql`update database_move set ended_at = ${at}`)
}

export async function deleteMove(tx: Tx): Promise<void> {
  await tx.query(sql`delete from database_move`)
  await tx.query(sql`delete from database_move_part`)
}

/** How far a table of a target is. */
export type Part = { readonly relation: string; readonly next_block: number; readonly rows: number }

export async function listParts(tx: Tx): Promise<Part[]> {
  const rows = await tx.query<{ relation: string; next_block: string; rows: string }>(sql`
    select relation, next_block, rows from database_move_part`)
  return rows.map(({ relation, next_block, rows: count }) => ({
    relation,
    next_block: Number(next_block),
    rows: Number(count),
  }))
}

export async function upsertPart(tx: Tx, { relation, next_block, rows }: Part): Promise<void> {
  await tx.query(sql`
    insert into database_move_part (relation, next_block, rows) values (${relation}, ${next_block}, ${rows})
    on conflict (relation) do update set next_block = excluded.next_block, rows = excluded.rows`)
}
