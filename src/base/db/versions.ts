import type { Tx } from './db.ts'
import { type Sql, sql } from './sql.ts'

/**
 * Rows of the table `version`. A version rises with every change, so that a process knows when its copy is old. Its row is also the lock
 * of the writers.
 */
export type VersionName = 'workspace' | 'account' | 'identity' | 'watched'

export async function getVersion(tx: Tx, name: VersionName): Promise<number> {
  const [row] = await tx.query<{ number: string }>(sql`select number from version where name = ${name}`)
  return Number(row!.number)
}

/** Has a row when the version is another one. */
export function versionProbe(name: VersionName, number: number): Sql {
  return sql`select 1 from version where name = ${name} and number <> ${number}::int8`
}

/** Locks the row until the end of the transaction against other writers and `shareVersion`. */
export async function lockVersion(tx: Tx, name: VersionName): Promise<void> {
  await tx.query(sql`select number from version where name = ${name} for update`)
}

/** Locks the row until the end of the transaction against writers only. */
export async function shareVersion(tx: Tx, name: VersionName): Promise<void> {
  await tx.query(sql`select number from version where name = ${name} for share`)
}

/** Locks the row and raises the version. Returns the new one. */
export async function raiseVersion(tx: Tx, name: VersionName): Promise<number> {
  const [row] = await tx.query<{ number: string }>(
    sql`update version set number = number + 1 where name = ${name} returning number`,
  )
  return Number(row!.number)
}
