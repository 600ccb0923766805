import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Person } from '../../people/identity/person.ts'
import type { SubscribeState } from '../../people/profile/standard.ts'

/** The addresses of a person now, and whether mail may go there. */
export type OwnerState = {
  readonly email: string | null
  readonly phone: string | null
  readonly email_subscribe: SubscribeState
}

/** Returns the current addresses of a person and the state of mail. */
export async function findOwnerState(tx: Tx, { bucket, key }: Person): Promise<OwnerState | undefined> {
  const [row] = await tx.query<OwnerState>(
    prepared(
      sql`select p.email, p.phone, p.email_subscribe from profile p where p.bucket = ${bucket} and p.profile_id = ${key}::int8`,
    ),
  )
  return row
}
