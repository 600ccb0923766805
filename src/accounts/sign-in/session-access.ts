import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { SignedInAccount } from '../../base/http/auth.ts'
import { findActivePermissions } from '../accounts/account-store.ts'
import { can, type Grants, grantsOf } from '../permissions/abilities.ts'
import type { Declared } from '../permissions/declared.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { readCookie } from '../sessions/cookies.ts'
import { findSession } from '../sessions/sessions.ts'

/** Finds out who asks and what they may: session, account and permissions as they are at this moment. */
export class SessionAccess {
  readonly #db: Db
  readonly #clock: Clock
  readonly #cookie: string
  /** What was declared at a version of the workspaces: it is read again only when that has moved. */
  #declared: { number: string; declared: Declared } | undefined

  /** `cookie`: the name of the cookie of sessions. */
  constructor(db: Db, clock: Clock, cookie: string) {
    this.#db = db
    this.#clock = clock
    this.#cookie = cookie
  }

  /** By a `Cookie` header; undefined without a session that has not ended, of an account that is active. */
  async find(cookies: string): Promise<SignedInAccount | undefined> {
    const token = readCookie(cookies, this.#cookie)
    const session = token === undefined ? undefined : await findSession(this.#db, this.#clock, token)
    if (session === undefined) return undefined
    const { account_id, user_name, csrf } = session
    const grants = await this.grantsOf(account_id)
    return grants && { account_id, user_name, csrf, may: (ability, workspace_id) => can(grants, ability, workspace_id) }
  }

  /** What an account may do; undefined when it is gone or disabled. */
  async grantsOf(account_id: string): Promise<Grants | undefined> {
    const held = await findActivePermissions(this.#db, account_id)
    if (held === undefined) return undefined
    // The number was read first: what is declared is at least as new.
    if (this.#declared?.number !== held.number) {
      this.#declared = { number: held.number, declared: await readDeclared(this.#db) }
    }
    return grantsOf(held.permissions, this.#declared.declared)
  }
}
