import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { SignedInAccount } from '../../base/http/auth.ts'
import { findActivePermissions } from '../accounts/account-store.ts'
import { can, type Grants, grantsOf } from '../permissions/abilities.ts'
import type { Declared } from '../permissions/declared.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { readCookie } from '../sessions/cookies.ts'
import { findSession } from '../sessions/sessions.ts'

/** Finds the account of a request and its abilities, from the database at every request. */
export class SessionAccess {
  readonly #db: Db
  readonly #clock: Clock
  readonly #cookie: string
  /** The declarations at a version of the configuration. They are read again when the version has changed. */
  #declared: { version: string; declared: Declared } | undefined

  /** `cookie`: the name of the session cookie. */
  constructor(db: Db, clock: Clock, cookie: string) {
    this.#db = db
    this.#clock = clock
    this.#cookie = cookie
  }

  /** Finds the account of a `Cookie` header; undefined without an open session of an active account. */
  async find(cookies: string): Promise<SignedInAccount | undefined> {
    const token = readCookie(cookies, this.#cookie)
    const session = token === undefined ? undefined : await findSession(this.#db, this.#clock, token)
    if (session === undefined) return undefined
    const { account_id, user_name, csrf } = session
    const grants = await this.grantsOf(account_id)
    return grants && { account_id, user_name, csrf, may: (ability, workspace_id) => can(grants, ability, workspace_id) }
  }

  /** Returns the abilities of an account; undefined when it is deleted or disabled. */
  async grantsOf(account_id: string): Promise<Grants | undefined> {
    const held = await findActivePermissions(this.#db, account_id)
    if (held === undefined) return undefined
    // The version was read first, so the declarations are at least as new.
    if (this.#declared?.version !== held.config_version) {
      this.#declared = { version: held.config_version, declared: await readDeclared(this.#db) }
    }
    return grantsOf(held.permissions, this.#declared.declared)
  }
}
